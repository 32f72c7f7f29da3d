import { count, desc, inArray } from 'drizzle-orm';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { crawls, quotaSamples } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { countUnknownRequests, type Rate, readRates, countRequestsSince } from './throughput.ts';

/** The crawls of a store at a point in time. */
export interface Overview {
  readonly at: number;
  readonly counts: readonly { readonly kind: string; readonly state: CrawlRow['state']; readonly n: number }[];
  /** Running and paused crawls, the last updated first, and their total number. */
  readonly active: { readonly crawls: readonly CrawlRow[]; readonly total: number };
  /** Paused crawls by reason, with the time at which the first of them resumes. */
  readonly paused: readonly { readonly reason: string | null; readonly n: number; readonly until: number | null }[];
  /** Soft locks of `trawl crawl` runs, with their expiry. */
  readonly softLocks: readonly { readonly lockedBy: string; readonly lockExpiresAt: number }[];
  /** The last sample of token-info, with the number of requests recorded since. */
  readonly sample: (typeof quotaSamples.$inferSelect & { readonly sentSince: number }) | undefined;
  readonly rates: readonly Rate[];
  /** The maximum number of requests that killed workers sent without a record. */
  readonly unknownRequests: number;
}

const SHOWN = 10;

/** Reads indexes and a few rows, whatever the number of crawls. */
export function readOverview(db: Db, now: number): Overview {
  const counts = db
    .select({ kind: crawls.kind, state: crawls.state, n: count() })
    .from(crawls)
    .groupBy(crawls.state, crawls.kind)
    .orderBy(crawls.kind, crawls.state)
    .all();
  return {
    at: now,
    counts,
    active: {
      crawls: readLatestActive(db),
      total: counts.filter(({ state }) => state === 'running' || state === 'paused').reduce((sum, { n }) => sum + n, 0),
    },
    paused: db.$client
      .prepare<[], Overview['paused'][number]>(
        `select reason, count(*) as n, min(resume_at) as until
         from crawls indexed by crawls_paused_reason where state = 'paused' group by reason`,
      )
      .all(),
    softLocks: readSoftLocks(db, now),
    sample: readLatestSample(db),
    rates: readRates(db, now),
    unknownRequests: countUnknownRequests(db),
  };
}

/** Reads the last response of token-info, with the number of requests recorded since. */
export function readLatestSample(db: Db): Overview['sample'] {
  const sample = db.select().from(quotaSamples).orderBy(desc(quotaSamples.id)).limit(1).get();
  return sample && { ...sample, sentSince: countRequestsSince(db, sample.sampledAt) };
}

/** Running crawls are few; paused crawls have an index over `updated_at`. */
function readLatestActive(db: Db): CrawlRow[] {
  const ids = db.$client
    .prepare<[{ shown: number }], number>(
      `select * from (select id from crawls where state = 'running' order by updated_at desc, id limit @shown)
       union all
       select * from (select id from crawls indexed by crawls_paused where state = 'paused'
         order by updated_at desc, id limit @shown)`,
    )
    .pluck()
    .all({ shown: SHOWN });
  const latest = db.select().from(crawls).where(inArray(crawls.id, ids));
  return latest.orderBy(desc(crawls.updatedAt), crawls.id).limit(SHOWN).all();
}

/** Steps from run to run in the index, since a run may lock very many crawls. An ended crawl has no lock. */
const readSoftLocks = ({ $client }: Db, now: number): Overview['softLocks'] =>
  $client
    .prepare<[number], Overview['softLocks'][number]>(
      `with recursive runs (name) as (
         select min(locked_by) from crawls where locked_by is not null
         union all
         select (select min(locked_by) from crawls where locked_by > runs.name) from runs where runs.name is not null
       )
       select name as lockedBy, (select max(lock_expires_at) from crawls where locked_by = runs.name) as lockExpiresAt
       from runs where name is not null and lockExpiresAt > ?`,
    )
    .all(now);
