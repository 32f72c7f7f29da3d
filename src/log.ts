import pino, { type Logger } from 'pino';

export type Log = Logger;

/** One JSON line per event, on stderr: stdout belongs to answers. The redaction is a second wall; no code logs a key. */
export function createLog(options: { level?: 'debug' | 'info' | 'warn' | 'error' | 'silent' } = {}): Log {
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      redact: ['apiKey', '*.apiKey', 'req.headers["x-api-key"]', 'headers["x-api-key"]'],
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination(2),
  );
}
