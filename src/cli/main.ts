import { CommanderError } from 'commander';
import { loadDotEnv } from '../config.ts';
import { describeError, UsageError } from '../errors.ts';
import { buildProgram } from './program.ts';
import { EXIT, printNote } from './shared/common-options.ts';
import { describeBug, toExpectedError } from './shared/error-messages.ts';

/** What is thrown on purpose is told in words; anything else is a bug, and shows its stack. */
function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT.usage;
  const refusal = toExpectedError(thrown);
  printNote(`trawl: ${refusal ? describeError(refusal) : describeBug(thrown)}`);
  return refusal instanceof UsageError ? EXIT.usage : EXIT.failed;
}

// Whoever reads our answers may have had enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  // Before the options are read: those that have a variable take it from the environment.
  for (const warning of loadDotEnv()) printNote(`warning: ${warning}`);
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
