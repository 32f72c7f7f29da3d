import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';

/**
 * The rules by which an observation merges into a row (law 6), as SQL for `on conflict do update set`. The order of
 * arrival never makes a row poorer: `null` means "not said", and an older observation only fills what is unknown.
 */

export const excluded = (column: SQLiteColumn): SQL => sql`excluded.${sql.identifier(column.name)}`;

/** The newer observation wins, by the time that the column's group was last seen; the other fills holes. */
export const newest = (column: SQLiteColumn, seen: SQLiteColumn): SQL =>
  sql`case when ${excluded(seen)} >= coalesce(${seen}, 0) then coalesce(${excluded(column)}, ${column}) else coalesce(${column}, ${excluded(column)}) end`;

/** Whatever is known stays; the observation fills a hole. */
export const fill = (column: SQLiteColumn): SQL => sql`coalesce(${column}, ${excluded(column)})`;
export const latest = (column: SQLiteColumn): SQL => sql`max(coalesce(${column}, 0), ${excluded(column)})`;
export const earliest = (column: SQLiteColumn): SQL => sql`min(${column}, ${excluded(column)})`;

/** The same rule for several columns, as the `set` of an upsert. */
export function rules(
  table: SQLiteTable,
  names: readonly string[],
  rule: (column: SQLiteColumn) => SQL,
): Record<string, SQL> {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  return Object.fromEntries(names.map((name) => [name, rule(columns[name]!)]));
}

/**
 * A placeholder for each named column. They are bare SQL, so that Drizzle's column encoders stay out of the way: the
 * one for booleans would store `null` as 0.
 */
export function placeholders<T extends SQLiteTable>(
  _table: T,
  names: readonly (keyof T['$inferInsert'] & string)[],
): T['$inferInsert'] {
  return Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`])) as T['$inferInsert'];
}
