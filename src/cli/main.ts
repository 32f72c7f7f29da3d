import { CommanderError } from 'commander';
import { loadDotEnv } from '../config.ts';
import { describe, TrawlError, UsageError } from '../errors.ts';
import { EXIT, tell } from './common.ts';
import { buildProgram } from './program.ts';

const DATABASE_HINT = 'Is it locked by another program, read-only, or its disk full? Nothing was lost; try again then.';

/** SQLite's own errors carry its code. */
const isOfDatabase = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');

/** What is thrown on purpose is told in words; anything else is a bug, and shows its stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  if (error instanceof TrawlError) tell(`trawl: ${describe(error)}`);
  else if (isOfDatabase(error)) tell(`trawl: the database refused: ${error.message}\n  ${DATABASE_HINT}`);
  else tell(`trawl: this is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

// Whoever reads our answers may have had enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  // Before the options are read: those that have a variable take it from the environment.
  loadDotEnv();
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
