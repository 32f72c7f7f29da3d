import { describeError } from '#base/errors.ts';
import { readEnvironment } from '#config.ts';
import { limitHeapGrowth } from '#library/run/limit-heap-growth.ts';
import type { Interrupts } from './interrupts.ts';
import { run } from './program.ts';
import { EXIT } from './shared/common-options.ts';

/** Runs the command line of this process, with its environment, `.env`, streams and signals. */
export async function main({ signal, setMode }: Interrupts): Promise<void> {
  const { argv, stdin, stdout, stderr } = process;
  limitHeapGrowth();
  // The reader of stdout may close it, as `head` does.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    const { env, warnings } = readEnvironment();
    for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
    const streams = { stdin, stdout, stderr };
    process.exitCode = await run(argv.slice(2), {
      env,
      cwd: process.cwd(),
      streams,
      signal,
      setInterruptMode: setMode,
    });
  } catch (error) {
    // The .env file cannot be read.
    stderr.write(`trawl: ${describeError(error)}\n`);
    process.exitCode = EXIT.usage;
  }
}
