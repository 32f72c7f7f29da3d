import { is, Param, Placeholder, type Query } from 'drizzle-orm';
import type { Db } from './database.ts';

/** A query that Drizzle can compile. */
interface Compilable {
  prepare(): { getQuery(): Query };
}

/** Values by the names of a query's placeholders: booleans are stored as 0 and 1, and what is absent as null. */
type Values = Readonly<Record<string, unknown>>;

/** A statement that is run for every row of every page. */
export interface Statement {
  run(values: Values): { readonly changes: number; readonly lastInsertRowid: number };
  /** The first row, its columns in the order of the query. */
  get(values: Values): readonly unknown[] | undefined;
}

/**
 * Compiles a query once, and binds it by position without Drizzle between: what is left of its cost is one loop over
 * the names. Columns come back as SQLite has them: flags as 0 and 1.
 */
export function compile(db: Db, query: Compilable): Statement {
  const { sql, params } = query.prepare().getQuery();
  const statement = db.$client.prepare<unknown[], unknown[]>(sql);
  const bound = params.map(boundBy);
  const bind = (values: Values): unknown[] => bound.map((value) => value(values));
  if (statement.reader) statement.raw();
  return {
    run: (values) => statement.run(bind(values)) as ReturnType<Statement['run']>,
    get: (values) => statement.get(bind(values)),
  };
}

function boundBy(param: unknown): (values: Values) => unknown {
  const value: unknown = is(param, Param) ? param.value : param;
  if (!is(value, Placeholder)) return () => value;
  const { name } = value;
  return (values) => bindable(values[name]);
}

function bindable(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'boolean' ? Number(value) : value;
}
