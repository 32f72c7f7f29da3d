import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type Database from 'better-sqlite3';
import type { QueryParameters } from '#analysis/sql/query-parameters.ts';
import { prepareQuery, type Query, type SqlValue } from '#analysis/sql/sql-query.ts';
import { UsageError } from '#base/errors.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { TWEET_LISTS } from '#store/relations/list-relations.ts';
import { type Db, openReadOnly, type OpenDb } from '#store/sqlite/database.ts';
import { type ColumnContent, findContent } from './column-contents.ts';
import { isIdentity } from './pseudonymiser.ts';
import type { Pseudonyms } from './pseudonyms.ts';

/** The tables and views that a pseudonymised statement may read. It cannot read others, nor a column without a content. */
export const READABLE_TABLES: readonly string[] = [
  'users',
  'tweets',
  'follows',
  'media',
  'tweet_hashtags',
  'tweet_mentions',
  'tweet_links',
  'user_history',
  'tweet_history',
  'follow_history',
  'communities',
  'lists',
  'searches',
  ...TWEET_LISTS.map(([, { table }]) => table),
  'coverage',
  'gaps',
  'pruned_ranges',
  'crawls',
  'crawl_sources',
  '_crawl_tree',
  'runs',
  '_user_last_seen',
  '_user_stale_columns',
  '_tweet_stale_columns',
  'v_cohashtags',
  'v_complete_lists',
  'v_completeness',
  'v_conversations',
  'v_coverage',
  'v_crawls',
  'v_current_follows',
  'v_deleted_tweets',
  'v_follow_changes',
  'v_follows',
  'v_gaps',
  'v_pruned_ranges',
  'v_handle_periods',
  'v_hashtags_per_day',
  'v_links',
  'v_media',
  'v_mentions',
  'v_observed_periods',
  'v_panel_members',
  'v_posting_activity',
  'v_replies',
  'v_restored',
  'v_search_windows',
  'v_tweet_changes',
  'v_tweet_versions',
  'v_tweets',
  'v_unfollow_candidates',
  'v_unavailable_accounts',
  'v_user_changes',
  'v_user_versions',
  'v_users',
];

/** A store whose tables have pseudonyms. */
interface PseudonymisedStore extends Disposable {
  readonly db: Db;
  /** Whether a column of a statement is that of the numbers of rows in the store. */
  isRowNumber(column: Database.ColumnDefinition): boolean;
}

interface StoreOptions {
  /**
   * Whether columns that are left out are null instead of missing. Of a statement that compares them, the result would then be
   * wrong without an error.
   */
  readonly hasEmptyColumns?: boolean | undefined;
}

/** What an unreadable table is in the messages of SQLite. */
const UNREADABLE = 'which is not readable with --pseudonymise: ';

/**
 * Opens a store so that any statement sees pseudonyms only, whatever it computes (decision 57). The connection belongs to an
 * empty file. The store is attached to it under a random name, which no statement can guess, and a temporary view with the
 * name of each table either replaces its identities or cannot be read. All reads are of one moment.
 * @throws TrawlError if the file is missing, is no store, or is of another version
 */
export function openPseudonymisedStore(
  path: string,
  pseudonyms: Pseudonyms,
  { hasEmptyColumns = false }: StoreOptions = {},
): PseudonymisedStore {
  // Checks the file.
  openSnapshot(path)[Symbol.dispose]();
  const schema = `store_${randomBytes(16).toString('hex')}`;
  const db = openEmpty();
  try {
    const { $client } = db;
    defineFunctions($client, pseudonyms);
    $client.prepare(`attach ? as ${schema}`).run(resolve(path));
    $client.exec('begin');
    // The first read begins the snapshot.
    const names = $client
      .prepare<[], string>(
        `select name from ${schema}.sqlite_schema where type in ('table', 'view') and name not glob 'sqlite_*'`,
      )
      .pluck();
    for (const name of names.all())
      $client.exec(defineView({ client: $client, schema, pseudonyms, hasEmptyColumns }, name));
    $client.pragma('query_only = on');
  } catch (error) {
    db.$client.close();
    throw error;
  }
  return {
    db,
    isRowNumber: ({ database, table, column }) =>
      database === schema && table !== null && column !== null && findContent(table, column) === 'number',
    [Symbol.dispose]: () => void db.$client.close(),
  };
}

/** Opens an empty file for reading only, as which attached files are opened, too. It is deleted at once. */
function openEmpty(): OpenDb {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-'));
  try {
    const file = join(folder, 'empty.db');
    writeFileSync(file, '', { mode: 0o600 });
    return openReadOnly(file, { isMapped: false });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function defineFunctions(client: Database.Database, pseudonyms: Pseudonyms): void {
  // The driver passes values of SQLite.
  const replace = (content: unknown, value: unknown, kind: unknown): string | null =>
    value === null
      ? null
      : pseudonyms.replace(content as ColumnContent, String(value as string | number), kind as string);
  client.function('replace_content', { deterministic: true }, replace);
  client.function('pseudonym', { deterministic: true }, (identity: unknown, value: unknown) => {
    if (typeof identity === 'string' && isIdentity(identity)) return replace(identity, value, '');
    throw new Error(`pseudonym(): ${String(identity)} is no kind of identity, such as account, handle or tweet`);
  });
}

interface ViewContext {
  readonly client: Database.Database;
  readonly schema: string;
  readonly pseudonyms: Pseudonyms;
  readonly hasEmptyColumns: boolean;
}

/** Returns the statement that creates the view of a table. */
function defineView({ client, schema, pseudonyms, hasEmptyColumns }: ViewContext, table: string): string {
  const view = `create temp view ${quote(table)} as select`;
  if (!READABLE_TABLES.includes(table)) return `${view} * from ${quote(UNREADABLE + table)}`;
  const names = client.prepare<[string, string], string>('select name from pragma_table_info(?, ?)').pluck();
  const columns = names.all(table, schema).flatMap((name) => {
    const content = findContent(table, name);
    if (content === undefined || content === 'mixed') return [];
    if (pseudonyms.omits(content)) return hasEmptyColumns ? [`null as ${quote(name)}`] : [];
    if (content === 'value' || content === 'number') return [quote(name)];
    const kind = content === 'targetId' || content === 'targetHandle' ? 'kind' : "''";
    return [`replace_content('${content}', ${quote(name)}, ${kind}) as ${quote(name)}`];
  });
  // With a limit, a join computes the view once and indexes it, instead of computing pseudonyms for each pair of rows.
  return `${view} ${columns.join(', ')} from ${schema}.${quote(table)} limit -1`;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the table that a message of SQLite says cannot be read; undefined for any other message. */
const findUnreadableTable = (message: string): string | undefined =>
  message.includes(UNREADABLE) ? message.slice(message.indexOf(UNREADABLE) + UNREADABLE.length) : undefined;

interface PseudonymisedStatement {
  readonly sql: string;
  readonly parameters?: QueryParameters | undefined;
}

/**
 * Prepares a read-only statement on tables with pseudonyms. The numbers of rows in the store are left out of its result.
 * @throws UsageError for a statement that is not valid, or reads what has no pseudonyms, and for a column without a plain name
 */
export function preparePseudonymisedQuery(store: PseudonymisedStore, statement: PseudonymisedStatement): Query {
  // Statistics of SQLite have samples of all values. Its pragmas name the file of the store and the attached schema.
  if (/sqlite_|\bpragma(?:_|\b)|\bdbstat\b/i.test(statement.sql))
    throw new UsageError('with --pseudonymise, tables and pragmas of SQLite are not readable');
  const query = explain(() => prepareQuery(store.db, statement));
  const columns = store.db.$client.prepare(statement.sql).columns();
  const kept = columns.flatMap((column, i) => (store.isRowNumber(column) ? [] : [i]));
  const names = kept.map((i) => columns[i]!.name);
  requirePlainNames(names);
  if (names.length === 0) {
    throw new UsageError('the statement selects only numbers of rows in the store, which --pseudonymise leaves out', {
      hint: 'Select rest_id, which is a pseudonym.',
    });
  }
  const { rows } = query;
  return {
    ...query,
    columns: names,
    rows: {
      *[Symbol.iterator]() {
        for (const row of rows) yield kept.map((i): SqlValue => row[i]!);
      },
    },
  };
}

/** A column without a name is called by its expression, which may name an account. */
function requirePlainNames(names: readonly string[]): void {
  const wrong = names.find((name) => !/^[\p{L}\p{M}\p{N}_ .,*()-]+$/u.test(name) || /\d{7}/.test(name));
  if (wrong === undefined) return;
  throw new UsageError(`the column ${wrong} is called by its expression, which the file would show`, {
    hint: 'Give it a name: select … as name.',
  });
}

function explain<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    const table = findUnreadableTable(cause.message);
    if (table !== undefined) {
      throw new UsageError(`with --pseudonymise, the table ${table} is not readable`, {
        hint: `Readable are ${READABLE_TABLES.filter((name) => !name.startsWith('_')).join(', ')}.`,
        cause,
      });
    }
    if (!cause.message.startsWith('no such column')) throw cause;
    throw new UsageError(cause.message, {
      hint: 'With --pseudonymise, tables have no names, addresses, notes and messages, and without --keep-text no texts.',
      cause,
    });
  }
}
