import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'undici';
import type { ServerUse } from './load-server.ts';

/** What every measured process is given, and what it reports: one JSON line each way. */

export interface RunArguments {
  readonly url: string;
  readonly targets: readonly string[];
  /** Other lists, walked before anything counts: a crawler runs for hours, and so its code is hot. None: start cold. */
  readonly warm: readonly string[];
  /** Lists that are followed at the same time. */
  readonly chains: number;
  /** Pages there are, all in all; and the edges and people on them. */
  readonly pages: number;
  readonly edges: number;
  readonly people: number;
  /** A database to make; absent where nothing is stored. */
  readonly db: string;
}

export interface RunResult {
  readonly pages: number;
  readonly wallMs: number;
  /** User and system time of this process, all threads, and of its main thread. */
  readonly cpuMs: number;
  readonly mainMs?: number | undefined;
  /** The load server's CPU over the wall time: near 1 it would be what is measured. */
  readonly serverShare: number;
  /** Whatever else a variant tells. */
  readonly more?: Readonly<Record<string, number>> | undefined;
}

export const readArguments = <T>(): T => JSON.parse(process.argv[2]!) as T;

export const report = (result: object): void => void process.stdout.write(`${JSON.stringify(result)}\n`);

/** What the load server has used so far. */
async function serverUse(url: string): Promise<ServerUse> {
  const { body } = await request(`${url}/use`);
  return (await body.json()) as ServerUse;
}

/** Milliseconds on a CPU, by thread of this process; empty where the system does not tell. The main thread's is its pid. */
export function threadTimes(): Map<number, number> {
  try {
    const tasks = readdirSync('/proc/self/task');
    return new Map(
      tasks.map((task) => [Number(task), onCpu(readFileSync(`/proc/self/task/${task}/schedstat`, 'utf8'))]),
    );
  } catch {
    return new Map();
  }
}

const onCpu = (schedstat: string): number => Number(schedstat.split(' ')[0]) / 1e6;

/** Measures what `work` costs this process, and how busy the load server was meanwhile. */
export async function measured(url: string, work: () => Promise<void>): Promise<RunResult> {
  const before = await serverUse(url);
  const threads = threadTimes();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  const after = await serverUse(url);
  const mainMs = (threadTimes().get(process.pid) ?? Number.NaN) - (threads.get(process.pid) ?? Number.NaN);
  return {
    pages: after.pages - before.pages,
    wallMs,
    cpuMs: (user + system) / 1000,
    mainMs: Number.isNaN(mainMs) ? undefined : mainMs,
    serverShare: (after.cpuUs - before.cpuUs) / 1000 / wallMs,
  };
}
