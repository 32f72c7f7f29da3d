import { AsyncResource } from 'node:async_hooks';
import { getContext } from '#cli/context.ts';
import { Interrupt } from '#cli/interrupts.ts';
import { printAboveProgress } from '#cli/terminal/output.ts';

export interface Interruption extends Disposable {
  /** Aborted by the first SIGINT or SIGTERM, or when the terminal goes away. */
  readonly signal: AbortSignal;
  /** The exit code of the signal; undefined before a signal. */
  code(): number | undefined;
}

/** The exit code of an interrupted command. */
export const getInterruptCode = ({ reason }: AbortSignal): number =>
  reason instanceof Interrupt ? reason.exitCode : 130;

/**
 * Handles interrupts until it is disposed of: the first aborts the signal, and the process is ended 5 s later if it is still
 * running, with the exit code of the signal or `orderly`. A second interrupt ends it immediately. `say` prints the message.
 */
export function trapSignals(
  message: string,
  { orderly, say = printAboveProgress }: { orderly?: number; say?: (message: string) => void } = {},
): Interruption {
  const { signal, setInterruptMode } = getContext();
  const onAbort = AsyncResource.bind(() => say(message));
  setInterruptMode?.('command', orderly);
  signal.addEventListener('abort', onAbort);
  return {
    signal,
    code: () => (signal.aborted ? getInterruptCode(signal) : undefined),
    [Symbol.dispose]() {
      signal.removeEventListener('abort', onAbort);
      setInterruptMode?.('none');
    },
  };
}

/** The signal of a command that ends in order, with its usual exit code, when it is interrupted. */
export function endOnInterrupt(): AbortSignal {
  const { signal, setInterruptMode } = getContext();
  setInterruptMode?.('once');
  return signal;
}
