/** The signals of the process. Loaded before the rest of the command line; imports nothing. */

/** Conventional exit codes of signals. */
export const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type SignalName = keyof typeof SIGNAL_CODES;
const NAMES = Object.keys(SIGNAL_CODES) as SignalName[];

/** The time in ms after which an interrupted command is ended. */
const GRACE_MS = 5000;

/**
 * What a signal does. `start`: ends the process with a message. `command`: aborts the command's signal; a second signal, or
 * 5 s, end the process. `once`: aborts the command's signal; a second signal is left to Node. `none`: left to Node.
 */
export type InterruptMode = 'start' | 'command' | 'once' | 'none';

export interface Interrupts {
  /** Aborted by the first signal. Its reason is an `Interrupt`. */
  readonly signal: AbortSignal;
  /** Sets what signals do from now on. `exitCode` is that of a command that does not stop in time; by default that of the signal. */
  setMode(mode: InterruptMode, exitCode?: number): void;
}

/** The reason of an interrupted command, with the exit code of the signal. */
export class Interrupt extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Handles SIGHUP, SIGINT and SIGTERM of this process, first in the mode `start`. */
export function catchInterrupts(): Interrupts {
  const controller = new AbortController();
  let mode: InterruptMode = 'none';
  let orderly: number | undefined;
  const onSignal = (name: SignalName): void => {
    const code = SIGNAL_CODES[name];
    if (mode === 'start') {
      process.stderr.write('interrupted before start: nothing was done\n');
      process.exit(code);
    }
    if (controller.signal.aborted) process.exit((controller.signal.reason as Interrupt).exitCode);
    // Of now: the command ends its own handling of interrupts before the process ends.
    const forcedCode = orderly ?? code;
    if (mode === 'once') setMode('none');
    else setTimeout(() => process.exit(forcedCode), GRACE_MS).unref();
    controller.abort(new Interrupt(code));
  };
  const setMode: Interrupts['setMode'] = (next, exitCode) => {
    for (const name of NAMES) {
      if (next === 'none') process.off(name, onSignal);
      else if (mode === 'none') process.on(name, onSignal);
    }
    [mode, orderly] = [next, exitCode];
  };
  setMode('start');
  return { signal: controller.signal, setMode };
}
