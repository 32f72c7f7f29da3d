import { desc, inArray } from 'drizzle-orm';
import type { CoverageRow } from '../store/coverage.ts';
import type { Db } from '../store/database.ts';
import { coverage } from '../store/schema.ts';

/** The intervals that crawls of these targets walked without a gap, by kind, the newest first. */
export const coveredIntervals = (db: Db, targets: readonly string[]): CoverageRow[] =>
  db
    .select()
    .from(coverage)
    .where(inArray(coverage.target, [...targets]))
    .orderBy(coverage.kind, desc(coverage.newestAt), desc(coverage.id))
    .all();
