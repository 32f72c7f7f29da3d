import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { CrawlEnd } from '../../kinds/end-states.ts';
import { mergeColumns, takeObserved } from '../merge/merge-rules.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import type { CoveredSpan, PageCommit } from '../schema/messages.ts';
import { coverage, gaps } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, bound, placeholders } from '../sqlite/statement.ts';
import { INTERVAL_COLUMNS, toInterval, hasNewLowerEnd, hasIntervalChanged, mergeIntervals } from './merge-intervals.ts';

/**
 * Maintains the covered intervals of lists. The spans of a page are merged into the intervals that they overlap, in the
 * transaction of the page; extending an interval costs three statements. Intervals never touch each other. A gap is the
 * range below an interval.
 */
export type CoverageWriter = ReturnType<typeof prepareCoverage>;

/** How a crawl ended, by itself or by cancellation. */
type CrawlResult = Pick<CrawlEnd, 'reason' | 'ending'> & Pick<CrawlRow, 'state'>;

export function prepareCoverage(db: Db) {
  /** A strict comparison: two intervals that share only an instant may have missed other items of that instant. */
  const overlapping = compileStatement(
    db
      .select({ id: coverage.id, ...columnsOf(INTERVAL_COLUMNS) })
      .from(coverage)
      .where(
        and(
          ...[eq(coverage.kind, bound.kind), eq(coverage.target, bound.target)],
          sql`${coverage.newestAt} > ${bound.floor}`,
          sql`(${coverage.listEnd} is not null or ${coverage.oldestAt} < ${bound.ceiling})`,
        ),
      )
      .orderBy(coverage.newestAt),
    ['floor', 'ceiling'],
  );
  const insert = compileStatement(
    db
      .insert(coverage)
      .values(placeholders(coverage, ['kind', 'target', ...INTERVAL_COLUMNS, 'crawlId', 'createdAt', 'updatedAt'])),
    ['kind', 'target', 'crawlId', 'createdAt', 'updatedAt'],
  );
  const update = compileStatement(
    db
      .update(coverage)
      .set(placeholders(coverage, [...INTERVAL_COLUMNS, 'crawlId', 'updatedAt']))
      .where(eq(coverage.id, bound.id)),
    ['id', 'crawlId', 'updatedAt'],
  );
  const remove = db.delete(coverage).where(eq(coverage.id, bound.id)).prepare();
  const upsertGap = compileStatement(
    db
      .insert(gaps)
      .values({
        ...placeholders(gaps, ['kind', 'target', 'coverageId', 'reason', 'crawlId', 'updatedAt']),
        ...{ newerRestId: bound.oldestRestId, newerAt: bound.oldestAt },
      } as never)
      .onConflictDoUpdate({
        target: gaps.coverageId,
        set: mergeColumns(gaps, ['newerRestId', 'newerAt', 'reason', 'crawlId', 'updatedAt'], takeObserved),
      }),
    ['kind', 'target', 'coverageId', 'reason', 'crawlId', 'updatedAt'],
  );
  const removeGap = db.delete(gaps).where(eq(gaps.coverageId, bound.coverageId)).prepare();
  /** The lower bound of a gap changes only when intervals are added or removed. */
  const updateLowerBounds = db.$client.prepare(`
    update gaps set (older_rest_id, older_at) = (
      select newest_rest_id, newest_at from coverage
      where coverage.kind = gaps.kind and coverage.target = gaps.target and newest_at <= newer_at
        and coverage.id <> gaps.coverage_id
      order by newest_at desc limit 1)
    where kind = ? and target = ? and coverage_id is not null`);
  const claimGap = db
    .update(gaps)
    .set({ reason: 'open', crawlId: bound.crawlId, updatedAt: bound.at })
    .where(and(eq(gaps.kind, bound.kind), eq(gaps.target, bound.target), eq(gaps.newerAt, bound.into)))
    .prepare();
  const setGapReason = db
    .update(gaps)
    .set({ reason: bound.reason, updatedAt: bound.at })
    .where(and(eq(gaps.crawlId, bound.crawlId), eq(gaps.reason, 'open')))
    .prepare();
  const reopenGaps = db
    .update(gaps)
    .set({ reason: 'open', updatedAt: bound.at })
    .where(and(eq(gaps.crawlId, bound.crawlId), notInArray(gaps.reason, PERMANENT_REASONS)))
    .prepare();

  function merge(list: CoveredList, span: CoveredSpan, at: number): void {
    const { kind, target, crawlId } = list;
    const floor = span.bottom === undefined ? span.oldest.at : -Infinity;
    const overlaps = overlapping.all(list, floor, span.newest.at).map(toInterval);
    const [lowest, ...others] = overlaps;
    const merged = mergeIntervals(span, overlaps);
    if (lowest && others.length === 0 && !hasIntervalChanged(span, merged, lowest)) return;
    const id = lowest?.id ?? insert.run(merged, kind, target, crawlId, at, at).lastInsertRowid;
    if (lowest) update.run(merged, lowest.id, crawlId, at);
    for (const other of others) {
      remove.run({ id: other.id });
      removeGap.run({ coverageId: other.id });
    }
    if (merged.listEnd !== null) {
      if (!lowest || lowest.listEnd === null) removeGap.run({ coverageId: id });
    } else if (hasNewLowerEnd(span, merged, lowest)) {
      upsertGap.run(merged, kind, target, id, span.below ?? 'open', crawlId, at);
    }
    if (overlaps.length !== 1 || merged.newestAt > lowest!.newestAt) updateLowerBounds.run(kind, target);
  }

  return {
    addPage(crawl: Pick<CrawlRow, 'id' | 'kind' | 'target'>, page: PageCommit): void {
      if (!page.coverage) return;
      const { spans, into, left } = page.coverage;
      const { at, progress } = page;
      const list = { kind: crawl.kind, target: progress.targetRestId ?? crawl.target, crawlId: crawl.id };
      for (const span of spans) merge(list, span, at);
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

interface CoveredList {
  readonly kind: string;
  readonly target: string;
  readonly crawlId: number;
}

const columnsOf = <Name extends keyof typeof coverage.$inferSelect>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, coverage[name]])) as Pick<typeof coverage, Name>;

/** Reasons that a resumed crawl does not change. */
const PERMANENT_REASONS = ['rejected_items', 'out_of_order', 'cursor_refused', 'cursor_unreadable'];

/** Returns why the list is not covered below the crawl's last page. */
function reasonOf({ state, reason, ending }: CrawlResult): string {
  if (state === 'cancelled' || state === 'failed') return 'interrupted';
  if (state === 'partial' && reason != null && reason !== 'rejected_items') return reason;
  return ending === 'since' || ending === 'one_page' ? ending : 'interrupted';
}
