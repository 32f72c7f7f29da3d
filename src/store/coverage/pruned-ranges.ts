import { and, eq, sql } from 'drizzle-orm';
import { compileUpsert, type Rule, takeObserved, takeSum } from '../merge/merge-rules.ts';
import type { CoveredSpan } from '../schema/messages.ts';
import { prunedRanges } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement, placeholder, placeholders } from '../sqlite/statement.ts';

export type PrunedRangeRow = typeof prunedRanges.$inferSelect;

/** Items of a list that are removed in the same transaction. Times are null for a list without order. */
export type PrunedItems = Pick<PrunedRangeRow, 'kind' | 'target' | 'oldestAt' | 'newestAt' | 'items'>;

/** The older or newer one of two times, of which either may be null. */
const takeExtreme =
  (choose: 'min' | 'max'): Rule =>
  (column, observed) =>
    sql`coalesce(${sql.raw(choose)}(${column}, ${observed}), ${column}, ${observed})`;

/** Maintains the pruned part of each list (decision 60). A list has one: from its oldest to its newest removed item. */
export function preparePrunedRanges(db: Db) {
  const upsert = compileUpsert(db, prunedRanges, ['kind', 'target'], {
    ...{ oldestAt: takeExtreme('min'), newestAt: takeExtreme('max') },
    ...{ items: takeSum, prunedAt: takeObserved, pruneId: takeObserved },
  });
  const isOfList = and(eq(prunedRanges.kind, bound.kind), eq(prunedRanges.target, bound.target));
  const find = compileStatement(
    db
      .select({ id: prunedRanges.id, oldestAt: prunedRanges.oldestAt, newestAt: prunedRanges.newestAt })
      .from(prunedRanges)
      .where(isOfList),
  );
  const isRange = eq(prunedRanges.id, bound.id);
  const update = compileStatement(
    db
      .update(prunedRanges)
      .set(placeholders(prunedRanges, ['oldestAt', 'newestAt']))
      .where(isRange),
  );
  const remove = compileStatement(db.delete(prunedRanges).where(isRange));
  const removeList = compileStatement(db.delete(prunedRanges).where(isOfList));

  return {
    /** Records the removal of items, in its transaction: what was pruned is never called complete. */
    addItems(items: PrunedItems, prune: { readonly id: number; readonly at: number }): void {
      upsert.run({ ...items, prunedAt: prune.at, pruneId: prune.id });
    },

    /**
     * Removes the part that a page has read again and stored, in its transaction. A part in the middle stays pruned: a list
     * has one range.
     */
    removeSpan(list: Pick<PrunedRangeRow, 'kind' | 'target'>, span: CoveredSpan): void {
      const [id, oldestAt, newestAt] = (find.get(list) ?? []) as (number | null | undefined)[];
      if (id == null || oldestAt == null || newestAt == null) return;
      const above = span.newest.at > newestAt;
      const below = span.bottom !== undefined || span.oldest.at < oldestAt;
      if (above && below) remove.run({ id });
      else if (above && span.oldest.at < newestAt) update.run({ id, oldestAt, newestAt: span.oldest.at });
      else if (below && span.newest.at > oldestAt) update.run({ id, oldestAt: span.newest.at, newestAt });
    },

    /** Removes the range of a list of which a complete list was stored again. */
    removeList(list: Pick<PrunedRangeRow, 'kind' | 'target'>): void {
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
