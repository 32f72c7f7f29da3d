import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'undici';
import { type ServedLists, type ServerUsage, USAGE_PATH, VERSION_PATH } from './load-service.ts';

/** The arguments and the report of a measured process, each one line of JSON. */

export interface RunArguments {
  readonly url: string;
  readonly targets: readonly string[];
  /** Other lists, read before the measurement, so that the code is compiled. */
  readonly warm: ServedLists;
  /** The number of lists that are read concurrently. */
  readonly concurrency: number;
  /** The total number of pages, and of the edges and people on them. */
  readonly pages: number;
  readonly edges: number;
  readonly people: number;
  /** The database to create; empty if nothing is stored. */
  readonly db: string;
}

export interface RunResult {
  readonly pages: number;
  readonly wallMs: number;
  /** User and system time of this process, all threads, and of its main thread. */
  readonly cpuMs: number;
  readonly mainMs?: number | undefined;
  /** CPU of the load server over wall time; near 1, the server is the bottleneck. */
  readonly serverShare: number;
  /** Further figures of a variant. */
  readonly more?: Readonly<Record<string, number>> | undefined;
}

export const readArguments = <T>(): T => JSON.parse(process.argv[2]!) as T;

export const report = (result: object): void => void process.stdout.write(`${JSON.stringify(result)}\n`);

/** Returns the CPU that the load server has used so far. */
async function readServerUsage(url: string, path = USAGE_PATH): Promise<ServerUsage> {
  const { body } = await request(`${url}${path}`);
  return (await body.json()) as ServerUsage;
}

/** Makes the load server serve this version of its pages from now on: 0, or 1 with changed users. */
export const selectVersion = async (url: string, version: number): Promise<void> =>
  void (await readServerUsage(url, `${VERSION_PATH}${version}`));

/** Returns CPU milliseconds by thread of this process; empty without procfs. The main thread has the id of the process. */
export function threadTimes(): Map<number, number> {
  try {
    const tasks = readdirSync('/proc/self/task');
    return new Map(
      tasks.map((task) => [Number(task), readCpuTime(readFileSync(`/proc/self/task/${task}/schedstat`, 'utf8'))]),
    );
  } catch {
    return new Map();
  }
}

const readCpuTime = (schedstat: string): number => Number(schedstat.split(' ')[0]) / 1e6;

/** Measures the pages that the load server serves during `work`, and the CPU that it uses. */
export async function measureServer(
  url: string,
  work: () => Promise<void>,
): Promise<Pick<RunResult, 'pages' | 'wallMs' | 'serverShare'>> {
  const before = await readServerUsage(url);
  const startedAt = performance.now();
  await work();
  const wallMs = performance.now() - startedAt;
  const after = await readServerUsage(url);
  return { pages: after.pages - before.pages, wallMs, serverShare: (after.cpuUs - before.cpuUs) / 1000 / wallMs };
}

/** Measures the CPU of this process and of the load server during `work`. */
export async function measureRun(url: string, work: () => Promise<void>): Promise<RunResult> {
  const threads = threadTimes();
  const cpu = process.cpuUsage();
  let used = cpu;
  const served = await measureServer(url, async () => {
    await work();
    used = process.cpuUsage(cpu);
  });
  const mainMs = (threadTimes().get(process.pid) ?? Number.NaN) - (threads.get(process.pid) ?? Number.NaN);
  return {
    ...served,
    cpuMs: (used.user + used.system) / 1000,
    mainMs: Number.isNaN(mainMs) ? undefined : mainMs,
  };
}
