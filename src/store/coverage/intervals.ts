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

/** Lists of some kinds and targets. */
interface ListNames {
  readonly kinds: readonly string[];
  readonly targets: readonly string[];
}

const isAmong = (table: typeof coverage | typeof gaps, { kinds, targets }: ListNames) =>
  and(inArray(table.kind, [...kinds]), inArray(table.target, [...targets]));

/** The intervals of lists, by kind, newest first. */
export const readIntervals = (db: Db, lists: ListNames): CoverageRow[] =>
  db.select().from(coverage).where(isAmong(coverage, lists)).orderBy(coverage.kind, desc(coverage.newestAt)).all();

/** The gaps of lists, by kind, newest first. */
export const readGaps = (db: Db, lists: ListNames): GapRow[] =>
  db.select().from(gaps).where(isAmong(gaps, lists)).orderBy(gaps.kind, desc(gaps.newerAt)).all();
