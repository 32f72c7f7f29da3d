import { and, sql } from 'drizzle-orm';
import { compileUpsert, type Rule, takeObserved, takeSum } from '#store/merge/merge-rules.ts';
import type { CoverageUpdate, CoveredSpan } from '#store/schema/commit-messages.ts';
import { prunedRanges } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { placeholder } from '#store/sqlite/statement.ts';

export type PrunedRangeRow = typeof prunedRanges.$inferSelect;

type ListKey = Pick<PrunedRangeRow, 'kind' | 'target'>;

/** Items of a list that are removed in the same transaction. Times are null for a list without order. */
export type PrunedItems = Pick<PrunedRangeRow, 'kind' | 'target' | 'oldestAt' | 'newestAt' | 'items'>;

/** What a crawl has read of a list. */
interface ReadSpans extends Pick<CoverageUpdate, 'spans' | 'pageSpans' | 'hasSkipped'> {
  /** When the crawl began. */
  readonly since: number;
}

/** The older or newer one of two times, of which either may be null. */
const takeExtreme =
  (choose: 'min' | 'max'): Rule =>
  (column, observed) =>
    sql`coalesce(${sql.raw(choose)}(${column}, ${observed}), ${column}, ${observed})`;

const IS_OF_LIST = 'kind = @kind and target = @target';

/** Maintains the pruned part of each list (decision 60). A list has one: from its oldest to its newest removed item. */
export function preparePrunedRanges(db: Db) {
  const { $client } = db;
  const upsert = compileUpsert(db, prunedRanges, ['kind', 'target'], {
    oldestAt: takeExtreme('min'),
    newestAt: takeExtreme('max'),
    items: takeSum,
    prunedAt: takeObserved,
    pruneId: takeObserved,
  });
  const find = $client.prepare<[ListKey], Pick<PrunedRangeRow, 'id' | 'oldestAt' | 'newestAt' | 'prunedAt'>>(
    `select id, oldest_at as oldestAt, newest_at as newestAt, pruned_at as prunedAt from pruned_ranges where ${IS_OF_LIST}`,
  );
  const update = $client.prepare<[oldestAt: number, newestAt: number, id: number]>(
    'update pruned_ranges set oldest_at = ?, newest_at = ? where id = ?',
  );
  const remove = $client.prepare<[number]>('delete from pruned_ranges where id = ?');
  const removeList = $client.prepare<[ListKey]>(`delete from pruned_ranges where ${IS_OF_LIST}`);

  function removeSpan(list: ListKey, span: CoveredSpan): void {
    const { id, oldestAt, newestAt } = find.get(list) ?? {};
    if (id === undefined || oldestAt == null || newestAt == null) return;
    const above = span.newest.at > newestAt;
    const below = span.bottom !== undefined || span.oldest.at < oldestAt;
    if (above && below) remove.run(id);
    else if (above && span.oldest.at < newestAt) update.run(oldestAt, span.oldest.at, id);
    else if (below && span.newest.at > oldestAt) update.run(span.newest.at, newestAt, id);
  }

  return {
    /** Records the removal of items, in its transaction: what was pruned is never called complete. */
    addItems(items: PrunedItems, prune: { readonly id: number; readonly at: number }): void {
      upsert.run({ ...items, prunedAt: prune.at, pruneId: prune.id });
    },

    /**
     * Removes what a crawl has read again and stored, in the transaction of a page. Items that were read before a prune, by this
     * crawl or by an earlier one whose part it skipped, may be gone: then only what the page itself shows counts. A part in the
     * middle stays pruned: a list has one range.
     */
    removeSpans(list: ListKey, { spans, pageSpans = [], hasSkipped, since }: ReadSpans): void {
      const range = find.get(list);
      if (range === undefined) return;
      for (const span of !hasSkipped && range.prunedAt < since ? spans : pageSpans) removeSpan(list, span);
    },

    /** Removes the range of a list of which a complete list was stored again. */
    removeList(list: ListKey): void {
      removeList.run(list);
    },
  };
}

/** Prepares reading the pruned parts of lists. */
export function preparePrunedReads(db: Db): (kinds: readonly string[], targets: readonly string[]) => PrunedRangeRow[] {
  const isAmong = and(
    sql`${prunedRanges.kind} in (select value from json_each(${placeholder('kinds')}))`,
    sql`${prunedRanges.target} in (select value from json_each(${placeholder('targets')}))`,
  );
  const select = db
    .select()
    .from(prunedRanges)
    .where(isAmong)
    .orderBy(prunedRanges.kind, prunedRanges.target)
    .prepare();
  return (kinds, targets) => select.all({ kinds: JSON.stringify(kinds), targets: JSON.stringify(targets) });
}
