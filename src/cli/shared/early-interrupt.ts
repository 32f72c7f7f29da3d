/** Signals before a command starts: by default, Node ends the process without a message. */

/** Conventional exit codes of signals. */
export const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const NAMES = Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[];

function end(name: keyof typeof SIGNAL_CODES): void {
  process.stderr.write('interrupted before start: nothing was done\n');
  process.exit(SIGNAL_CODES[name]);
}

/** Until `endEarlyInterrupts`, a signal ends the process with a message on stderr and the exit code of the signal. */
export function catchEarlyInterrupts(): void {
  for (const name of NAMES) process.on(name, end);
}

/** Leaves signals to the command, or to Node. */
export function endEarlyInterrupts(): void {
  for (const name of NAMES) process.off(name, end);
}
