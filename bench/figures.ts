import { peers } from './peers/list.ts';

/** The measured figures. A missed bar fails the bench; a want is a goal. */

export interface Figure {
  /** The scene that measures it. */
  readonly scene: string;
  readonly name: string;
  readonly title: string;
  readonly unit?: string;
  readonly direction: 'at least' | 'at most';
  /** The required value; null if there is none. */
  readonly bar: number | null;
  readonly want: number | null;
}

type FigureOfScene = Omit<Figure, 'scene'>;
type Limit = number | null;

const atLeast = (name: string, title: string, bar: Limit, want: Limit, unit?: string): FigureOfScene => ({
  name,
  title,
  bar,
  want,
  direction: 'at least',
  ...(unit === undefined ? {} : { unit }),
});
const atMost = (name: string, title: string, bar: Limit, want: Limit, unit?: string): FigureOfScene => ({
  ...atLeast(name, title, bar, want, unit),
  direction: 'at most',
});

/** By scene. Peers bring their own bars. */
const FIGURES: Readonly<Record<string, readonly FigureOfScene[]>> = {
  'pace-32-0ms': [
    atLeast('pace-32-0ms', '32 crawls, 0 ms, all features on: pace over drain + parse', 0.18, 0.25),
    atLeast('pace-32-0ms-naive', '32 crawls, 0 ms: pace over the naive store with the same raw', 2.4, 4),
    atMost('lag-32-0ms', '32 crawls, 0 ms: p99 of the event-loop lag of the main thread', 15, 10, 'ms'),
    atMost('worker-memory', '32 crawls, 0 ms: peak memory of the worker', 230, 190, 'MB'),
  ],
  'pace-1-0ms': [atLeast('pace-1-0ms', '1 crawl, 0 ms: pace over drain + parse', null, null)],
  'pace-32-100ms': [atLeast('pace-32-100ms', '32 crawls, 100 ms: pace over drain only', 0.95, 0.97)],
  'pace-32-20ms': [atLeast('pace-32-20ms', '32 crawls, 20 ms: pace over drain only', 0.5, 0.6)],
  'pace-1-100ms': [atLeast('pace-1-100ms', '1 crawl, 100 ms: pace over drain only', 0.97, 0.99)],
  'pace-1-20ms': [atLeast('pace-1-20ms', '1 crawl, 20 ms: pace over drain only', 0.92, 0.97)],
  'page-cpu': [atMost('page-cpu', 'CPU per page, all threads, over that of the build named with --against', 0.56, 0.5)],
  recrawl: [
    atMost('recrawl', 're-crawl of unchanged pages over the first crawl, time', 0.35, 0.3),
    atMost('recrawl-changed', 're-crawl with 2 % of the users changed over the first crawl, time', 0.6, 0.5),
  ],
  growth: [
    atMost('growth-edge', 'CPU per edge at 5 M edges over that at 1 M, with indexes in both directions', 1.2, 1.1),
    atMost('growth-edge-20m', 'CPU per edge at 20 M edges over that at 1 M', 1.35, 1.15),
    atMost('growth-memory', 'peak memory of a process that writes 5 M edges', 250, 150, 'MB'),
    atMost('growth-flat', 'its peak at 5 M edges over that at 1 M', 1.05, 1.0),
  ],
  merge: [
    atMost('merge-cpu', 'first merge of a lake: CPU over that of storing its pages', 1.1, 1),
    atMost('merge-memory', 'the same: peak memory', 300, 200, 'MB'),
    atMost('merge-round', 'merge of 1 % new facts: CPU over that of the first merge', 0.03, 0.02),
    atMost('fact-edge', 'files of a lake per edge, with the sightings of its accounts', null, null, 'bytes'),
  ],
  bullmq: [atMost('bullmq-commands', 'commands to Redis per page for the queue', 1, 0.2)],
  quota: [
    atMost(
      'quota-refused',
      'four processes and other clients on one key, three windows and one without token-info: refused requests of trawl',
      0,
      0,
    ),
    atLeast('quota-spent', 'the same: spent share of the quota above the reserve while crawls waited', 0.97, 0.99),
  ],
  schedule: [
    atLeast(
      'schedule-yield',
      '1,000 accounts, 30 days: new rows per request, interval by account over one interval',
      1.5,
      2,
    ),
    atMost(
      'schedule-delay',
      'the same with as many requests: time from a tweet to its row, over one interval',
      0.8,
      0.7,
    ),
    atMost(
      'schedule-longest',
      'the same: longest time without a crawl of an account, over the greatest interval',
      1,
      1,
    ),
  ],
  twin: [
    atLeast('twin-profile', 'twin, 1 M users: profiles per second over a bare route', 0.6, 0.8),
    atMost('twin-profile-p99', "twin, profiles: p99 over the bare route's", 3, 1.5),
    atLeast('twin-followers', 'twin, 1 M users: pages of 100 followers per second over a bare route', 0.35, 0.7),
    atMost('twin-followers-p99', "twin, pages of 100 followers: p99 over the bare route's", 3, 1.5),
    atLeast('twin-profile-first', 'twin: profiles not requested before, over a bare route', 0.25, 0.4),
    atLeast('twin-followers-first', 'twin: pages of 100 followers not requested before, over a bare route', 0.12, 0.2),
  ],
  peers: peers.map(({ name, what, bar = null, want = null }) =>
    atLeast(`peer-${name}`, `pace over ${what}`, bar, want),
  ),
  'long-run': [
    atMost('long-run-memory', 'worker at full pace for ten minutes: highest memory', 230, 190, 'MB'),
    atMost('long-run-memory-slope', 'the same: growth of its memory', 1, 0.5, 'MB/min'),
    atMost('long-run-descriptors-slope', 'the same: growth of its open descriptors', 0.5, 0.1, '/min'),
    atMost('long-run-wal', 'the same: largest WAL', null, null, 'MB'),
  ],
};

export const allFigures: readonly Figure[] = Object.entries(FIGURES).flatMap(([scene, figures]) =>
  figures.map((figure) => ({ scene, ...figure })),
);
