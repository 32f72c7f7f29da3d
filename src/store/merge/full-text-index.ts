import type Database from 'better-sqlite3';
import type { Db } from '#store/sqlite/database.ts';

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

/** Code points of scripts without spaces between words: the ranges of `next` in the view `_users_fts_source`. */
const RANGES: readonly (readonly [from: number, to: number])[] = [
  // South-East Asian scripts.
  [0x0e01, 0x0e3a],
  [0x0e40, 0x0e4e],
  [0x0e50, 0x0e59],
  [0x0e81, 0x0edf],
  [0x1000, 0x109e],
  [0x1780, 0x17d3],
  [0x17d7, 0x19da],
  [0x1a20, 0x1a99],
  [0x1b00, 0x1b4c],
  [0xa9cf, 0xaadd],
  // Korean.
  [0x1100, 0x11ff],
  [0xa960, 0xa9c0],
  [0xac00, 0xd7a3],
  [0xd7b0, 0xd7fb],
  // Chinese, Japanese and Yi.
  [0x3005, 0x3007],
  [0x3021, 0x302f],
  [0x3031, 0x3035],
  [0x3041, 0x30fa],
  [0x30fc, 0x30ff],
  [0x3105, 0x318e],
  [0x31a0, 0x31bf],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa48c],
  [0xff66, 0xffdc],
  [0x1aff0, 0x1b167],
  [0x20000, 0x3ffff],
];
const LAST = 0x3ffff;

const IS_UNSPACED = new Uint8Array(LAST + 1);
for (const [from, to] of RANGES) IS_UNSPACED.fill(1, from, to + 1);

/** Separates characters that are not adjacent. */
const SEPARATOR = '\uE000';

/**
 * Returns the column `characters` of a text, as the view `_users_fts_source` computes it: the characters of scripts
 * without spaces, then the pairs of adjacent ones; empty if there are none. Null for a text that SQLite may read
 * differently: with a NUL, where SQLite ends it, or with U+FFFD, which stands for invalid UTF-8.
 */
export function listUnspacedCharacters(text: string): string | null {
  const characters: string[] = [];
  const pairs: string[] = [];
  let previous = '';
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    if (codePoint === 0 || codePoint === 0xfffd) return null;
    if (IS_UNSPACED[codePoint] === 1) {
      characters.push(character);
      if (previous !== '') pairs.push(previous + character);
      previous = character;
    } else if (previous !== '') {
      characters.push(SEPARATOR);
      previous = '';
    }
  }
  return (pairs.length === 0 ? characters : [...characters, SEPARATOR, ...pairs]).join(' ');
}
