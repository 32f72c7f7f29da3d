import { prepareQuery, type SqlValue } from '#analysis/sql/sql-query.ts';
import { systemClock } from '#base/clock.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bindValues, type BoundValues } from './bind-values.ts';
import { findMissingData, type MissingData } from './missing-data.ts';
import type { SavedQuery } from './saved-query.ts';

/** The rows of a saved query. Without rows and without missing data, nothing matches in the collected data. */
export interface SavedQueryResult {
  readonly columns: readonly string[];
  /** Integers are numbers; beyond 2^53, text. */
  readonly rows: readonly (readonly (string | number | Buffer | null)[])[];
  readonly missing: readonly MissingData[];
  /** The values that its statement got. */
  readonly bound: BoundValues['bound'];
}

/**
 * Runs a saved query on a read-only connection, and reads all its rows.
 * @param values of its parameters, as they would be typed: `{ account: 'id:11348282', since: '30d' }`
 * @param now for ages, in milliseconds UTC
 * @param olderThan the age from which checks of tweets are old, in milliseconds
 * @throws UsageError for a wrong or missing value or a wrong statement, TrawlError for a target that was not collected
 */
export function runSavedQuery(
  db: Db,
  query: SavedQuery,
  values: Readonly<Record<string, unknown>> = {},
  now = systemClock.now(),
  olderThan?: number,
): SavedQueryResult {
  const { bound, targets } = bindValues(db, query, values, now);
  using prepared = prepareQuery(db, { sql: query.sql, parameters: bound });
  return {
    columns: prepared.columns,
    rows: Array.from(prepared.rows, (row) => row.map(toPlainValue)),
    missing: findMissingData(db, query, { targets, now, olderThan }),
    bound,
  };
}

const toPlainValue = (value: SqlValue): string | number | Buffer | null =>
  typeof value !== 'bigint' ? value : Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
