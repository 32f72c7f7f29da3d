import { CommanderError } from 'commander';
import { loadDotEnv } from '../config.ts';
import { describeError, UsageError } from '../errors.ts';
import { buildProgram } from './program.ts';
import { EXIT, printNote } from './shared/common-options.ts';
import { describeBug, toExpectedError } from './shared/error-messages.ts';

/** Prints an expected error as a message, and any other as a bug with its stack. Returns the exit code. */
function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT.usage;
  const refusal = toExpectedError(thrown);
  printNote(`trawl: ${refusal ? describeError(refusal) : describeBug(thrown)}`);
  return refusal instanceof UsageError ? EXIT.usage : EXIT.failed;
}

// The reader of stdout may close it, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  // Before the options are parsed: some take their default from the environment.
  for (const warning of loadDotEnv()) printNote(`warning: ${warning}`);
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
