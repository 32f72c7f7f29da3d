import { TrawlError, UsageError } from '../../errors.ts';
import { databaseTrouble } from '../../store/sqlite/database-errors.ts';
import { type Db, openReadOnly } from '../../store/sqlite/database.ts';
import { suggestNames } from '../suggest-names.ts';

/** A value as SQLite has it. Whole numbers are bigints, so that none loses digits. */
export type SqlValue = bigint | number | string | Buffer | null;

/** A query that is ready to run: its rows are read as they are asked for, once. */
export interface Query extends Disposable {
  readonly columns: readonly string[];
  readonly rows: Iterable<readonly SqlValue[]>;
}

/**
 * Prepares one reading statement on an existing store. Nothing is written, by three walls: the connection is
 * read-only, SQLite refuses writes on it (`query_only`), and only a statement that returns rows and changes nothing is
 * let through (which leaves out ATTACH and VACUUM INTO, the two that write elsewhere).
 * @throws UsageError for any other statement, with SQLite's words for one that is wrong.
 */
export function openQuery(options: { readonly db: string; readonly sql: string }): Query {
  const db = openReadOnly(options.db);
  try {
    const statement = prepare(db, options.sql);
    const rows = read(db, () => statement.iterate());
    return {
      columns: statement.columns().map(({ name }) => name),
      rows,
      [Symbol.dispose]() {
        // A statement whose rows were not all read would keep the connection from closing.
        rows.return(undefined);
        db.$client.close();
      },
    };
  } catch (error) {
    db.$client.close();
    throw error;
  }
}

function prepare(db: Db, sql: string) {
  return explain(db, sql, () => {
    db.$client.pragma('query_only = on');
    const statement = db.$client.prepare<[], readonly SqlValue[]>(sql);
    if (!statement.reader || !statement.readonly) {
      throw new UsageError('only a statement that reads is run, such as select', {
        hint: 'The database is opened for reading; sqlite3 can change it.',
      });
    }
    return statement.raw().safeIntegers();
  });
}

/** The rows; an error in the middle of them is put in the same words as one at the start. */
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

/** @param sql the statement, until it is known to be right. */
function explain<T>(db: Db, sql: string | undefined, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof TrawlError || !(cause instanceof Error)) throw cause;
    // What cannot be read at all is not the statement's fault.
    const trouble = databaseTrouble(cause, db.$client.name);
    if (trouble) throw trouble;
    const message = WORDS[cause.message] ?? cause.message;
    if (sql === undefined) throw new TrawlError(message, { cause });
    throw new UsageError(message, { hint: hintFor(db, sql, cause.message), cause });
  }
}

/** better-sqlite3's own words, said for people. */
const WORDS: Readonly<Record<string, string>> = {
  'The supplied SQL string contains more than one statement': 'only one statement at a time',
  'The supplied SQL string contains no statements': 'there is no statement to run',
};

/** What there is, for a statement that names what is not. */
function hintFor(db: Db, sql: string, message: string): string | undefined {
  const [, missing] = /^no such table: (?:main\.)?(.*)$/.exec(message) ?? [];
  if (missing !== undefined) {
    const near = suggestNames(missing, tables(db)).join(', ');
    return `${near && `Did you mean ${near}? `}\`trawl sql "select name from sqlite_schema"\` shows all that there is.`;
  }
  if (!message.startsWith('no such column')) return undefined;
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  const named = tables(db).filter((table) => words.has(table));
  return named.map((table) => `Columns of ${table}: ${columnsOf(db, table).join(', ')}.`).join('\n  ') || undefined;
}

const tables = (db: Db): string[] =>
  db.$client
    .prepare(
      `select name from pragma_table_list where schema = 'main' and type <> 'shadow' and name not like '\\_\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
    .pluck()
    .all() as string[];

const columnsOf = (db: Db, table: string): string[] =>
  db.$client.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
