import type { SqlValue } from '../analysis/sql/query.ts';

/**
 * The type of a column. `boolean` values are 0 and 1; `timestamp` values are milliseconds since the epoch, UTC; `any` has
 * values of several types, as an expression of SQLite may return them. Ids are `text`.
 */
export type ColumnType = 'text' | 'integer' | 'real' | 'boolean' | 'timestamp' | 'blob' | 'any';

export interface ResultColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** What the column contains, for data dictionaries. */
  readonly description?: string | undefined;
}

/** Rows with typed columns. The rows are read lazily, and only once. */
export interface ResultSet {
  readonly columns: readonly ResultColumn[];
  readonly rows: Iterable<readonly SqlValue[]>;
}
