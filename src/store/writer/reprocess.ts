import { decideFinalEnd, type ListFacts, createListEnd, type Ending } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { prepareRowsFilter } from '#store/erasure/incoming/filter-page.ts';
import { prepareShortLists } from '#store/evidence/short-lists.ts';
import type { StoreRows } from '#store/merge/store-rows.ts';
import type { Outbox } from '#store/outbox/outbox.ts';
import type { Observation } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { EndedList } from '#store/schema/query-results.ts';
import type { Db } from '#store/sqlite/database.ts';

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

type ClearedCrawl = Pick<CrawlRow, 'kind' | 'ending' | 'targetRestId' | 'startedAt' | 'finishedAt'>;

/**
 * Stores the rows of an old page as an observation of its time (invariant 6). Coverage does not change: the next crawl of
 * the list fills the gaps. A crawl that was partial only because of items that are stored now gets the state of its end
 * (invariant 5).
 */
export function prepareReprocessing(db: Db, storeRows: StoreRows, outbox: Outbox) {
  const { $client } = db;
  const filterRows = prepareRowsFilter(db, outbox);
  const openRejects = $client.prepare<[rawPageId: number], { id: number; path: string }>(
    'select id, path from rejects where raw_page_id = ? and resolved_at is null',
  );
  const resolve = $client.prepare<[at: number, id: number]>('update rejects set resolved_at = ? where id = ?');
  const recount = $client.prepare<[object]>(
    `update crawls set rejected_items = rejected_items - @resolved, items = items + @newItems,
       new_items = new_items + @newItems where id = @crawlId`,
  );
  // A crawl that skipped items which another crawl rejected stays partial.
  const findCleared = $client.prepare<[number], ClearedCrawl>(
    `select kind, ending, target_rest_id as targetRestId, started_at as startedAt, finished_at as finishedAt
     from crawls where id = ? and state = 'partial' and reason = 'rejected_items' and rejected_items = 0
       and not coalesce(checkpoint ->> '$.hasSkippedRejects', 0)`,
  );
  const shortLists = prepareShortLists(db);
  const finish = $client.prepare<[state: string, reason: string | null, id: number]>(
    'update crawls set state = ?, reason = ? where id = ?',
  );
  const releaseGaps = $client.prepare<[number]>(`${RELEASE_GAPS} and crawl_id = ?`);

  function readFacts(list: EndedList): ListFacts {
    const owner = shortLists.readOwner(list)!;
    const [seen, lacked] = shortLists.compareEdges({ ...list, userId: owner.userId });
    return shortLists.readFacts(list, owner, { shown: seen, seen, lacked });
  }

  /** Sets the end state of a crawl without rejected items. */
  function clear(crawlId: number): void {
    const crawl = findCleared.get(crawlId);
    if (!crawl) return;
    const { kind, ending, targetRestId, startedAt, finishedAt } = crawl;
    const { edgeSide: side } = getKind(kind);
    const isList = side && ending === 'served' && targetRestId !== null && startedAt !== null;
    const list = isList
      ? readFacts({ side, owner: targetRestId, startedAt, finishedAt: finishedAt ?? startedAt })
      : undefined;
    const shown = createListEnd(kind, { ending: (ending ?? undefined) as Ending | undefined }, 0);
    const { state, reason } = decideFinalEnd(kind, shown, { list })!;
    finish.run(state, reason ?? null, crawlId);
  }

  return (page: ReprocessedPage): ReprocessResult => {
    const { crawlId, rawPageId, at, readAt } = page;
    const rows = filterRows(page.rows, at);
    const stillRejected = new Set(rows.rejects.map(({ path }) => path));
    const resolved = openRejects.all(rawPageId).filter(({ path }) => !stillRejected.has(path));
    const { newItems } = storeRows(rows, at, 0);
    outbox.recordObservation(crawlId, { at, rows });
    for (const { id } of resolved) resolve.run(readAt, id);
    if (resolved.length > 0) {
      recount.run({ crawlId, resolved: resolved.length, newItems });
      clear(crawlId);
      releaseGaps.run(crawlId);
      outbox.recordCrawls([crawlId], readAt);
    }
    return { resolved: resolved.length, newItems };
  };
}
