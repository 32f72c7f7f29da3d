import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunArguments, RunResult } from './child.ts';
import { type Rounds, spread, type Spread } from './interleave.ts';
import type { ServerOptions } from './load-service.ts';
import { type LoadServer, run, startServer } from './processes.ts';
import type { TrawlArguments } from './trawl.ts';

/** Common parts of scenes: set-up, variants and reports. */

export interface Setting {
  /** The build to measure. */
  readonly dist: string;
  /** The directory of databases. */
  readonly directory: string;
  /** Rounds per variant, if given. */
  readonly rounds: number | undefined;
  /** Fewer pages and rounds, for a first impression. */
  readonly quick: boolean;
  /** Edges that are merged, if given. */
  readonly edges?: number | undefined;
  /** Another build to compare the CPU per page with. */
  readonly against?: string | undefined;
  readonly log: (line: string) => void;
}

export const FULL_ROUNDS = 5;

/** Rounds of a variant. */
export const roundsOf = ({ rounds, quick }: Setting): number => rounds ?? (quick ? 1 : FULL_ROUNDS);

export interface Measured {
  readonly figures: Readonly<Record<string, Spread>>;
  /** Figures that are not compared with their bars in this run. */
  readonly indicative?: readonly string[];
  /** Further observations. */
  readonly notes: Readonly<Record<string, Spread>>;
  /** The reasons why figures were not measured, by figure. */
  readonly missing?: Readonly<Record<string, string>>;
}

export interface Scene {
  readonly name: string;
  /** Runs only if it is named with --only. */
  readonly onlyByName?: true;
  /** Returns why the scene cannot run; undefined if it can. */
  readonly skip?: (setting: Setting) => string | undefined;
  readonly measure: (setting: Setting) => Promise<Measured>;
}

export interface Load extends Pick<ServerOptions, 'changedShare'> {
  readonly concurrency: number;
  readonly latencyMs: number;
  readonly pages: readonly [full: number, quick: number];
}

/** The load of a variant, without its database. */
export type Size = Omit<RunArguments, 'db'>;

const PER_PAGE = 100;
/** Per warm-up list: in all, a thousand pages, or a hundred. */
const WARM_PAGES = { full: 32, quick: 4 };

/** Starts a load server for as long as `use` takes. */
export async function withLoad<T>(
  load: Load,
  { quick }: Pick<Setting, 'quick'>,
  use: (size: Size, server: LoadServer) => Promise<T>,
): Promise<T> {
  const { concurrency, latencyMs, changedShare } = load;
  const pagesPerTarget = load.pages[quick ? 1 : 0];
  const warmPages = WARM_PAGES[quick ? 'quick' : 'full'];
  const size = { targets: concurrency, pagesPerTarget, perPage: PER_PAGE, seed: 1 };
  await using server = await startServer({ ...size, latencyMs, warmPages, changedShare });
  const { url, targets, edges, people, warm } = server;
  return await use({ url, targets, warm, concurrency, pages: pagesPerTarget * concurrency, edges, people }, server);
}

let databaseCount = 0;
/** Provides the path of a database, and removes its files afterwards. */
export async function withDatabase<T>({ directory }: Setting, use: (db: string) => Promise<T>): Promise<T> {
  const db = join(directory, `${(databaseCount += 1)}.db`);
  try {
    return await use(db);
  } finally {
    for (const ending of ['', '-wal', '-shm', '-journal', '-quota', '-quota-wal', '-quota-shm'])
      rmSync(`${db}${ending}`, { force: true });
  }
}

/** The minimum work of a crawler, repeated where it is too short to measure. */
export const drain = (size: Size, parse: boolean, isRepeated: boolean) => (): Promise<RunResult> =>
  run('bounds/drain.ts', {
    ...size,
    db: '',
    parse,
    ...(isRepeated ? { warmUpPasses: 4, passes: 3 } : { warmUpPasses: 1, passes: 1 }),
  });

export const naive = (setting: Setting, size: Size) => (): Promise<RunResult> =>
  withDatabase(setting, (db) => run('bounds/naive.ts', { ...size, db }));

/** Runs trawl in one process. Reports the first crawl, and the second one with `again`. */
async function runTrawl(
  db: string,
  { dist }: Setting,
  size: Size,
  options: Partial<TrawlArguments> = {},
): Promise<RunResult[]> {
  const args: TrawlArguments = { ...size, db, dist, versions: [0], ...options };
  return (await run<{ results: RunResult[] }>('trawl.ts', args)).results;
}

export const trawlRuns = (setting: Setting, size: Size, options: Partial<TrawlArguments> = {}): Promise<RunResult[]> =>
  withDatabase(setting, (db) => runTrawl(db, setting, size, options));

export const trawl =
  (setting: Setting, size: Size, options: Partial<TrawlArguments> = {}) =>
  async (): Promise<RunResult> =>
    (await trawlRuns(setting, size, options))[0]!;

export const pagesPerSecond = ({ pages, wallMs }: RunResult): number => (pages / wallMs) * 1000;
export const cpuPerPage = ({ pages, cpuMs }: RunResult): number => (cpuMs / pages) * 1000;

/** Reports each run. */
export const createResultLogger =
  (scene: string, { log }: Setting) =>
  (variant: string, round: number, result: RunResult): void => {
    const { serverShare, mainMs, pages, more = {} } = result;
    const line = [
      `${scene} ${round + 1} ${variant}: ${formatNumber(pagesPerSecond(result))} pages/s`,
      `${formatNumber(cpuPerPage(result))} us CPU per page`,
      ...(mainMs === undefined ? [] : [`main thread ${formatNumber((mainMs / pages) * 1000)}`]),
      `load server busy ${formatNumber(serverShare)}`,
      ...Object.entries(more).map(([name, value]) => `${name} ${formatNumber(value)}`),
    ];
    log(line.join(' · '));
  };

export const formatNumber = (value: number): string =>
  Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));

/** Returns the reports of all runs. */
export function notesOf(scene: string, rounds: Rounds<RunResult>): Record<string, Spread> {
  const found: Record<string, Spread> = {};
  for (const [variant, results] of Object.entries(rounds)) {
    const add = (name: string, of: (result: RunResult) => number): void =>
      void (found[`${scene}, ${variant}: ${name}`] = spread(results.map(of)));
    add('pages/s', pagesPerSecond);
    add('us CPU per page', cpuPerPage);
    if (results[0]?.mainMs !== undefined)
      add('us CPU per page, main thread', ({ mainMs = Number.NaN, pages }) => (mainMs / pages) * 1000);
    add('load server busy', ({ serverShare }) => serverShare);
    for (const name of Object.keys(results[0]?.more ?? {})) add(name, ({ more }) => more?.[name] ?? Number.NaN);
  }
  return found;
}
