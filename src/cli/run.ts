import { CommanderError } from 'commander';
import { describeError } from '../base/errors.ts';
import { toExpectedError } from '../library/run/expected-error.ts';
import { runInContext, type RunOptions } from './context.ts';
import { buildProgram } from './program.ts';
import { hint } from './shared/command-hints.ts';
import { decideErrorCode, EXIT } from './shared/common-options.ts';
import { describeBug } from './shared/error-messages.ts';
import { getInterruptCode } from './shared/signals.ts';
import { printNote } from './terminal/output.ts';

/**
 * Runs a command line, without the name of the program, in this process. Several may run at the same time. Prints an expected
 * error as a message, and any other as a bug with its stack. Returns the exit code.
 */
export async function run(argv: readonly string[], options: RunOptions): Promise<number> {
  const context = { ...options, argv, exitCode: EXIT.complete };
  return await runInContext(context, async () => {
    try {
      await buildProgram().parseAsync(argv, { from: 'user' });
      return context.exitCode;
    } catch (thrown) {
      return report(thrown, options.signal);
    }
  });
}

function report(thrown: unknown, signal: AbortSignal): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.complete : EXIT.usage;
  if (signal.aborted && thrown === signal.reason) return getInterruptCode(signal);
  const refusal = toExpectedError(thrown);
  printNote(`trawl: ${refusal ? describeError(refusal, hint) : describeBug(thrown)}`);
  return decideErrorCode(refusal);
}
