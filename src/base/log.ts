import pino, { type Logger } from 'pino';

export type Log = Logger;

export interface LogOptions {
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Writes in the background: a process that is killed loses its last lines. */
  readonly isBuffered?: boolean;
  /** Where the lines go, if not to stderr of the process. */
  readonly stream?: NodeJS.WritableStream;
}

/**
 * Writes one JSON line per event to stderr, since stdout holds results. The redaction is a second barrier: no code logs
 * a key.
 */
export function createLog(options: LogOptions = {}): Log {
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      redact: ['apiKey', '*.apiKey', 'req.headers["x-api-key"]', 'headers["x-api-key"]'],
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    options.stream ?? pino.destination({ dest: 2, sync: options.isBuffered !== true }),
  );
}
