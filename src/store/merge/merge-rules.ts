import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from '#store/sqlite/database.ts';
import {
  type ColumnName,
  compileStatement,
  placeholder,
  rowPlaceholders,
  type Statement,
} from '#store/sqlite/statement.ts';

/**
 * SQL rules by which an observation merges into a row (invariant 6). `null` means unknown, and an older observation
 * only fills unknown values.
 */

/** The observed value: a bound parameter, or the `excluded` row of an upsert. */
export type ObservedValue = (column: SQLiteColumn, name: string) => SQL;
export const excludedValue = (column: SQLiteColumn): SQL => sql`excluded.${sql.identifier(column.name)}`;
export const boundValue: ObservedValue = (_, name) => placeholder(name);

export type Rule = (column: SQLiteColumn, observed: SQL) => SQL;

/** Takes the newer observation, by the time of the column `seen`; the older one fills unknown values. */
export const takeNewest =
  (seen: SQLiteColumn): Rule =>
  (column, observed) =>
    sql`case when ${excludedValue(seen)} >= coalesce(${seen}, 0) then coalesce(${observed}, ${column}) else coalesce(${column}, ${observed}) end`;
export const takeObserved: Rule = (_, observed) => observed;
export const takeSum: Rule = (column, observed) => sql`${column} + ${observed}`;
export const takeEarliest: Rule = (column, observed) => sql`min(${column}, ${observed})`;
export const takeLatest: Rule = (column, observed) => sql`max(coalesce(${column}, 0), ${observed})`;

/** Applies a rule to several columns. Returns the `set` of an update. */
export function mergeColumns(
  table: SQLiteTable,
  names: readonly string[],
  rule: Rule,
  observed: ObservedValue = excludedValue,
): Record<string, SQL> {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  return Object.fromEntries(names.map((name) => [name, rule(columns[name]!, observed(columns[name]!, name))]));
}

interface UpsertOptions {
  readonly setWhere?: SQL | undefined;
  readonly returning?: SQLiteColumn;
  /** Placeholders that are bound to extra parameters: see `compileStatement`. */
  readonly extraNames?: readonly string[];
}

/**
 * Compiles an upsert of whole rows.
 * @param key the columns of the unique key
 * @param rules how other columns merge into a stored row, which keeps its values of the rest
 */
export function compileUpsert<T extends SQLiteTable>(
  db: Db,
  table: T,
  key: readonly ColumnName<T>[],
  rules: Readonly<Partial<Record<ColumnName<T>, Rule>>>,
  { setWhere, returning, extraNames = [] }: UpsertOptions = {},
): Statement {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  const set = Object.entries<Rule>(rules as Record<string, Rule>).map(([name, rule]): [string, SQL] => [
    name,
    rule(columns[name]!, excludedValue(columns[name]!)),
  ]);
  const query = db
    .insert(table as SQLiteTable)
    .values(rowPlaceholders(table))
    .onConflictDoUpdate({
      target: key.map((name) => columns[name]!),
      set: Object.fromEntries(set),
      ...(setWhere ? { setWhere } : {}),
    });
  return compileStatement(returning ? query.returning({ value: returning }) : query, extraNames);
}

/** Conditions that each observed value equals the stored one, null included. */
export const conditionsEqual = (table: SQLiteTable, names: readonly string[]): SQL[] =>
  buildConditions(table, names, (column, observed) => sql`${observed} is ${column}`);
/** Conditions that each observed value is known and differs from the stored one. */
export const conditionsDiffer = (table: SQLiteTable, names: readonly string[]): SQL[] =>
  buildConditions(table, names, (column, observed) => sql`${observed} <> ${column}`);
/** Conditions that each observed value is null and the stored one is not. */
export const conditionsMissing = (table: SQLiteTable, names: readonly string[]): SQL[] =>
  buildConditions(table, names, (column, observed) => sql`${observed} is null and ${column} is not null`);

/** Returns 1 if the condition holds, else null. Inside a `case`, SQLite stops at the first condition that decides. */
export const oneIfTrue = (condition: SQL | undefined): SQL => sql`case when ${condition} then 1 end`;

function buildConditions(table: SQLiteTable, names: readonly string[], rule: Rule): SQL[] {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  return names.map((name) => rule(columns[name]!, boundValue(columns[name]!, name)));
}
