import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';

/**
 * The rules by which an observation merges into a row (law 6), as SQL. The order of arrival never makes a row poorer:
 * `null` means "not said", and an older observation only fills what is unknown.
 */

/** What was observed: a bound value, or in an upsert the row that was to be inserted. */
export type ObservedValue = (column: SQLiteColumn, name: string) => SQL;
export const excludedValue = (column: SQLiteColumn): SQL => sql`excluded.${sql.identifier(column.name)}`;
export const boundValue: ObservedValue = (_, name) => sql`${sql.placeholder(name)}`;

type Rule = (column: SQLiteColumn, observed: SQL) => SQL;

/** The newer observation wins, by the time at which the column's group was last seen; the other fills holes. */
export const takeNewest =
  (at: SQL, seen: SQLiteColumn): Rule =>
  (column, observed) =>
    sql`case when ${at} >= coalesce(${seen}, 0) then coalesce(${observed}, ${column}) else coalesce(${column}, ${observed}) end`;
export const takeLatest: Rule = (column, observed) => sql`max(coalesce(${column}, 0), ${observed})`;

/** The same rule for several columns, as the `set` of an update. */
export function mergeColumns(
  table: SQLiteTable,
  names: readonly string[],
  rule: Rule,
  observed: ObservedValue = excludedValue,
): Record<string, SQL> {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  return Object.fromEntries(names.map((name) => [name, rule(columns[name]!, observed(columns[name]!, name))]));
}

/** What an observation that is bound by the names of the columns shows of each is what the row has, null included. */
export const conditionsEqual = (table: SQLiteTable, names: readonly string[]): SQL[] =>
  buildConditions(table, names, (column, observed) => sql`${observed} is ${column}`);
/** It shows something else of each than the row has. */
export const conditionsDiffer = (table: SQLiteTable, names: readonly string[]): SQL[] =>
  buildConditions(table, names, (column, observed) => sql`${observed} <> ${column}`);
/** The row knows of each what it does not show. */
export const conditionsMissing = (table: SQLiteTable, names: readonly string[]): SQL[] =>
  buildConditions(table, names, (column, observed) => sql`${observed} is null and ${column} is not null`);

/** 1 where it holds, else null. SQLite stops at the first condition that decides, which it does not in a plain result. */
export const oneIfTrue = (condition: SQL | undefined): SQL => sql`case when ${condition} then 1 end`;

function buildConditions(table: SQLiteTable, names: readonly string[], rule: Rule): SQL[] {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  return names.map((name) => rule(columns[name]!, boundValue(columns[name]!, name)));
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
