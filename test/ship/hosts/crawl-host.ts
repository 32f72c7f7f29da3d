import { type CliProcess, spawnCli } from '../../support/cli.ts';

type Environment = Readonly<Record<string, string>>;

/** A command that is started again whenever it fails or is killed, as whoever runs it does. */
export interface SupervisedCommand {
  /** Every line of all its processes. */
  readonly lines: readonly string[];
  /** The exit codes of its processes, once one has succeeded: that of a killed one is null. */
  readonly ended: Promise<readonly (number | null)[]>;
  kill(signal: NodeJS.Signals): void;
}

const MAX_STARTS = 20;

function supervise(args: readonly string[], env: Environment): SupervisedCommand {
  const processes: CliProcess[] = [];
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
  const listLines = (): string[] => processes.flatMap(({ lines }) => lines);
  const ended = run();
  ended.catch(() => undefined);
  return {
    get lines() {
      return listLines();
    },
    ended,
    kill: (signal) => processes.at(-1)!.kill(signal),
  };
}

/** A machine that crawls: a database, a worker, and what runs beside it. */
export interface CrawlHost {
  readonly db: string;
  readonly env: Environment;
  readonly worker: SupervisedCommand;
  readonly shipping: SupervisedCommand | undefined;
}

export interface HostCommands {
  readonly work: readonly string[];
  /** Undefined if the worker ships itself. */
  readonly ship: readonly string[] | undefined;
}

/** Starts the processes of a host. They end with the test. */
export const startHost = (db: string, env: Environment, { work, ship }: HostCommands): CrawlHost => ({
  db,
  env,
  worker: supervise(work, env),
  shipping: ship && supervise(ship, env),
});

/** All processes of a host. */
export const commandsOf = ({ worker, shipping }: CrawlHost): SupervisedCommand[] =>
  shipping ? [worker, shipping] : [worker];
