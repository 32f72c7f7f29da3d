import type Database from 'better-sqlite3';
import type { Db } from '../sqlite/database.ts';
import { listUnspacedCharacters } from './unspaced-characters.ts';

/**
 * The writer indexes new rows for full-text search before the triggers would: they have the same result, but split texts
 * of scripts without spaces in SQL, which takes 30 times as long (decision 37).
 */

/** Prepares the indexing of new users. It comes before a change of `crawls.state`: the trigger then finds no new users. */
export function prepareUserIndex({ $client }: Db): () => void {
  $client.function('unspaced_characters', { deterministic: true }, (text) => listUnspacedCharacters(text as string));
  // FTS5 does not distinguish an empty text from none.
  const prepare = () =>
    $client.prepare(`
      insert into users_fts (rowid, screen_name, name, description, characters)
      select id, screen_name, name, description,
        coalesce(unspaced_characters(said), (select characters from _users_fts_source s where s.id = u.id))
      from (
        select id, screen_name, name, description,
          coalesce(screen_name, '') || char(10) || coalesce(name, '') || char(10) || coalesce(description, '') as said
        from users where id > coalesce((select max(id) from users_fts_docsize), 0)
      ) u`);
  let indexNewUsers: Database.Statement | undefined;
  return () => void (indexNewUsers ??= prepare()).run();
}

/**
 * Prepares the indexing of a tweet that is inserted next. Returns the id to insert it with, or null if the trigger has to
 * index it: then it costs no more there.
 */
export function prepareTweetIndex({ $client }: Db): (text: string | null | undefined) => number | null {
  const prepare = () =>
    $client.prepare<[text: string, characters: string]>(
      'insert into tweets_fts (rowid, text, characters) select coalesce(max(id), 0) + 1, ?, ? from tweets',
    );
  let indexTweet: ReturnType<typeof prepare> | undefined;
  return (text) => {
    const characters = text == null ? null : listUnspacedCharacters(text);
    if (text == null || !characters) return null;
    return (indexTweet ??= prepare()).run(text, characters).lastInsertRowid as number;
  };
}
