import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { CoverageWriter } from '../coverage/coverage.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import type { OpenedCrawl, Resumption } from '../schema/messages.ts';
import { crawlTree, crawls } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { isAmongIds } from './crawl-tree.ts';

/** Nobody keeps the crawl to himself, and nothing holds it up. */
export const NO_HOLDS = { lockedBy: null, lockExpiresAt: null, resumeAt: null };

/** Whoever works on the crawl finds out: what was leased before commits nothing (invariant 3). */
const fenced = { leaseToken: sql`${crawls.leaseToken} + 1` };

type Identity = Pick<CrawlRow, 'kind' | 'target' | 'options'>;

/** Crawls stopped and started again at somebody's word, inside the caller's transaction. */
export function prepareCancelResume(
  db: Db,
  { coverage, unfinished }: { coverage: CoverageWriter; unfinished: (crawl: Identity) => number | undefined },
) {
  const byId = db
    .select()
    .from(crawls)
    .where(eq(crawls.id, sql.placeholder('id')))
    .prepare();

  return {
    cancel(ids: readonly number[], at: number): number[] {
      const cancelled = db
        .update(crawls)
        .set({ ...NO_HOLDS, ...fenced, state: 'cancelled', reason: null, finishedAt: at, updatedAt: at })
        .where(and(or(isAmongIds(crawls.id, ids), ownChildren(ids)), isNull(crawls.finishedAt)))
        .returning({ id: crawls.id })
        .all()
        .map(({ id }) => id);
      for (const id of cancelled) coverage.closeGap(id, { state: 'cancelled' }, at);
      return cancelled.toSorted((a, b) => a - b);
    },

    resume(again: readonly Resumption[], at: number): OpenedCrawl[] {
      return again.flatMap(({ id, options, runId = null }): OpenedCrawl[] => {
        const crawl = byId.get({ id });
        if (!crawl) return [];
        // An unfinished crawl of the same identity stands for this one; it may be this one.
        const other = unfinished({ ...crawl, options });
        if (other !== undefined) return [{ id: other, isJoined: true }];
        if (crawl.finishedAt === null) return [{ id, isJoined: true }];
        db.update(crawls)
          .set({ ...NO_HOLDS, ...fenced, ...AGAIN, options, runId, updatedAt: at })
          .where(eq(crawls.id, id))
          .run();
        coverage.reopenGap(id, at);
        return [{ id, isJoined: false }];
      });
    },
  };
}

const AGAIN = {
  state: 'queued',
  reason: null,
  ending: null,
  error: null,
  consecutiveFailures: 0,
  finishedAt: null,
} as const;

/** Crawls that came of these and are wanted by nobody else: not by another family that was not cancelled itself. */
const ownChildren = (ids: readonly number[]) =>
  and(
    isAmongIds(crawls.rootId, ids),
    sql`not exists (select 1 from ${crawlTree} join ${crawls} root on root.id = ${crawlTree.rootId}
      where ${crawlTree.descendantId} = ${crawls.id} and root.state <> 'cancelled'
        and not ${isAmongIds(crawlTree.rootId, ids)})`,
  );
