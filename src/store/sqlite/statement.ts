import { is, Param, Placeholder, type Query } from 'drizzle-orm';
import type { Db } from './database.ts';

/** A query that Drizzle can compile. */
interface Compilable {
  prepare(): { getQuery(): Query };
}

/**
 * A statement that is run for every row of every page. `row` has values by the names of the query's placeholders,
 * `others` those that were said to come beside it, in that order. Booleans are stored as 0 and 1, what is absent as null.
 */
export interface Statement {
  run(row: object, ...others: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number };
  /** The first row that the query gives, its columns in their order; flags are 0 and 1. */
  get(row: object, ...others: readonly unknown[]): readonly unknown[] | undefined;
  /** All rows that the query gives, in the same form. */
  all(row: object, ...others: readonly unknown[]): readonly (readonly unknown[])[];
}

type Binding = (row: Readonly<Record<string, unknown>>, others: readonly unknown[]) => unknown;

/** Returns a statement that is compiled at its first use: a command uses few of the statements of a store. */
export function compileStatement(db: Db, query: Compilable, beside: readonly string[] = []): Statement {
  let compiled: Statement | undefined;
  const use = (): Statement => (compiled ??= compile(db, query, beside));
  return {
    run: (row, ...others) => use().run(row, ...others),
    get: (row, ...others) => use().get(row, ...others),
    all: (row, ...others) => use().all(row, ...others),
  };
}

/** Compiles a query, and binds it by position without Drizzle between, which costs as much as the query. */
function compile(db: Db, query: Compilable, beside: readonly string[]): Statement {
  const { sql, params } = query.prepare().getQuery();
  const statement = db.$client.prepare<unknown[], unknown[]>(sql);
  if (statement.reader) statement.raw();
  const bindings = params.map((param) => bindingOf(param, beside));
  const bind = (row: object, others: readonly unknown[]): unknown[] => {
    const values = Array<unknown>(bindings.length);
    for (let i = 0; i < bindings.length; i++)
      values[i] = bindable(bindings[i]!(row as Record<string, unknown>, others));
    return values;
  };
  return {
    run: (row, ...others) => statement.run(bind(row, others)) as ReturnType<Statement['run']>,
    get: (row, ...others) => statement.get(bind(row, others)),
    all: (row, ...others) => statement.all(bind(row, others)),
  };
}

function bindingOf(param: unknown, beside: readonly string[]): Binding {
  const value: unknown = is(param, Param) ? param.value : param;
  if (!is(value, Placeholder)) return () => value;
  const { name } = value;
  const place = beside.indexOf(name);
  return place < 0 ? (row) => row[name] : (_, others) => others[place];
}

function bindable(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'boolean' ? Number(value) : value;
}
