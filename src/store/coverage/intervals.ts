import { and, desc, eq, inArray } from 'drizzle-orm';
import type { CoveredInterval } from '../schema/query-results.ts';
import { coverage, crawls, gaps } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, pickColumns } from '../sqlite/statement.ts';

export type CoverageRow = typeof coverage.$inferSelect;
export type GapRow = typeof gaps.$inferSelect;

/** Prepares reading the intervals of a list, newest first. */
export function prepareIntervals(db: Db): (kind: string, target: string) => CoveredInterval[] {
  const select = db
    .select({
      ...pickColumns(coverage, ['newestAt', 'oldestAt', 'listEnd', 'pages', 'items']),
      gap: { reason: gaps.reason, cursor: crawls.cursor, checkpoint: crawls.checkpoint },
    })
    .from(coverage)
    .leftJoin(gaps, eq(gaps.coverageId, coverage.id))
    .leftJoin(crawls, eq(crawls.id, gaps.crawlId))
    .where(and(eq(coverage.kind, bound.kind), eq(coverage.target, bound.target)))
    .orderBy(desc(coverage.newestAt))
    .prepare();
  return (kind, target) =>
    select.all({ kind, target }).map(({ gap, ...interval }) => ({
      ...interval,
      gap: gap.reason === null ? null : { ...gap, reason: gap.reason },
    }));
}

export function readIntervals(db: Db, targets: readonly string[]): CoverageRow[] {
  const isAmongTargets = inArray(coverage.target, [...targets]);
  return db.select().from(coverage).where(isAmongTargets).orderBy(coverage.kind, desc(coverage.newestAt)).all();
}

export function readGaps(db: Db, targets: readonly string[]): GapRow[] {
  const isAmongTargets = inArray(gaps.target, [...targets]);
  return db.select().from(gaps).where(isAmongTargets).orderBy(gaps.kind, desc(gaps.newerAt)).all();
}
