import { type AnySQLiteColumn, blob, integer, type SQLiteColumn, text as textColumn } from 'drizzle-orm/sqlite-core';

/**
 * What a column may hold of a person, and what an erasure does with it.
 *
 * A row goes with:
 * - `user key`, `tweet key`, `search key`, `crawl key`: the store's key of a row that is erased. Foreign keys to users, tweets
 *   and searches are such keys without a note;
 * - `account id`, `account handle`, `account target`: its id, a handle, or a target of a snowball that is the account;
 * - `list target`: with the column `kind`, a list of the account, or a search that names it;
 * - `query`: a search that names the account.
 *
 * Of other rows, an erasure changes:
 * - `item id`: the id of one of its tweets becomes empty;
 * - `former handle`: one of its handles becomes null;
 * - `reply target`: it becomes `(forgotten)`: the handle, and null: the ids;
 * - `notes`, `json`: texts and JSON of trawl and its users, where its id, handles and names are replaced;
 * - `sample`: a sample of what a page sent, which is replaced.
 *
 * With `--mentions redact` only:
 * - `words`: texts of others, where its handles and names are replaced;
 * - `mention`, `link`: the row goes.
 *
 * `plain`: what identifies no account of the service; `own`: an id, a handle or a picture of the account of the row, which goes with it; `erased crawl`, `erased page`: what is
 * left of crawls and steps of the account (erase-crawls.ts); `facts`: facts that wait to be shipped (erase-facts.ts).
 */
export type ColumnUse =
  | `${'user' | 'tweet' | 'search' | 'crawl'} key`
  | `${'account' | 'item'} id`
  | `${'account' | 'former'} handle`
  | `${'account' | 'list' | 'reply'} target`
  | 'query'
  | 'notes'
  | 'json'
  | 'sample'
  | 'words'
  | 'mention'
  | 'link'
  | 'own'
  | `erased ${'crawl' | 'page'}`
  | 'facts'
  | 'plain';

/** Columns keep their configuration, which Drizzle declares as protected. */
interface Noted {
  readonly config: { use?: ColumnUse };
}

function note<Builder>(builder: Builder, use: ColumnUse | undefined): Builder {
  if (use) (builder as Noted).config.use = use;
  return builder;
}

/** Returns the note of a column. Every text has one. */
export const noteOf = (column: SQLiteColumn): ColumnUse | undefined => (column as unknown as Noted).config.use;

/** A text or bytes that may hold something of a person. */
export const text = (name: string, use: ColumnUse) => note(textColumn(name), use);
export const bytes = (name: string, use: ColumnUse) => note(blob(name, { mode: 'buffer' }), use);
/** A text that identifies no account of the service: one of a few words, or a name that trawl or its user gave. */
export const label = <const Values extends readonly [string, ...string[]] = [string, ...string[]]>(
  name: string,
  values?: Values,
) => note(textColumn(name, { enum: values as Values }), 'plain');

/** The store's key: a small integer, in order of insertion. */
export const id = () => integer('id').primaryKey();
/** The service's id. */
export const restId = () => text('rest_id', 'own').notNull().unique();
export const flag = (name: string) => integer(name, { mode: 'boolean' });
/** A foreign key that is never null. */
export const key = (name: string, to: () => AnySQLiteColumn, use?: ColumnUse) =>
  note(integer(name).notNull().references(to), use);
