import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { tempDir } from '../support/temp.ts';

/** A plain connection to a store, as of the sqlite3 shell. */
function shell(): Database.Database {
  const path = `${tempDir()}/store.db`;
  openDatabase(path).$client.close();
  const db = openConnection(path);
  db.pragma('synchronous = off');
  db.pragma('foreign_keys = off');
  onTestFinished(() => void db.close());
  return db;
}

/** Rows of a full-text table that match, in order. */
const matching = (db: Database.Database, table: string, query: string): number[] =>
  db.prepare<[string], number>(`select rowid from ${table} where ${table} match ? order by 1`).pluck().all(query);

/** One or two characters as they are; more in quotes, with a space between all of them. */
const written = (characters: readonly string[]): string =>
  characters.length > 2 ? `"${characters.join(' ')}"` : characters.join('');

const UNSPACED = ['東', '京', '都', '猫', 'の', 'カ', 'ー', '한', '국', 'ก', 'า', 'ນ', 'ျ', '\u{20000}', 'ｶ'];
const OTHERS = [' ', '、', '・', 'a', 'foo', 'Bar', 'é', '7', '🎉', '\n', '’', 'я', '\uE000'];
const MARKS = ['ั', 'ี', '้', 'ិ', '\u3099'];
const hasNoMark = (each: string): boolean => !/\p{M}/u.test(each);

const textOf = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((some) => some.join(''));
const mixed = textOf([...UNSPACED.filter(hasNoMark), ...UNSPACED.filter(hasNoMark), ...OTHERS]);
const needle = fc.array(fc.constantFrom(...UNSPACED.filter(hasNoMark)), { minLength: 1, maxLength: 5 });
/** A write to a row: an insert, a change of its text, or a deletion. */
const write = fc.record({ id: fc.integer({ min: 1, max: 6 }), text: fc.option(mixed, { freq: 5 }) });

function prepareWrites(db: Database.Database) {
  const set = db.prepare(
    `insert into tweets (id, rest_id, text, first_seen_at, last_seen_at) values (@id, @id, @text, 1, 1)
     on conflict (id) do update set text = excluded.text`,
  );
  const remove = db.prepare('delete from tweets where id = ?');
  return ({ id, text }: { id: number; text: string | null }): void => {
    if (text === null) remove.run(id);
    else set.run({ id, text });
  };
}

describe('full-text search over scripts without spaces', () => {
  test('finds tweets with adjacent characters after any writes, changes and deletions', () => {
    const db = shell();
    const apply = prepareWrites(db);
    const holding = db.prepare<[string], number>('select id from tweets where instr(text, ?) > 0 order by 1').pluck();
    fc.assert(
      fc.property(
        fc.array(write, { maxLength: 14 }),
        fc.array(needle, { minLength: 1, maxLength: 4 }),
        (writes, all) => {
          for (const each of writes) apply(each);
          for (const sought of all)
            expect(matching(db, 'tweets_fts', written(sought))).toEqual(holding.all(sought.join('')));
          // Compares the index with the rows of the table, and throws where they differ.
          db.exec("insert into tweets_fts (tweets_fts, rank) values ('integrity-check', 1)");
        },
      ),
      { numRuns: 400 },
    );
  });

  test('does not change the results of ordinary words', () => {
    const db = shell();
    const apply = prepareWrites(db);
    db.exec(
      "create virtual table plain using fts5(text, content='tweets', content_rowid='id', tokenize='unicode61 remove_diacritics 2')",
    );
    const queries = ['foo', 'bar', 'a', '7', 'e', 'я', 'fo*', '"foo bar"', 'foo NOT bar', '東京都*'];
    fc.assert(
      fc.property(fc.array(write, { maxLength: 14 }), (writes) => {
        for (const each of writes) apply(each);
        db.exec("insert into plain (plain) values ('rebuild')");
        const ordinary = queries.filter((query) => !query.startsWith('東'));
        for (const query of ordinary) expect(matching(db, 'tweets_fts', query)).toEqual(matching(db, 'plain', query));
        // Runs of other scripts are still found by their beginnings.
        expect(matching(db, 'tweets_fts', '東京都*')).toEqual(expect.arrayContaining(matching(db, 'plain', '東京都*')));
      }),
      { numRuns: 200 },
    );
  });

  test('ignores marks above and below letters, as for other words', () => {
    const db = shell();
    const apply = prepareWrites(db);
    const marked = textOf([...UNSPACED, ...MARKS, ' ', 'foo']);
    const soughtIn = (text: string) => [...text.replaceAll(/[^\p{L}\p{M}]|[a-z]/gu, '\uE000').matchAll(/[^\uE000]+/gu)];
    fc.assert(
      fc.property(marked, fc.nat(), fc.integer({ min: 1, max: 6 }), (text, from, length) => {
        apply({ id: 1, text });
        for (const [run] of soughtIn(text)) {
          const characters = Array.from(run);
          const start = from % characters.length;
          const sought = characters.slice(start, start + length);
          if (sought.every((each) => /\p{M}/u.test(each))) continue;
          expect(matching(db, 'tweets_fts', `"${sought.join(' ')}"`), text).toEqual([1]);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('finds the last characters of a very long text quickly', () => {
    const db = shell();
    prepareWrites(db)({ id: 1, text: `${'東京都'.repeat(20_000)}猫の国` });
    expect(matching(db, 'tweets_fts', '"都 猫 の 国"')).toEqual([1]);
    expect(matching(db, 'tweets_fts', '国')).toEqual([1]);
    expect(matching(db, 'tweets_fts', '"国 東"')).toEqual([]);
  });

  test('finds users by biography, name and handle, when their crawl is released and after changes', () => {
    const db = shell();
    const user = db.prepare(
      'insert into users (id, rest_id, screen_name, name, description, first_seen_at) values (?, ?, ?, ?, ?, 1)',
    );
    db.exec(
      "insert into crawls (kind, target, options, priority, state, created_at, updated_at) values ('profile', '1', '{}', 'interactive', 'running', 1, 1)",
    );
    user.run(1, '1', 'taro', '山田太郎', '東京でコーヒーを飲む writer');
    user.run(2, '2', 'ada', 'Ada', 'writer');
    user.run(3, '3', 'malee', 'มาลี', null);
    db.exec("update crawls set state = 'complete'");
    expect(matching(db, 'users_fts', '東京')).toEqual([1]);
    expect(matching(db, 'users_fts', '"コ ー ヒ ー"')).toEqual([1]);
    expect(matching(db, 'users_fts', '太郎')).toEqual([1]);
    expect(matching(db, 'users_fts', '"ม า ล ี"')).toEqual([3]);
    // Name and biography are two texts.
    expect(matching(db, 'users_fts', '郎東')).toEqual([]);
    expect(matching(db, 'users_fts', 'description: writer')).toEqual([1, 2]);
    db.exec("update users set description = '大阪の writer' where id = 1; delete from users where id = 3");
    expect(matching(db, 'users_fts', '東京')).toEqual([]);
    expect(matching(db, 'users_fts', '大阪')).toEqual([1]);
    expect(matching(db, 'users_fts', '"ม า ล ี"')).toEqual([]);
    db.exec("insert into users_fts (users_fts, rank) values ('integrity-check', 1)");
  });
});
