import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { UsageError } from '#base/errors.ts';
import { getContext } from '#cli/context.ts';

/** Whether a question can be asked: targets that were typed until Ctrl-D have ended the input. */
function hasTerminal(): boolean {
  const { stdin, stderr } = getContext().streams;
  return stdin.isTTY === true && !stdin.readableEnded && stderr.isTTY === true;
}

/** Asks a question on the terminal. Returns whether the answer is yes; no is the default. */
export async function askYes(question: string, signal?: AbortSignal): Promise<boolean> {
  const { stdin, stderr } = getContext().streams;
  const lines = createInterface({ input: stdin, output: stderr });
  // A terminal in raw mode sends no signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const closed = once(lines, 'close').then(() => '');
    const answer = await Promise.race([lines.question(`${question} [y/N] `, signal ? { signal } : {}), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** @throws UsageError without a terminal, on which `what` would have to be confirmed */
export function requireTerminal(what: string, hint: string): void {
  if (!hasTerminal()) throw new UsageError(`${what}, and there is no terminal to confirm it on`, { hint });
}
