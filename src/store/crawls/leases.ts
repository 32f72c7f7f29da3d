import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { StaleLeaseError } from '../../errors.ts';
import { decodeCrawl } from '../schema/crawl-row.ts';
import type { LeaseRelease, PageCommit } from '../schema/messages.ts';
import type { StoredCrawl } from '../schema/query-results.ts';
import { crawls } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, placeholder } from '../sqlite/statement.ts';
import type { prepareRuns } from './runs.ts';

/** What a commit needs to know of its crawl, and the crawls that come of it. */
const { id, kind, target, targetRestId, options, items, newItems, startedAt, rootId, runId, lockedBy, lockExpiresAt } =
  crawls;
const leasedColumns = {
  ...{ id, kind, target, targetRestId, options, items, newItems, startedAt },
  ...{ rootId, runId, lockedBy, lockExpiresAt },
};

/** Invariant 3, one writer per crawl: only who holds the newest lease moves it on, or gives it back. */
export function prepareLeases(db: Db, runs: Pick<ReturnType<typeof prepareRuns>, 'countUnknownRequests'>) {
  const held = and(
    eq(id, sql.placeholder('id')),
    eq(crawls.leaseToken, sql.placeholder('lease')),
    isNull(crawls.finishedAt),
  );
  const lost = compileStatement(
    db
      .select({ inFlight: crawls.inFlightRequests })
      .from(crawls)
      .where(and(eq(id, sql.placeholder('id')), isNull(crawls.finishedAt))),
  );
  const take = db
    .update(crawls)
    .set({
      leaseToken: sql`${crawls.leaseToken} + 1`,
      unknownRequests: sql`${crawls.unknownRequests} + ${crawls.inFlightRequests}`,
      inFlightRequests: placeholder('inFlight'),
      state: 'running',
      reason: null,
      resumeAt: null,
      startedAt: sql`coalesce(${startedAt}, ${sql.placeholder('at')})`,
      updatedAt: placeholder('at'),
    })
    .where(and(eq(id, sql.placeholder('id')), isNull(crawls.finishedAt)))
    .returning()
    .prepare();
  const find = db
    .select(leasedColumns)
    .from(crawls)
    .where(and(held, sql`${crawls.cursor} is ${sql.placeholder('from')}`))
    .prepare();
  const advance = compileStatement(
    db
      .update(crawls)
      .set({
        cursor: placeholder('cursor'),
        checkpoint: placeholder('checkpoint'),
        targetRestId: placeholder('targetRestId'),
        pages: sql`${crawls.pages} + ${sql.placeholder('pages')}`,
        items: sql`${items} + ${sql.placeholder('items')}`,
        lastPageItems: sql`coalesce(${sql.placeholder('lastPageItems')}, ${crawls.lastPageItems})`,
        newItems: sql`${newItems} + ${sql.placeholder('newItems')}`,
        changes: sql`${crawls.changes} + ${sql.placeholder('changes')}`,
        rejectedItems: sql`${crawls.rejectedItems} + ${sql.placeholder('rejectedItems')}`,
        requests: sql`${crawls.requests} + ${sql.placeholder('requests')}`,
        consecutiveFailures: 0,
        error: null,
        updatedAt: placeholder('at'),
      })
      .where(held),
  );
  const giveBack = db
    .update(crawls)
    .set({
      state: placeholder('state'),
      reason: placeholder('reason'),
      error: placeholder('error'),
      resumeAt: placeholder('resumeAt'),
      consecutiveFailures: placeholder('failures'),
      requests: sql`${crawls.requests} + ${sql.placeholder('requests')}`,
      inFlightRequests: 0,
      updatedAt: placeholder('at'),
    })
    .where(held)
    .prepare();
  // Whoever reports has sent no more than this, unless a newer lease was taken: then it is that one's number.
  const isReporters = or(
    eq(crawls.leaseToken, sql.placeholder('lease')),
    and(isNotNull(crawls.finishedAt), eq(crawls.leaseToken, sql`${sql.placeholder('lease')} + 1`)),
  );
  const report = db
    .update(crawls)
    .set({
      requests: sql`${crawls.requests} + ${sql.placeholder('requests')}`,
      inFlightRequests: sql`case when ${isReporters} then 0 else ${crawls.inFlightRequests} end`,
    })
    .where(eq(id, sql.placeholder('id')))
    .prepare();

  return {
    /**
     * A new lease, which makes every earlier one stale; undefined when the crawl has ended. What the activation before it
     * had in flight, and never recorded, is counted as unknown.
     */
    takeLease(crawlId: number, at: number, inFlight: number): StoredCrawl | undefined {
      const [unknown = 0] = (lost.get({ id: crawlId }) as [number] | undefined) ?? [];
      if (unknown > 0) runs.countUnknownRequests(crawlId, at, unknown);
      const row = take.get({ id: crawlId, at, inFlight });
      return row && decodeCrawl(row);
    },

    /** Adds requests to a crawl's account on behalf of an activation that sends no more. */
    recordRequests(crawlId: number, lease: number, sent: number): void {
      report.run({ id: crawlId, lease, requests: sent });
    },

    /**
     * The crawl that a page is to be stored on top of the page before, or not at all: whoever is ahead of the store
     * cannot leave a hole. @throws StaleLeaseError
     */
    requireLease({ crawlId, lease, requestCursor }: Pick<PageCommit, 'crawlId' | 'lease' | 'requestCursor'>) {
      const crawl = find.get({ id: crawlId, lease, from: requestCursor });
      if (!crawl) throw stale(crawlId);
      return crawl;
    },

    /** Moves its checkpoint to the page, and adds the page to its counters. */
    advanceCheckpoint(page: PageCommit, found: number, changes: number): void {
      const { crawlId, lease, at, progress, requests } = page;
      const isPage = progress.pages > 0;
      advance.run({
        ...{ id: crawlId, lease, at, ...progress },
        checkpoint: progress.checkpoint && JSON.stringify(progress.checkpoint),
        newItems: isPage ? found : 0,
        changes,
        lastPageItems: isPage ? progress.items : null,
        requests: requests.length,
      });
    },

    /** @throws StaleLeaseError */
    releaseLease({ crawlId, lease, at, state, reason, error, resumeAt, failures, requests }: LeaseRelease): void {
      const { changes } = giveBack.run({
        ...{ id: crawlId, lease, at, state, failures, requests: requests.length },
        ...{ reason: reason ?? null, error: error ?? null, resumeAt: resumeAt ?? null },
      });
      if (changes === 0) throw stale(crawlId);
    },
  };
}

const stale = (crawlId: number): StaleLeaseError =>
  new StaleLeaseError(`crawl ${crawlId} is in other hands now`, {
    hint: 'Another worker took it over, or it has ended.',
  });
