import { and, eq, notInArray, type SQL, sql } from 'drizzle-orm';
import type { CrawlEnd } from '../../service/kinds/end-states.ts';
import { compileUpsert, takeObserved } from '../merge/merge-rules.ts';
import type { CoveredSpan, PageCommit } from '../schema/commit-messages.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import { coverage, gaps } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileInsert, compileStatement, pickColumns, placeholders } from '../sqlite/statement.ts';
import type { CoverageRow } from './intervals.ts';
import { INTERVAL_COLUMNS, toInterval, hasNewLowerEnd, hasIntervalChanged, mergeIntervals } from './merge-intervals.ts';
import { preparePrunedRanges } from './pruned-ranges.ts';

/**
 * Maintains the covered intervals of lists. The spans of a page are merged into the intervals that they overlap, in the
 * transaction of the page; extending an interval costs three statements. Intervals never touch each other. A gap is the
 * range below an interval.
 */
export type CoverageWriter = ReturnType<typeof prepareCoverage>;

/** How a crawl ended, by itself or by cancellation. */
type CrawlResult = Pick<CrawlEnd, 'reason' | 'ending'> & Pick<CrawlRow, 'state'>;

export function prepareCoverage(db: Db) {
  const isOfList = and(eq(coverage.kind, bound.kind), eq(coverage.target, bound.target));
  /** A strict comparison: two intervals that share only an instant may have missed other items of that instant. */
  const isOverlapping = and(
    sql`${coverage.newestAt} > ${bound.floor}`,
    sql`(${coverage.listEnd} is not null or ${coverage.oldestAt} < ${bound.ceiling})`,
  );
  const columns = pickColumns(coverage, ['id', ...INTERVAL_COLUMNS]);
  const overlapping = compileStatement(
    db.select(columns).from(coverage).where(and(isOfList, isOverlapping)).orderBy(coverage.newestAt),
  );
  const insert = compileInsert(db, coverage);
  const isInterval = eq(coverage.id, bound.id);
  const changed = placeholders(coverage, [...INTERVAL_COLUMNS, 'crawlId', 'updatedAt']);
  const update = compileStatement(db.update(coverage).set(changed).where(isInterval));
  const remove = db.delete(coverage).where(isInterval).prepare();
  const upsertGap = compileUpsert(db, gaps, ['coverageId'], {
    newerRestId: takeObserved,
    newerAt: takeObserved,
    reason: takeObserved,
    crawlId: takeObserved,
    updatedAt: takeObserved,
  });
  const removeGap = db.delete(gaps).where(eq(gaps.coverageId, bound.coverageId)).prepare();
  /** The lower bound of a gap changes only when intervals are added or removed. */
  const updateLowerBounds = db.$client.prepare(`
    update gaps set (older_rest_id, older_at) = (
      select newest_rest_id, newest_at from coverage
      where coverage.kind = gaps.kind and coverage.target = gaps.target and newest_at <= newer_at
        and coverage.id <> gaps.coverage_id
      order by newest_at desc limit 1)
    where kind = ? and target = ? and coverage_id is not null`);
  const updateGaps = (changes: { reason: SQL | string; crawlId?: SQL }, ...conditions: SQL[]) =>
    db
      .update(gaps)
      .set({ ...changes, updatedAt: bound.at })
      .where(and(...conditions))
      .prepare();
  const isOfCrawl = eq(gaps.crawlId, bound.crawlId);
  const claimGap = updateGaps(
    { reason: 'open', crawlId: bound.crawlId },
    eq(gaps.kind, bound.kind),
    eq(gaps.target, bound.target),
    eq(gaps.newerAt, bound.into),
  );
  const setGapReason = updateGaps({ reason: bound.reason }, isOfCrawl, eq(gaps.reason, 'open'));
  const reopenGaps = updateGaps({ reason: 'open' }, isOfCrawl, notInArray(gaps.reason, PERMANENT_REASONS));

  const pruned = preparePrunedRanges(db);

  function merge(list: Pick<CoverageRow, 'kind' | 'target' | 'crawlId'>, span: CoveredSpan, at: number): void {
    const floor = span.bottom === undefined ? span.oldest.at : -Infinity;
    const overlaps = overlapping.all({ ...list, floor, ceiling: span.newest.at }).map(toInterval);
    const [lowest, ...others] = overlaps;
    const merged = mergeIntervals(span, overlaps);
    if (lowest && others.length === 0 && !hasIntervalChanged(span, merged, lowest)) return;
    const row = { ...list, ...merged, createdAt: at, updatedAt: at };
    const id = lowest?.id ?? insert.run(row).lastInsertRowid;
    if (lowest) update.run({ ...row, id });
    for (const other of others) {
      remove.run({ id: other.id });
      removeGap.run({ coverageId: other.id });
    }
    if (merged.listEnd !== null) {
      if (!lowest || lowest.listEnd === null) removeGap.run({ coverageId: id });
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
      if (left !== undefined) setGapReason.run({ crawlId: crawl.id, reason: left, at });
    },

    /** Sets the reason of the gap at which a crawl ended. */
    closeGap(crawlId: number, end: CrawlResult, at: number): void {
      setGapReason.run({ crawlId, at, reason: reasonOf(end) });
    },

    /** Reopens the gap of a resumed crawl. */
    reopenGap(crawlId: number, at: number): void {
      reopenGaps.run({ crawlId, at });
    },
  };
}

/** Reasons that a resumed crawl does not change. */
const PERMANENT_REASONS = ['rejected_items', 'out_of_order', 'cursor_refused', 'cursor_unreadable'];

/** Returns why the list is not covered below the crawl's last page. */
function reasonOf({ state, reason, ending }: CrawlResult): string {
  if (state === 'cancelled' || state === 'failed') return 'interrupted';
  if (state === 'partial' && reason != null && reason !== 'rejected_items') return reason;
  return ending === 'since' || ending === 'one_page' ? ending : 'interrupted';
}
