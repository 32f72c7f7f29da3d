/** Signals while a command is loaded and has not begun: Node would end the process without a word. */

/** Exit codes of a process that was told to stop, by convention. */
export const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const NAMES = Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[];

function end(name: keyof typeof SIGNAL_CODES): void {
  process.stderr.write('stopped before it began: nothing was done\n');
  process.exit(SIGNAL_CODES[name]);
}

/** Until `endEarlyInterrupts`, a signal ends the process with a line on stderr and the code of the signal. */
export function catchEarlyInterrupts(): void {
  for (const name of NAMES) process.on(name, end);
}

/** From here on, signals are the command's own, or Node's. */
export function endEarlyInterrupts(): void {
  for (const name of NAMES) process.off(name, end);
}
