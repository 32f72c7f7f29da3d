import { SECOND } from '../../clock.ts';
import { printAboveProgress } from '../terminal/progress.ts';
import { endEarlyInterrupts, SIGNAL_CODES } from './early-interrupt.ts';

export interface Interruption extends Disposable {
  /** Aborted by the first SIGINT or SIGTERM, or when the terminal goes away. */
  readonly signal: AbortSignal;
  /** The exit code of the signal; undefined before a signal. */
  code(): number | undefined;
}

/**
 * Aborts the returned signal at the first interrupt, and ends the process 5 s later if it is still running, with the exit code of the
 * signal or `orderly`. A second interrupt ends it immediately. `say` prints the message.
 */
export function trapSignals(
  message: string,
  { orderly, say = printAboveProgress }: { orderly?: number; say?: (message: string) => void } = {},
): Interruption {
  endEarlyInterrupts();
  const controller = new AbortController();
  let code: number | undefined;
  const interrupt = (name: keyof typeof SIGNAL_CODES) => {
    if (code !== undefined) process.exit(code);
    code = SIGNAL_CODES[name];
    say(message);
    controller.abort();
    setTimeout(() => process.exit(orderly ?? code), 5 * SECOND).unref();
  };
  const handlers = (Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[]).map(
    (name) => [name, () => interrupt(name)] as const,
  );
  for (const [name, handler] of handlers) process.on(name, handler);
  return {
    signal: controller.signal,
    code: () => code,
    [Symbol.dispose]() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
