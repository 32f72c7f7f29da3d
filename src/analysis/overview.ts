import { and, count, desc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import type { CrawlRow } from '../store/messages.ts';
import { crawls, quotaSamples } from '../store/schema.ts';
import { type Rate, ratesAt, sentSince } from './rates.ts';
import { unknownRequests } from './spending.ts';

export type CrawlState = CrawlRow['state'];

/** A store's crawls at one moment. */
export interface Overview {
  readonly at: number;
  readonly counts: readonly { readonly kind: string; readonly state: CrawlState; readonly n: number }[];
  /** Crawls that are running or paused, the latest to move first, and how many there are in all. */
  readonly moving: { readonly crawls: readonly CrawlRow[]; readonly total: number };
  /** The paused ones, by what they wait for, and when the first of them goes on. */
  readonly paused: readonly { readonly reason: string | null; readonly n: number; readonly until: number | null }[];
  /** The `trawl crawl` runs that keep unfinished crawls to themselves, by name, with until when. */
  readonly claims: readonly { readonly claimedBy: string; readonly claimedUntil: number }[];
  /** What token-info said last, and how many requests are on record since. */
  readonly sample: (typeof quotaSamples.$inferSelect & { readonly sentSince: number }) | undefined;
  readonly rates: readonly Rate[];
  /** The most requests that killed workers may have sent and not recorded. */
  readonly unknownRequests: number;
}

const SHOWN = 10;

export function overviewAt(db: Db, now: number): Overview {
  const counts = db
    .select({ kind: crawls.kind, state: crawls.state, n: count() })
    .from(crawls)
    .groupBy(crawls.kind, crawls.state)
    .all();
  const sample = db.select().from(quotaSamples).orderBy(desc(quotaSamples.id)).limit(1).get();
  const isMoving = inArray(crawls.state, ['running', 'paused']);
  return {
    at: now,
    counts,
    moving: {
      crawls: db.select().from(crawls).where(isMoving).orderBy(desc(crawls.updatedAt), crawls.id).limit(SHOWN).all(),
      total: counts.filter(({ state }) => state === 'running' || state === 'paused').reduce((sum, { n }) => sum + n, 0),
    },
    paused: db
      .select({ reason: crawls.reason, n: count(), until: sql<number | null>`min(${crawls.resumeAt})` })
      .from(crawls)
      .where(eq(crawls.state, 'paused'))
      .groupBy(crawls.reason)
      .all(),
    claims: db
      .select({ claimedBy: sql<string>`${crawls.claimedBy}`, claimedUntil: sql<number>`max(${crawls.claimedUntil})` })
      .from(crawls)
      .where(and(isNull(crawls.finishedAt), gt(crawls.claimedUntil, now)))
      .groupBy(crawls.claimedBy)
      .all(),
    sample: sample && { ...sample, sentSince: sentSince(db, sample.at) },
    rates: ratesAt(db, now),
    unknownRequests: unknownRequests(db),
  };
}
