import type Database from 'better-sqlite3';
import { getTableColumns, is, Param, Placeholder, type Query, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from './database.ts';

/** A query that Drizzle can compile. */
interface Compilable {
  prepare(): { getQuery(): Query };
}

/**
 * A statement that is run for every row of every page. `row` has values by the names of the query's placeholders, `extra`
 * those of the extra parameters in their order. Booleans are stored as 0 and 1, absent values as null.
 */
export interface Statement {
  run(row: object, ...extra: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number };
  /** The first row of the result, with its columns in order; flags are 0 and 1. */
  get(row: object, ...extra: readonly unknown[]): readonly unknown[] | undefined;
  /** All rows of the result, in the same form. */
  all(row: object, ...extra: readonly unknown[]): readonly (readonly unknown[])[];
}

/**
 * Returns a statement that is compiled at its first use: a command uses few of the statements of a store.
 * @param extraNames the placeholders that are bound to extra parameters instead of values of the row
 */
export function compileStatement(query: Compilable, extraNames: readonly string[] = []): Statement {
  let statement: Database.Statement<unknown[], unknown[]> | undefined;
  let parameters: readonly Parameter[] = [];

  function compile(): NonNullable<typeof statement> {
    const prepared = query.prepare();
    parameters = prepared.getQuery().params.map((param) => toParameter(param, extraNames));
    // Drizzle declares it as private.
    const { stmt } = prepared as unknown as { readonly stmt: NonNullable<typeof statement> };
    return stmt.reader ? stmt.raw() : stmt;
  }

  /** Binds by position without Drizzle, whose binding costs as much as the query. */
  function bind(row: object, extra: readonly unknown[]): unknown[] {
    const values = Array<unknown>(parameters.length);
    for (let i = 0; i < parameters.length; i++) {
      const { name, place, constant } = parameters[i]!;
      const value =
        name !== undefined ? (row as Record<string, unknown>)[name] : place !== undefined ? extra[place] : constant;
      values[i] = value === undefined ? null : typeof value === 'boolean' ? Number(value) : value;
    }
    return values;
  }

  // The statement is compiled before its parameters are bound.
  return {
    run: (row, ...extra) => (statement ??= compile()).run(bind(row, extra)) as ReturnType<Statement['run']>,
    get: (row, ...extra) => (statement ??= compile()).get(bind(row, extra)),
    all: (row, ...extra) => (statement ??= compile()).all(bind(row, extra)),
  };
}

/** What a parameter is bound to: a value of the row, an extra parameter or a constant. */
interface Parameter {
  readonly name: string | undefined;
  readonly place: number | undefined;
  readonly constant: unknown;
}

function toParameter(param: unknown, extraNames: readonly string[]): Parameter {
  const value: unknown = is(param, Param) ? param.value : param;
  if (!is(value, Placeholder)) return { name: undefined, place: undefined, constant: value };
  const { name } = value;
  const place = extraNames.indexOf(name);
  return place < 0 ? { name, place: undefined, constant: null } : { name: undefined, place, constant: null };
}

/** A placeholder without Drizzle's column encoders, of which the one for booleans stores `null` as 0. */
export const placeholder = (name: string): SQL => sql`${sql.placeholder(name)}`;

/** Returns a function that prepares a query of one column. The statement returns its values. */
export const createValuePreparer =
  ({ $client }: Db) =>
  <Parameters extends unknown[], Value>(query: string): Database.Statement<Parameters, Value> =>
    $client.prepare<Parameters, Value>(query).pluck();

/**
 * A placeholder for LIMIT. SQLite compiles a statement again whenever a bare parameter of LIMIT is bound, since its value
 * may change the plan; it does not look into an expression.
 */
export const limitPlaceholder = (name: string): Placeholder =>
  sql`cast(${sql.placeholder(name)} as integer)` as unknown as Placeholder;

export type ColumnName<T extends SQLiteTable> = keyof T['$inferInsert'] & string;

/** Returns a placeholder for each column. */
export const placeholders = <T extends SQLiteTable>(_table: T, names: readonly ColumnName<T>[]): T['$inferInsert'] =>
  Object.fromEntries(names.map((name) => [name, placeholder(name)])) as T['$inferInsert'];

/** Returns a placeholder for each column of a table, except the key `id`, which SQLite assigns. */
export function rowPlaceholders<T extends SQLiteTable>(table: T): T['$inferInsert'] {
  const names = Object.keys(getTableColumns(table)).filter((name) => name !== 'id');
  return placeholders(table, names as ColumnName<T>[]);
}

/** Returns some columns of a table, to select them. */
export const pickColumns = <T extends SQLiteTable, Name extends string & keyof T['_']['columns']>(
  table: T,
  names: readonly Name[],
): Pick<T['_']['columns'], Name> => {
  const columns: T['_']['columns'] = getTableColumns(table);
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<T['_']['columns'], Name>;
};

/** Compiles an insert of whole rows. */
export const compileInsert = (db: Db, table: SQLiteTable): Statement =>
  compileStatement(db.insert(table).values(rowPlaceholders(table)));

const NAMES = [
  'at',
  'before',
  'changes',
  'crawlId',
  'day',
  'endpoint',
  'finding',
  'from',
  'handle',
  'hash',
  'id',
  'ids',
  'inFlight',
  'kind',
  'lastPageItems',
  'lease',
  'listed',
  'most',
  'options',
  'requests',
  'restId',
  'screenName',
  'target',
  'to',
  'unknown',
] as const;

/** Placeholders by name. */
export const bound = Object.fromEntries(NAMES.map((name) => [name, placeholder(name)])) as Readonly<
  Record<(typeof NAMES)[number], SQL>
>;
