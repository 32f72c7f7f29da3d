import { MINUTE } from '#base/clock.ts';
import type { KindName } from '#service/kinds/kinds.ts';
import type { Plan } from '../sim/plan.ts';
import { simulate } from '../sim/run.ts';
import { openStorePool } from '../sim/stores.ts';

const HOUR = 60 * MINUTE;

type CrawlAct = Extract<Plan['acts'][number], { readonly what: 'crawl' }>;

const crawl = (
  at: number,
  kind: KindName,
  target: number,
  { priority = 'interactive', options = {} }: Partial<Pick<CrawlAct, 'priority' | 'options'>> = {},
): CrawlAct => ({ at, what: 'crawl', kind, target, byId: false, options, priority });

/** A number that the world of the simulation has no account for. */
const NOBODY = 34;

/** The crawls in the order of their numbers. */
const ACTS: readonly CrawlAct[] = [
  // Three long timelines share what the quota leaves to the lowest priority.
  crawl(1 * MINUTE, 'timeline', 0, { priority: 'backfill' }),
  crawl(1 * MINUTE, 'timeline', 1, { priority: 'backfill' }),
  crawl(1 * MINUTE, 'timeline', 2, { priority: 'backfill' }),
  crawl(5 * MINUTE, 'profile', 3),
  // Nobody has this handle.
  crawl(20 * MINUTE, 'profile', NOBODY),
  crawl(30 * MINUTE, 'timeline', 3, { options: { maxPages: 2 } }),
  crawl(40 * MINUTE, 'replies', 3),
  crawl(10 * HOUR + MINUTE, 'timeline', 3, { priority: 'backfill' }),
];

/** The numbers of these crawls. */
export const CRAWLS = { slow: [1, 2, 3], quick: 4, failed: 5, partial: 6, capped: 7, paused: 8 } as const;

/** When the service is out, after the start. */
const OUTAGE = { at: 2 * HOUR, lasts: 40 * MINUTE } as const;

/** The quota of an hour, and what is never used. */
export const QUOTA = { limit: 40, reserve: 4 } as const;

const PLAN: Plan = {
  seed: 10,
  size: {
    accounts: 4,
    posts: 550,
    edges: 20,
    groups: 0,
  },
  traits: {
    page: 2,
    single: 20,
    end: 'none',
    pinned: 'not',
    people: 'newest first',
    moreCursors: false,
    emptyIs404: false,
    sparse: 0,
  },
  quota: {
    limit: QUOTA.limit,
    windowMs: HOUR,
    sliding: false,
  },
  reserve: QUOTA.reserve,
  processes: 1,
  slots: 3,
  acts: ACTS,
  outages: [
    {
      ...OUTAGE,
      endpoints: ['user-profile', 'user-tweets', 'user-tweets-replies'],
      how: 'status 503',
      retryAfter: undefined,
    },
  ],
  changes: [],
  faults: [],
  disturbances: [],
  strangers: [],
};

/** The time of the run that the store shows. */
const SHOWN_MS = 10 * HOUR + 20 * MINUTE;

/**
 * Crawls a service for ten hours of virtual time with the engine, the governor, the circuit breaker and the writer of a
 * worker. Writes the store as it is after them, at the present time.
 */
export async function simulateTenHours(path: string): Promise<void> {
  using pool = await openStorePool();
  const look = (): void => void pool.db.exec(`vacuum into '${path}'`);
  const { failures } = await simulate(PLAN, pool, { begin: Date.now() - SHOWN_MS, observe: { at: SHOWN_MS, look } });
  if (failures.length > 0) throw new Error(JSON.stringify(failures));
}
