import { type CliProcess, spawnCli } from '../../support/cli.ts';

/** A machine that crawls: a worker that is started again whenever it fails or is killed. */
export interface CrawlHost {
  /** Every line of all its processes. */
  readonly lines: readonly string[];
  /** The exit codes of its processes, once one has succeeded: that of a killed one is null. */
  readonly ended: Promise<readonly (number | null)[]>;
  kill(): void;
}

const MAX_STARTS = 20;

/** Starts the worker of a host. It ends with the test. */
export function startHost(args: readonly string[], env: Readonly<Record<string, string>>): CrawlHost {
  const processes: CliProcess[] = [];
  const listLines = (): string[] => processes.flatMap(({ lines }) => lines);
  async function run(): Promise<(number | null)[]> {
    const codes: (number | null)[] = [];
    while (codes.at(-1) !== 0) {
      if (codes.length === MAX_STARTS) throw new Error(`trawl ${args.join(' ')} fails:\n${listLines().join('\n')}`);
      const started = spawnCli(args, { env });
      processes.push(started);
      codes.push(await started.exited);
    }
    return codes;
  }
  const ended = run();
  ended.catch(() => undefined);
  return {
    get lines() {
      return listLines();
    },
    ended,
    kill: () => processes.at(-1)!.kill('SIGKILL'),
  };
}
