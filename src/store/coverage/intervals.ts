import { and, desc, eq, sql } from 'drizzle-orm';
import type { CoveredInterval } from '#store/schema/query-results.ts';
import { coverage, crawls, gaps } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound, pickColumns, placeholder } from '#store/sqlite/statement.ts';

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

/** Lists of some kinds and targets. */
interface ListNames {
  readonly kinds: readonly string[];
  readonly targets: readonly string[];
}

/** Prepares reading the intervals and the gaps of lists, by kind, newest first. */
export function prepareListCoverage(db: Db) {
  const isAmong = ({ kind, target }: typeof coverage | typeof gaps) =>
    and(
      sql`${kind} in (select value from json_each(${placeholder('kinds')}))`,
      sql`${target} in (select value from json_each(${placeholder('targets')}))`,
    );
  const intervals = db
    .select()
    .from(coverage)
    .where(isAmong(coverage))
    .orderBy(coverage.kind, desc(coverage.newestAt))
    .prepare();
  const below = db.select().from(gaps).where(isAmong(gaps)).orderBy(gaps.kind, desc(gaps.newerAt)).prepare();
  const bind = ({ kinds, targets }: ListNames) => ({ kinds: JSON.stringify(kinds), targets: JSON.stringify(targets) });
  return {
    intervals: (lists: ListNames): CoverageRow[] => intervals.all(bind(lists)),
    gaps: (lists: ListNames): GapRow[] => below.all(bind(lists)),
  };
}

/** The intervals of lists, by kind, newest first. */
export const readIntervals = (db: Db, lists: ListNames): CoverageRow[] => prepareListCoverage(db).intervals(lists);

/** The gaps of lists, by kind, newest first. */
export const readGaps = (db: Db, lists: ListNames): GapRow[] => prepareListCoverage(db).gaps(lists);
