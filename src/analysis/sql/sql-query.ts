import { TrawlError, UsageError, type TrawlErrorOptions } from '#base/errors.ts';
import { suggestNames } from '#base/text.ts';
import { describeStorageError } from '#store/sqlite/database-errors.ts';
import { type Db, openReadOnly } from '#store/sqlite/database.ts';
import { bindParameters, type QueryParameters } from './query-parameters.ts';

/** A value of SQLite. Integers are bigints, so that no digit is lost. */
export type SqlValue = bigint | number | string | Buffer | null;

/** A prepared query. Its rows are read lazily, by one reader at a time; each iteration runs the statement again. */
export interface Query extends Disposable {
  readonly columns: readonly string[];
  readonly rows: Iterable<readonly SqlValue[]>;
}

interface QueryOptions {
  readonly sql: string;
  /** Each parameter of the statement needs a value, and each name a parameter. */
  readonly parameters?: QueryParameters | undefined;
}

interface OpenOptions {
  readonly db: string;
  /** Whether the file may be mapped into memory; true by default. */
  readonly isMapped?: boolean | undefined;
}

/**
 * Prepares one read-only statement on an existing store. Three independent checks prevent writes: the connection is
 * read-only, `query_only` is on, and only statements that return rows and change nothing are accepted (which excludes
 * ATTACH and VACUUM INTO, which write elsewhere).
 * @throws UsageError for any other statement, with SQLite's message for an invalid one.
 */
export function openQuery({ db: path, isMapped, ...options }: QueryOptions & OpenOptions): Query {
  const db = openReadOnly(path, { isMapped });
  try {
    db.$client.pragma('query_only = on');
    const query = prepareQuery(db, options);
    return {
      ...query,
      [Symbol.dispose]() {
        query[Symbol.dispose]();
        db.$client.close();
      },
    };
  } catch (error) {
    db.$client.close();
    throw error;
  }
}

/**
 * `openQuery` on a read-only connection, which stays open and keeps its settings. Dispose of the query first: a connection
 * with unread rows cannot be closed.
 */
export function prepareQuery(db: Db, { sql, parameters }: QueryOptions): Query {
  const statement = prepare(db, sql, parameters);
  let reader: Generator<readonly SqlValue[], void> | undefined;
  const endReader = (): void => void reader?.return();
  return {
    columns: statement.columns().map(({ name }) => name),
    rows: {
      [Symbol.iterator]() {
        endReader();
        return (reader = read(db, () => statement.iterate()));
      },
    },
    [Symbol.dispose]: endReader,
  };
}

function prepare(db: Db, sql: string, parameters: QueryParameters = []) {
  return explain(db, sql, () => {
    const statement = db.$client.prepare<unknown[], readonly SqlValue[]>(sql);
    if (!statement.reader || !statement.readonly) {
      throw new UsageError('only read-only statements, such as select, are run', {
        hint: 'The database is opened read-only. Use sqlite3 to change it.',
      });
    }
    bindParameters(statement, parameters);
    return statement.raw().safeIntegers();
  });
}

/** Runs a statement. Errors while reading are translated as those of preparing are. */
function* read(db: Db, start: () => IterableIterator<readonly SqlValue[]>): Generator<readonly SqlValue[], void> {
  const rows = explain(db, undefined, start);
  try {
    for (;;) {
      const next = explain(db, undefined, () => rows.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    rows.return?.();
  }
}

/** @param sql the statement, while it is not known to be valid. */
function explain<T>(db: Db, sql: string | undefined, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof TrawlError || !(cause instanceof Error)) throw cause;
    // Damage and the like are no error of the statement.
    const storageError = describeStorageError(cause, db.$client.name);
    if (storageError) throw storageError;
    const message = MESSAGES[cause.message] ?? cause.message;
    if (sql === undefined) throw new TrawlError(message, { cause });
    throw new UsageError(message, { ...hintFor(db, sql, cause.message), cause });
  }
}

/** Messages of better-sqlite3, reworded. */
const MESSAGES: Readonly<Record<string, string>> = {
  'The supplied SQL string contains more than one statement': 'only one statement can be run at a time',
  'The supplied SQL string contains no statements': 'the statement is empty',
};

/** Existing names, for a statement with an unknown table or column. */
function hintFor(db: Db, sql: string, message: string): TrawlErrorOptions {
  const [, missing] = /^no such table: (?:main\.)?(.*)$/.exec(message) ?? [];
  if (missing !== undefined) {
    const near = suggestNames(missing, listTables(db)).join(', ');
    return {
      hint: near === '' ? undefined : `Did you mean ${near}?`,
      command: { name: 'sql', args: '"select name from sqlite_schema"', result: 'lists all tables and views' },
    };
  }
  if (!message.startsWith('no such column')) return {};
  const names = new Set(sql.toLowerCase().match(/\w+/g));
  const named = listTables(db).filter((table) => names.has(table));
  return { hint: named.map((table) => `Columns of ${table}: ${listColumns(db, table).join(', ')}.`).join('\n  ') };
}

const listTables = (db: Db): string[] =>
  db.$client
    .prepare(
      `select name from pragma_table_list where schema = 'main' and type <> 'shadow' and name not like '\\_\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
    .pluck()
    .all() as string[];

const listColumns = (db: Db, table: string): string[] =>
  db.$client.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
