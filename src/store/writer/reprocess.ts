import { and, eq, isNull, not, sql } from 'drizzle-orm';
import { decideFinalEnd, type ListFacts } from '../../service/kinds/end-by-stored-facts.ts';
import { createListEnd, type Ending } from '../../service/kinds/end-states.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import { prepareRowsFilter } from '../erasure/incoming/filter-page.ts';
import { prepareShortLists } from '../evidence/short-lists.ts';
import { boundValue, mergeColumns, takeSum } from '../merge/merge-rules.ts';
import type { StoreRows } from '../merge/store-rows.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Observation } from '../schema/commit-messages.ts';
import type { EndedList } from '../schema/query-results.ts';
import { crawls, rejects } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement, pickColumns, placeholders } from '../sqlite/statement.ts';

/** A stored page that was parsed again. */
export interface ReprocessedPage extends Observation {
  readonly crawlId: number;
  readonly rawPageId: number;
  /** When it was parsed again. */
  readonly readAt: number;
}

export interface ReprocessResult {
  /** Rejected items that are stored now. */
  readonly resolved: number;
  /** New items. */
  readonly newItems: number;
}

/** Gaps below items that are readable now are ordinary gaps, which crawls may fill. */
export const RELEASE_GAPS = `update gaps set reason = 'interrupted' where reason = 'rejected_items'
  and not exists (select 1 from rejects r where r.crawl_id = gaps.crawl_id and r.resolved_at is null)`;

/** The crawl skipped items that another crawl rejected. */
const hasSkippedRejects = sql`coalesce(${crawls.checkpoint} ->> '$.hasSkippedRejects', 0)`;

/**
 * Stores the rows of an old page as an observation of its time (invariant 6). Coverage does not change: the next crawl of
 * the list fills the gaps. A crawl that was partial only because of items that are stored now gets the state of its end
 * (invariant 5).
 */
export function prepareReprocessing(db: Db, storeRows: StoreRows, outbox: Outbox) {
  const filterRows = prepareRowsFilter(db, outbox);
  const isOpenReject = and(eq(rejects.rawPageId, bound.rawPageId), isNull(rejects.resolvedAt));
  const openRejects = db.select({ id: rejects.id, path: rejects.path }).from(rejects).where(isOpenReject).prepare();
  const resolve = db.update(rejects).set({ resolvedAt: bound.at }).where(eq(rejects.id, bound.id)).prepare();
  const isCrawl = eq(crawls.id, bound.crawlId);
  const counts = mergeColumns(crawls, ['rejectedItems', 'items', 'newItems'], takeSum, boundValue);
  const recount = db.update(crawls).set(counts).where(isCrawl).prepare();
  const isCleared = and(
    eq(crawls.state, 'partial'),
    eq(crawls.reason, 'rejected_items'),
    eq(crawls.rejectedItems, 0),
    not(hasSkippedRejects),
  );
  const columns = pickColumns(crawls, ['kind', 'ending', 'targetRestId', 'startedAt', 'finishedAt']);
  const findCleared = db.select(columns).from(crawls).where(and(isCrawl, isCleared)).prepare();
  const shortLists = prepareShortLists(db);
  const end = placeholders(crawls, ['state', 'reason']);
  const finish = compileStatement(db.update(crawls).set(end).where(isCrawl));

  function readFacts(list: EndedList): ListFacts {
    const owner = shortLists.readOwner(list)!;
    const [seen, lacked] = shortLists.compareEdges({ ...list, userId: owner.userId });
    return shortLists.readFacts(list, owner, { shown: seen, seen, lacked });
  }

  /** Sets the end state of a crawl without rejected items. */
  function clear(crawlId: number): void {
    const crawl = findCleared.get({ crawlId });
    if (!crawl) return;
    const { kind, ending, targetRestId, startedAt, finishedAt } = crawl;
    const { edgeSide: side } = getKind(kind);
    const isList = side && ending === 'served' && targetRestId !== null && startedAt !== null;
    const list = isList
      ? readFacts({ side, owner: targetRestId, startedAt, finishedAt: finishedAt ?? startedAt })
      : undefined;
    const shown = createListEnd(kind, { ending: (ending ?? undefined) as Ending | undefined }, 0);
    const { state, reason } = decideFinalEnd(kind, shown, { list })!;
    finish.run({ crawlId, state, reason });
  }
  const releaseGaps = db.$client.prepare(`${RELEASE_GAPS} and crawl_id = ?`);

  return (page: ReprocessedPage): ReprocessResult => {
    const { crawlId, rawPageId, at, readAt } = page;
    const rows = filterRows(page.rows, at);
    const stillRejected = new Set(rows.rejects.map(({ path }) => path));
    const resolved = openRejects.all({ rawPageId }).filter(({ path }) => !stillRejected.has(path));
    const { newItems } = storeRows(rows, at, 0);
    outbox.recordObservation(crawlId, { at, rows });
    for (const { id } of resolved) resolve.run({ id, at: readAt });
    if (resolved.length > 0) {
      recount.run({ crawlId, rejectedItems: -resolved.length, items: newItems, newItems });
      clear(crawlId);
      releaseGaps.run(crawlId);
      outbox.recordCrawls([crawlId], readAt);
    }
    return { resolved: resolved.length, newItems };
  };
}
