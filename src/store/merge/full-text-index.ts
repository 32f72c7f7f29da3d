import type Database from 'better-sqlite3';
import { toSearchText } from '#base/search-text.ts';
import type { Db } from '#store/sqlite/database.ts';

/**
 * The full-text indexes contain the words of texts (`toSearchText`). Triggers index the texts themselves, so that any program
 * can write to a store. The writer indexes new rows before the triggers do, and changed rows when a crawl ends or pauses.
 */

/** The columns of the indexes. */
const COLUMNS = { tweets: ['text'], users: ['screen_name', 'name', 'description'] } as const;

/** Prepares the indexing of new users and of changed rows. */
export function prepareSearchIndex({ $client }: Pick<Db, '$client'>): () => void {
  // Null if the words are the text, as they mostly are.
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
    updates: Object.entries(COLUMNS).map(([table, columns]) =>
      $client.prepare(`
        update ${table}_fts set ${columns.map((column) => `${column} = ${wordsOf(column)}`).join(', ')}
        where rowid in (select row_id from _search_updates where relation = '${table}')`),
    ),
    removeUpdates: $client.prepare('delete from _search_updates'),
  });
  let statements: ReturnType<typeof prepareAll> | undefined;
  return () => {
    const { addUsers, updates, removeUpdates } = (statements ??= prepareAll());
    for (const statement of [addUsers, ...updates, removeUpdates]) statement.run();
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
