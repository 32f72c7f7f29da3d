import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import { compileUpsert, takeObserved } from '#store/merge/merge-rules.ts';
import type { CoveredSpan, PageCommit } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { coverage, gaps } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileInsert } from '#store/sqlite/statement.ts';
import type { CoverageRow } from './intervals.ts';
import { preparePrunedRanges } from './pruned-ranges.ts';

/**
 * Maintains the covered intervals of lists. The spans of a page are merged into the intervals that they overlap, in the
 * transaction of the page; extending an interval costs three statements. Intervals never touch each other. A gap is the
 * range below an interval.
 */
export type CoverageWriter = ReturnType<typeof prepareCoverage>;

/** How a crawl ended, by itself or by cancellation. */
type CrawlResult = Pick<CrawlEnd, 'reason' | 'ending'> & Pick<CrawlRow, 'state'>;

const IS_OF_LIST = 'kind = @kind and target = @target';

/** SQL: reasons that a resumed crawl does not change. */
const PERMANENT_REASONS = "('rejected_items', 'out_of_order', 'cursor_refused', 'cursor_unreadable')";

export function prepareCoverage(db: Db) {
  const { $client } = db;
  // A strict comparison: two intervals that share only an instant may have missed other items of that instant.
  const overlapping = $client.prepare<[object], Interval>(
    `select id, newest_rest_id as newestRestId, newest_at as newestAt, oldest_rest_id as oldestRestId,
       oldest_at as oldestAt, list_end as listEnd, pages, items
     from coverage where ${IS_OF_LIST} and newest_at > @floor and (list_end is not null or oldest_at < @ceiling)
     order by newest_at`,
  );
  const insert = compileInsert(db, coverage);
  const update = $client.prepare<[object]>(
    `update coverage set newest_rest_id = @newestRestId, newest_at = @newestAt, oldest_rest_id = @oldestRestId,
       oldest_at = @oldestAt, list_end = @listEnd, pages = @pages, items = @items, crawl_id = @crawlId,
       updated_at = @updatedAt
     where id = @id`,
  );
  const remove = $client.prepare<[number]>('delete from coverage where id = ?');
  const upsertGap = compileUpsert(db, gaps, ['coverageId'], {
    newerRestId: takeObserved,
    newerAt: takeObserved,
    reason: takeObserved,
    crawlId: takeObserved,
    updatedAt: takeObserved,
  });
  const removeGap = $client.prepare<[coverageId: number]>('delete from gaps where coverage_id = ?');
  /** The lower bound of a gap changes only when intervals are added or removed. */
  const updateLowerBounds = db.$client.prepare(`
    update gaps set (older_rest_id, older_at) = (
      select newest_rest_id, newest_at from coverage
      where coverage.kind = gaps.kind and coverage.target = gaps.target and newest_at <= newer_at
        and coverage.id <> gaps.coverage_id
      order by newest_at desc limit 1)
    where kind = ? and target = ? and coverage_id is not null`);
  const claimGap = $client.prepare<[object]>(
    `update gaps set reason = 'open', crawl_id = @crawlId, updated_at = @at where ${IS_OF_LIST} and newer_at = @into`,
  );
  const setGapReason = $client.prepare<[reason: string, at: number, crawlId: number]>(
    "update gaps set reason = ?, updated_at = ? where crawl_id = ? and reason = 'open'",
  );
  const reopenGaps = $client.prepare<[at: number, crawlId: number]>(
    `update gaps set reason = 'open', updated_at = ? where crawl_id = ? and reason not in ${PERMANENT_REASONS}`,
  );
  const pruned = preparePrunedRanges(db);

  function merge(list: Pick<CoverageRow, 'kind' | 'target' | 'crawlId'>, span: CoveredSpan, at: number): void {
    const floor = span.bottom === undefined ? span.oldest.at : -Infinity;
    const overlaps = overlapping.all({ ...list, floor, ceiling: span.newest.at });
    const [lowest, ...others] = overlaps;
    const merged = mergeIntervals(span, overlaps);
    if (lowest && others.length === 0 && !hasIntervalChanged(span, merged, lowest)) return;
    const row = { ...list, ...merged, createdAt: at, updatedAt: at };
    const id = lowest?.id ?? insert.run(row).lastInsertRowid;
    if (lowest) update.run({ ...row, id });
    for (const other of others) {
      remove.run(other.id);
      removeGap.run(other.id);
    }
    if (merged.listEnd !== null) {
      if (!lowest || lowest.listEnd === null) removeGap.run(id);
    } else if (hasNewLowerEnd(span, merged, lowest)) {
      const bounds = { newerRestId: merged.oldestRestId, newerAt: merged.oldestAt };
      upsertGap.run({ ...list, ...bounds, coverageId: id, reason: span.below ?? 'open', updatedAt: at });
    }
    if (overlaps.length !== 1 || merged.newestAt > lowest!.newestAt) updateLowerBounds.run(list.kind, list.target);
  }

  return {
    addPage(
      crawl: Pick<CrawlRow, 'id' | 'kind' | 'target'> & Partial<Pick<CrawlRow, 'startedAt'>>,
      page: PageCommit,
    ): void {
      if (!page.coverage) return;
      const { spans, into, left } = page.coverage;
      const { at, progress } = page;
      const list = { kind: crawl.kind, target: progress.targetRestId ?? crawl.target, crawlId: crawl.id };
      for (const span of spans) merge(list, span, at);
      // A replayed page was read before its items were pruned.
      if (!page.storedBodyIds) pruned.removeSpans(list, { ...page.coverage, since: crawl.startedAt ?? 0 });
      if (into !== undefined) claimGap.run({ ...list, into, at });
      if (left !== undefined) setGapReason.run(left, at, crawl.id);
    },

    /** Sets the reason of the gap at which a crawl ended. */
    closeGap(crawlId: number, end: CrawlResult, at: number): void {
      setGapReason.run(reasonOf(end), at, crawlId);
    },

    /** Reopens the gap of a resumed crawl. */
    reopenGap(crawlId: number, at: number): void {
      reopenGaps.run(at, crawlId);
    },
  };
}

/** Returns why the list is not covered below the crawl's last page. */
function reasonOf({ state, reason, ending }: CrawlResult): string {
  if (state === 'cancelled' || state === 'failed') return 'interrupted';
  if (state === 'partial' && reason != null && reason !== 'rejected_items') return reason;
  return ending === 'since' || ending === 'one_page' ? ending : 'interrupted';
}

type IntervalColumn = 'id' | `${'newest' | 'oldest'}${'RestId' | 'At'}` | 'listEnd' | 'pages' | 'items';
type Interval = Readonly<Pick<typeof coverage.$inferSelect, IntervalColumn>>;

/** Returns whether a merge changes an interval. */
const hasIntervalChanged = (span: CoveredSpan, merged: Omit<Interval, 'id'>, before: Interval): boolean =>
  merged.newestAt > before.newestAt || merged.listEnd !== before.listEnd || hasNewLowerEnd(span, merged, before);

/** Returns whether the lower end of an interval moves, or gets another reason. */
const hasNewLowerEnd = (span: CoveredSpan, merged: Omit<Interval, 'id'>, before: Interval | undefined): boolean =>
  !before || merged.oldestAt < before.oldestAt || (span.below !== undefined && merged.oldestAt === span.oldest.at);

/** Merges a span with the intervals that it overlaps, oldest first. */
function mergeIntervals(span: CoveredSpan, overlaps: readonly Interval[]): Omit<Interval, 'id'> {
  const [lowest] = overlaps;
  const highest = overlaps.at(-1);
  const isLower = !lowest || span.oldest.at < lowest.oldestAt;
  const isHigher = !highest || span.newest.at > highest.newestAt;
  return {
    newestRestId: isHigher ? span.newest.id : highest.newestRestId,
    newestAt: isHigher ? span.newest.at : highest.newestAt,
    oldestRestId: isLower ? span.oldest.id : lowest.oldestRestId,
    oldestAt: isLower ? span.oldest.at : lowest.oldestAt,
    listEnd: lowest?.listEnd === 'served' ? 'served' : (span.bottom ?? lowest?.listEnd ?? null),
    pages: overlaps.reduce((sum, { pages }) => sum + pages, span.pages),
    items: overlaps.reduce((sum, { items }) => sum + items, span.items),
  };
}
