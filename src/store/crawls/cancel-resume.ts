import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { CoverageWriter } from '#store/coverage/coverage.ts';
import type { Steps } from '#store/journal/journal-steps.ts';
import type { Outbox } from '#store/outbox/outbox.ts';
import type { OpenedCrawl, Resumption } from '#store/schema/commit-messages.ts';
import type { CrawlIdentity } from '#store/schema/query-results.ts';
import { crawlTree, crawls } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound } from '#store/sqlite/statement.ts';
import { isAmongIds } from './crawl-conditions.ts';

/** No soft lock and no pause. */
export const NO_HOLDS = { lockedBy: null, lockExpiresAt: null, resumeAt: null };

/** Invalidates the lease of a worker, which then commits nothing (invariant 3). */
const fenced = { leaseToken: sql`${crawls.leaseToken} + 1` };

interface CancelDependencies {
  readonly coverage: CoverageWriter;
  readonly steps: Steps;
  /** Returns the unfinished crawl of an identity. */
  readonly unfinished: (crawl: CrawlIdentity) => number | undefined;
  readonly outbox: Outbox;
}

/** Cancels and resumes crawls, inside the caller's transaction. */
export function prepareCancelResume(db: Db, { coverage, steps, unfinished, outbox }: CancelDependencies) {
  const byId = db.select().from(crawls).where(eq(crawls.id, bound.id)).prepare();

  return {
    /**
     * Cancels unfinished crawls, with child crawls that belong to no other tree. Their leases become stale. Returns the
     * ids of the cancelled crawls.
     */
    cancelCrawls(crawlIds: readonly number[], at: number): number[] {
      const rows = db
        .update(crawls)
        .set({ ...NO_HOLDS, ...fenced, state: 'cancelled', reason: null, finishedAt: at, updatedAt: at })
        .where(and(or(isAmongIds(crawls.id, crawlIds), ownChildren(crawlIds)), isNull(crawls.finishedAt)))
        .returning({ id: crawls.id })
        .all();
      const cancelled = rows.map(({ id }) => id).toSorted((a, b) => a - b);
      for (const id of cancelled) {
        coverage.closeGap(id, { state: 'cancelled' }, at);
        steps.recordIntervention(id, 'cancelled', at);
      }
      outbox.recordCrawls(cancelled, at);
      return cancelled;
    },

    /** Reopens ended crawls where they stopped. Returns the unfinished crawls in their place, in the same order. */
    resumeCrawls: (resumptions: readonly Resumption[], at: number): OpenedCrawl[] =>
      resumptions.flatMap(({ id, options, runId = null }): OpenedCrawl[] => {
        const crawl = byId.get({ id });
        if (!crawl) return [];
        // An unfinished crawl of the same identity is used instead; it may be the crawl itself.
        const other = unfinished({ ...crawl, options });
        if (other !== undefined) return [{ id: other, isJoined: true }];
        if (crawl.finishedAt === null) return [{ id, isJoined: true }];
        db.update(crawls)
          .set({ ...NO_HOLDS, ...fenced, ...REOPENED, options, runId, updatedAt: at })
          .where(eq(crawls.id, id))
          .run();
        coverage.reopenGap(id, at);
        steps.recordIntervention(id, 'resumed', at);
        outbox.recordCrawls([id], at);
        return [{ id, isJoined: false }];
      }),
  };
}

const REOPENED = {
  state: 'queued',
  reason: null,
  ending: null,
  error: null,
  consecutiveFailures: 0,
  finishedAt: null,
} as const;

/** Child crawls of these that belong to no other tree, except of cancelled crawls. */
const ownChildren = (ids: readonly number[]) =>
  and(
    isAmongIds(crawls.rootId, ids),
    sql`not exists (select 1 from ${crawlTree} join ${crawls} root on root.id = ${crawlTree.rootId}
      where ${crawlTree.descendantId} = ${crawls.id} and root.state <> 'cancelled'
        and not ${isAmongIds(crawlTree.rootId, ids)})`,
  );
