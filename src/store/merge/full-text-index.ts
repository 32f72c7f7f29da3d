import type Database from 'better-sqlite3';
import { toSearchText } from '#base/search-text.ts';
import type { Db } from '#store/sqlite/database.ts';

/**
 * The full-text indexes have the words of `toSearchText`. Triggers index texts as they are written, so that any program can
 * write to a store: the writer indexes new rows before them, and changed ones when a crawl ends or pauses.
 */

/** The columns of the indexes. */
const COLUMNS = { tweets: ['text'], users: ['screen_name', 'name', 'description'] } as const;

/** Prepares the indexing of new users and of changed rows. */
export function prepareSearchIndex({ $client }: Pick<Db, '$client'>): () => void {
  // Null for what the index has as it is written: most texts are.
  $client.function('search_text', { deterministic: true }, (text) => {
    const words = text === null ? null : toSearchText(text as string);
    return words === text ? null : words;
  });
  const wordsOf = (column: string): string => `coalesce(search_text(${column}), ${column})`;
  const prepareAll = () => ({
    addUsers: $client.prepare(`
      insert into users_fts (rowid, ${COLUMNS.users.join(', ')})
      select id, ${COLUMNS.users.map(wordsOf).join(', ')} from users
      where id > coalesce((select max(id) from users_fts_docsize), 0)`),
    hasUpdates: $client.prepare('select 1 from _search_updates').pluck(),
    updates: Object.entries(COLUMNS).map(([table, columns]) =>
      $client.prepare(`
        update ${table}_fts set ${columns.map((column) => `${column} = ${wordsOf(column)}`).join(', ')}
        where rowid in (select row_id from _search_updates where relation = '${table}')`),
    ),
    removeUpdates: $client.prepare('delete from _search_updates'),
  });
  let statements: ReturnType<typeof prepareAll> | undefined;
  return () => {
    const { addUsers, hasUpdates, updates, removeUpdates } = (statements ??= prepareAll());
    addUsers.run();
    if (hasUpdates.get() === undefined) return;
    for (const update of updates) update.run();
    removeUpdates.run();
  };
}

/**
 * Prepares the indexing of a tweet that is inserted next. Returns the id to insert it with, or null if the trigger has to
 * index it: then it costs no more there.
 */
export function prepareTweetIndex({ $client }: Db): (text: string | null | undefined) => number | null {
  const prepare = () =>
    $client.prepare<[words: string]>(
      'insert into tweets_fts (rowid, text) select coalesce(max(id), 0) + 1, ? from tweets',
    );
  let indexTweet: Database.Statement<[string]> | undefined;
  return (text) => {
    if (text == null) return null;
    const words = toSearchText(text);
    return words === text ? null : ((indexTweet ??= prepare()).run(words).lastInsertRowid as number);
  };
}
