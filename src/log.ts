import pino, { type Logger } from 'pino';

export type Log = Logger;

/**
 * One JSON line per event, on stderr: stdout belongs to answers. The redaction is a second wall; no code logs a key. A
 * `patient` log writes off the way of whoever logs: a process that is killed takes its last lines along.
 */
export function createLog(
  options: { level?: 'debug' | 'info' | 'warn' | 'error' | 'silent'; patient?: boolean } = {},
): Log {
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      redact: ['apiKey', '*.apiKey', 'req.headers["x-api-key"]', 'headers["x-api-key"]'],
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 2, sync: options.patient !== true }),
  );
}
