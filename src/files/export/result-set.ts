import type { Query, SqlValue } from '#analysis/sql/sql-query.ts';

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

/**
 * Rows with typed columns. The rows are read lazily. Each iteration reads them again from the start, and returns the same
 * rows: some formats read them in advance. (An array is such an iterable, a generator is not.)
 */
export interface ResultSet {
  readonly columns: readonly ResultColumn[];
  readonly rows: Iterable<readonly SqlValue[]>;
}

/** Returns the rows of a user's statement. The types of its columns are not known before its rows are read. */
export const toResultSet = ({ columns, rows }: Pick<Query, 'columns' | 'rows'>): ResultSet => ({
  columns: columns.map((name) => ({ name, type: 'any' })),
  rows,
});
