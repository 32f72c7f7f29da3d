import type { Db } from '../sqlite/database.ts';
import { listUnspacedCharacters } from './unspaced-characters.ts';

/**
 * Prepares the indexing of new users for full-text search. The writer runs it before it changes `crawls.state`, so that
 * the trigger `users_fts_catch_up` finds no new users. The trigger has the same result, but splits texts of scripts
 * without spaces in SQL, which takes 30 times as long (decision 37).
 */
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
  let indexNewUsers: ReturnType<typeof prepare> | undefined;
  return () => void (indexNewUsers ??= prepare()).run();
}
