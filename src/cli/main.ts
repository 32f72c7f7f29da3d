import { CommanderError } from 'commander';
import { loadDotEnv } from '../config.ts';
import { describe, refusedByRedis, TrawlError, UsageError } from '../errors.ts';
import { databaseRefusal } from '../store/database-errors.ts';
import { EXIT, tell } from './common.ts';
import { buildProgram } from './program.ts';

/** What is thrown on purpose is told in words; anything else is a bug, and shows its stack. */
function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT.usage;
  const error = databaseRefusal(thrown) ?? outsideRefusal(thrown) ?? thrown;
  if (error instanceof TrawlError) tell(`trawl: ${describe(error)}`);
  else tell(`trawl: this is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

/** What Redis or the system refused; undefined for a bug. */
function outsideRefusal(thrown: unknown): TrawlError | undefined {
  const isLimit = ['EMFILE', 'ENFILE'].includes((thrown as NodeJS.ErrnoException | undefined)?.code ?? '');
  return isLimit || refusedByRedis(thrown) !== undefined ? new TrawlError(describe(thrown)) : undefined;
}

// Whoever reads our answers may have had enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  // Before the options are read: those that have a variable take it from the environment.
  for (const warning of loadDotEnv()) tell(`warning: ${warning}`);
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
