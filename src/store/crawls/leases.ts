import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { StaleLeaseError } from '#base/errors.ts';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import { boundValue, mergeColumns, takeSum } from '#store/merge/merge-rules.ts';
import type { CrawlSource, LeaseRelease, PageCommit } from '#store/schema/commit-messages.ts';
import { type CrawlRow, decodeCrawl } from '#store/schema/crawl-row.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';
import { crawls } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound, compileStatement, pickColumns, placeholders } from '#store/sqlite/statement.ts';
import { prepareCrawlSources } from './crawl-sources.ts';
import type { Runs } from './runs.ts';

/** The columns that a commit and its child crawls need. */
const LEASED_COLUMNS = {
  ...pickColumns(crawls, ['id', 'kind', 'target', 'targetRestId', 'options', 'items', 'newItems', 'startedAt']),
  ...pickColumns(crawls, ['rootId', 'runId', 'lockedBy', 'lockExpiresAt']),
};

export type LeasedCrawl = Pick<CrawlRow, keyof typeof LEASED_COLUMNS>;

/** The statements of leases, by the id of a crawl and the token of its lease. */
function prepareLeaseStatements(db: Db) {
  const isCrawl = eq(crawls.id, bound.id);
  const isUnfinished = and(isCrawl, isNull(crawls.finishedAt));
  const held = and(isUnfinished, eq(crawls.leaseToken, bound.lease));
  const findInFlight = compileStatement(
    db.select({ inFlight: crawls.inFlightRequests }).from(crawls).where(isUnfinished),
  );
  const take = db
    .update(crawls)
    .set({
      leaseToken: sql`${crawls.leaseToken} + 1`,
      unknownRequests: sql`${crawls.unknownRequests} + ${crawls.inFlightRequests}`,
      inFlightRequests: bound.inFlight,
      state: 'running',
      reason: null,
      resumeAt: null,
      startedAt: sql`coalesce(${crawls.startedAt}, ${bound.at})`,
      updatedAt: bound.at,
    })
    .where(isUnfinished)
    .returning()
    .prepare();
  const find = db
    .select(LEASED_COLUMNS)
    .from(crawls)
    .where(and(held, sql`${crawls.cursor} is ${bound.from}`))
    .prepare();
  const advance = compileStatement(
    db
      .update(crawls)
      .set({
        ...placeholders(crawls, ['cursor', 'checkpoint', 'targetRestId']),
        ...addTo('pages', 'items', 'newItems', 'changes', 'rejectedItems', 'erasedItems', 'requests'),
        lastPageItems: sql`coalesce(${bound.lastPageItems}, ${crawls.lastPageItems})`,
        consecutiveFailures: 0,
        error: null,
        updatedAt: bound.at,
      })
      .where(held),
  );
  const released = {
    ...placeholders(crawls, ['state', 'reason', 'error', 'resumeAt', 'consecutiveFailures']),
    ...addTo('requests'),
  };
  const releasing = db.update(crawls).set({ ...released, inFlightRequests: 0, updatedAt: bound.at });
  const release = compileStatement(releasing.where(held));
  // The number in flight is that of the newest lease; a cancellation invalidates a lease without a successor.
  const isNewestLease = or(
    eq(crawls.leaseToken, bound.lease),
    and(isNotNull(crawls.finishedAt), eq(crawls.leaseToken, sql`${bound.lease} + 1`)),
  );
  const report = db
    .update(crawls)
    .set({
      ...addTo('requests'),
      inFlightRequests: sql`case when ${isNewestLease} then 0 else ${crawls.inFlightRequests} end`,
    })
    .where(isCrawl)
    .prepare();
  return { findInFlight, take, find, advance, release, report };
}

/** Leases of crawls: only the holder of the newest one may commit to a crawl or release it (invariant 3). */
export function prepareLeases(db: Db, runs: Runs) {
  const { findInFlight, take, find, advance, release, report } = prepareLeaseStatements(db);
  const updateSearchIndex = prepareSearchIndex(db);
  const recordSource = prepareCrawlSources(db);

  return {
    /**
     * Takes a lease. Requests of the previous lease that are still in flight are counted as unknown.
     * @param source what the crawl's requests are sent with; none if none are sent
     */
    takeLease(crawlId: number, at: number, inFlight = 0, source?: CrawlSource): StoredCrawl | undefined {
      const [unknown = 0] = (findInFlight.get({ id: crawlId }) as [number] | undefined) ?? [];
      if (unknown > 0) runs.countUnknownRequests(crawlId, at, unknown);
      const row = take.get({ id: crawlId, at, inFlight });
      if (row && source) recordSource(crawlId, source, at);
      return row && decodeCrawl(row);
    },

    recordRequests(crawlId: number, lease: number, sent: number): void {
      report.run({ id: crawlId, lease, requests: sent });
    },

    /**
     * Returns the crawl of a page. The page must have its lease and follow its cursor, so that no page is left out.
     * @throws StaleLeaseError
     */
    requireLease({ crawlId, lease, requestCursor }: PageCommit): LeasedCrawl {
      const crawl = find.get({ id: crawlId, lease, from: requestCursor });
      if (!crawl) throw stale(crawlId);
      return crawl;
    },

    /** Updates the checkpoint and the counters of a crawl. */
    advanceCheckpoint(
      page: PageCommit,
      { newItems, changes, erasedItems }: Readonly<Record<'newItems' | 'changes' | 'erasedItems', number>>,
    ): void {
      const { crawlId, lease, at, progress, requests } = page;
      const isPage = progress.pages > 0;
      advance.run({
        id: crawlId,
        lease,
        at,
        ...progress,
        checkpoint: progress.checkpoint && JSON.stringify(progress.checkpoint),
        newItems,
        changes,
        erasedItems: isPage ? erasedItems : 0,
        lastPageItems: isPage ? progress.items : null,
        requests: requests.length,
      });
    },

    /** @throws StaleLeaseError */
    releaseLease({ crawlId, failures, requests, ...columns }: LeaseRelease): void {
      const counts = { consecutiveFailures: failures, requests: requests.length };
      updateSearchIndex();
      const { changes } = release.run({ ...columns, ...counts, id: crawlId });
      if (changes === 0) throw stale(crawlId);
    },
  };
}

const addTo = (...names: (keyof CrawlRow)[]) => mergeColumns(crawls, names, takeSum, boundValue);

const stale = (crawlId: number): StaleLeaseError =>
  new StaleLeaseError(`the lease of crawl ${crawlId} is stale`, {
    hint: 'Another worker took the crawl over, or it has ended.',
  });
