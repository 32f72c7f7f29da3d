import { SECOND } from '../clock.ts';
import { tellAside } from './progress.ts';

/** Exit codes of a process that was told to stop, by convention. */
const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export interface Interruption extends Disposable {
  /** Aborted by the first SIGINT or SIGTERM, or when the terminal goes away. */
  readonly signal: AbortSignal;
  /** The exit code to end with; undefined while nobody interrupted. */
  code(): number | undefined;
}

/**
 * Waits 5 s for an orderly end. What still hangs then is ended with the code of an orderly end, which is that of the
 * signal unless `orderly` says another; a second signal ends the process at once.
 */
export function onInterrupt(message: string, orderly?: number): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  const interrupt = (name: keyof typeof CODES) => {
    if (code !== undefined) process.exit(code);
    code = CODES[name];
    tellAside(message);
    controller.abort();
    setTimeout(() => process.exit(orderly ?? code), 5 * SECOND).unref();
  };
  const handlers = (Object.keys(CODES) as (keyof typeof CODES)[]).map((name) => [name, () => interrupt(name)] as const);
  for (const [name, handler] of handlers) process.on(name, handler);
  return {
    signal: controller.signal,
    code: () => code,
    [Symbol.dispose]() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
