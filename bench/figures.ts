import { peers } from './peers/list.ts';

/** The measured figures. A missed bar fails the bench; a want is a goal. */

export interface Figure {
  readonly name: string;
  readonly title: string;
  readonly unit?: string;
  readonly direction: 'at least' | 'at most';
  /** The required value; null if there is none. */
  readonly bar: number | null;
  readonly want: number | null;
}

const atLeast = (name: string, title: string, bar: number | null, want: number | null, unit?: string): Figure => ({
  ...{ name, title, bar, want, direction: 'at least' },
  ...(unit === undefined ? {} : { unit }),
});
const atMost = (name: string, title: string, bar: number | null, want: number | null, unit?: string): Figure => ({
  ...atLeast(name, title, bar, want, unit),
  direction: 'at most',
});

const figures: readonly Figure[] = [
  atLeast('pace-32-0ms', '32 crawls, 0 ms, all features on: pace over drain + JSON.parse', 0.17, 0.3),
  atLeast('pace-32-0ms-naive', '32 crawls, 0 ms: pace over the naive store with the same raw', 2.4, 4),
  atMost('lag-32-0ms', '32 crawls, 0 ms: p99 of the event-loop lag of the main thread', 15, 10, 'ms'),
  atMost('worker-memory', '32 crawls, 0 ms: peak memory of the worker', 250, 150, 'MB'),
  atLeast('pace-1-0ms', '1 crawl, 0 ms: pace over drain + JSON.parse', null, null),
  atLeast('pace-32-100ms', '32 crawls, 100 ms: pace over drain only', 0.86, 0.97),
  atLeast('pace-32-20ms', '32 crawls, 20 ms: pace over drain only', 0.38, 0.65),
  atLeast('pace-1-100ms', '1 crawl, 100 ms: pace over drain only', 0.97, 0.99),
  atLeast('pace-1-20ms', '1 crawl, 20 ms: pace over drain only', 0.92, 0.97),
  atMost('wal-per-user', 'bytes written to the WAL per user, raw apart', 2500, 1200, 'B'),
  atMost('recrawl', 're-crawl of unchanged pages over the first crawl, time', 0.6, 0.4),
  atMost('growth-edge', 'CPU per edge at 5 M edges over that at 1 M, with indexes in both directions', 1.25, 1.05),
  atMost('growth-memory', 'peak memory of a process that writes 5 M edges', 250, 150, 'MB'),
  atMost('growth-flat', 'its peak at 5 M edges over that at 1 M', 1.05, 1.0),
  atMost('statements', 'hot statements through the store over the same SQL in raw better-sqlite3, CPU', 1.25, 1.1),
  atLeast('share', 'four processes on one file for 10 s: the smallest share of commits', 0.1, 0.2),
  atMost('bullmq-cpu', "BullMQ's share of the CPU on a long crawl", 0.02, 0.01),
  atMost('bullmq-commands', 'commands to Redis per page for the queue', 1, 0.2),
  atMost(
    'quota-refused',
    'four processes and other clients on one key for three windows: refused requests of trawl',
    0,
    0,
  ),
  atLeast('quota-spent', 'the same: spent share of the quota above the reserve while crawls waited', 0.97, 0.99),
  atLeast('twin-profile', 'twin, 1 M users: profiles per second over a bare route', 0.6, 0.8),
  atMost('twin-profile-p99', "twin, profiles: p99 over the bare route's", 3, 1.5),
  atLeast('twin-followers', 'twin, 1 M users: pages of 100 followers per second over a bare route', 0.35, 0.7),
  atMost('twin-followers-p99', "twin, pages of 100 followers: p99 over the bare route's", 3, 1.5),
  atLeast('twin-profile-first', 'twin: profiles not requested before, over a bare route', null, 0.6),
  atLeast('twin-followers-first', 'twin: pages of 100 followers not requested before, over a bare route', null, 0.35),
];

/** Peers bring their own bars. */
export const allFigures: readonly Figure[] = [
  ...figures,
  ...peers.map(({ name, what, bar = null, want = null }) => atLeast(`peer-${name}`, `pace over ${what}`, bar, want)),
];
