import { createLog, type Log, type LogOptions } from '#base/log.ts';
import { getContext } from '#cli/context.ts';

/** Opens a log on the stderr of the command. */
export function openLog(options: Pick<LogOptions, 'level' | 'isBuffered'>): Log {
  const { stderr } = getContext().streams;
  // That of the process is written by its number: no line is lost when the process ends.
  return createLog('fd' in stderr ? options : { ...options, stream: stderr });
}
