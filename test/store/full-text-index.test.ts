import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toSearchText } from '#base/search-text.ts';
import type { DetailLevel } from '#store/schema/normalised-rows.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import type { Store } from '#store/store.ts';
import { makeWorld, number } from '../world/worlds.ts';
import { newStore, readerOf, startCrawl, tweet, user } from './support.ts';

/** Texts of a row, by its id. */
type Texts = Record<string, unknown>;

/** The words of all rows of a table, and what its index has. */
function readIndex(program: Database.Database, table: 'tweets' | 'users', columns: readonly string[]) {
  program.exec(`insert into ${table}_fts (${table}_fts) values ('integrity-check')`);
  const read = (from: string) => program.prepare<[], Texts>(`select ${from} order by 1`).all();
  const words = (text: unknown): unknown => (typeof text === 'string' ? toSearchText(text) : text);
  const rows = read(`id, ${columns.join(', ')} from ${table}`);
  return {
    expected: rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, words(value)]))),
    indexed: read(`rowid as id, ${columns.join(', ')} from ${table}_fts`),
  };
}

const matching = (store: Store, query: string) =>
  readerOf(store)
    .prepare(
      'select rest_id from v_users where id in (select rowid from users_fts where users_fts match ?) order by id',
    )
    .pluck()
    .all(query);

describe('full-text search over users', () => {
  test('finds users by handle, name and description when their crawl is released, and follows changes at once', async () => {
    const store = newStore();
    const crawl = await startCrawl(store);
    await crawl.store({
      users: [
        user('1', { screenName: 'ada', name: 'Ada Lovelace' }),
        user('2', { screenName: 'bob', description: 'Poèmes, and ada too' }),
        user('3', { detailLevel: 'reference', name: 'Before' }),
        user('4', { name: '山田太郎', description: '東京で働く' }),
      ],
    });
    await crawl.handBack();
    expect(matching(store, 'ada')).toEqual(['1', '2']);
    expect(matching(store, 'description: ada')).toEqual(['2']);
    expect(matching(store, 'poem*')).toEqual(['2']);
    expect(matching(store, '"東 京"')).toEqual(['4']);
    // Name and biography are two texts.
    expect(matching(store, '"郎 東"')).toEqual([]);
    const next = await startCrawl(store, 'esa', 10);
    await next.store({ users: [user('3', { name: 'After', description: 'Said later 大阪' })] });
    expect(matching(store, 'before')).toEqual([]);
    expect(matching(store, 'after later')).toEqual(['3']);
    await next.handBack();
    expect(matching(store, '"大 阪"')).toEqual(['3']);
  });

  test('includes users that were stored before the index', async () => {
    const { db } = await makeWorld(30, 2);
    expect(number(db, 'select count(*) from users_fts_docsize')).toBe(30);
  });

  test('has the words of the table after every release, also after writes of other programs', async () => {
    const store = newStore();
    const program = openDatabase(store.path).$client;
    onTestFinished(() => void program.close());
    const words = fc.constantFrom(
      null,
      '',
      'moon',
      'the moon',
      'naïve',
      '月 🚀',
      '東京のカフェ',
      'ｶﾒﾗ\u3099',
      '\uFFFD猫',
    );
    const seen = fc.record({
      restId: fc
        .integer({
          min: 1,
          max: 60,
        })
        .map(String),
      screenName: words,
      name: words,
      description: words,
      detailLevel: fc.constantFrom<DetailLevel>('reference', 'summary', 'profile'),
    });
    const pages = fc.array(fc.array(seen, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
    const anyUser = 'id = (select id from users order by random() limit 1)';
    const writes = fc.subarray([
      `delete from users where ${anyUser}`,
      `update users set description = '東京 ½', name = '猫' where ${anyUser}`,
      `insert into users (rest_id, name, first_seen_at) values ('x' || abs(random()), '東京', 1)`,
    ]);
    let crawls = 0;
    await fc.assert(
      fc.asyncProperty(pages, writes, writes, async (some, before, after) => {
        for (const each of before) program.exec(each);
        const crawl = await startCrawl(store, `target ${++crawls}`);
        for (const users of some) await crawl.store({ users });
        for (const each of after) program.exec(each);
        await (crawls % 2 ? crawl.handBack() : crawl.end());
        const { indexed, expected } = readIndex(program, 'users', ['screen_name', 'name', 'description']);
        expect(indexed).toEqual(expected);
      }),
      // The runs share a store, so a smaller case of the same failure would prove nothing.
      { numRuns: 100, endOnFailure: true },
    );
  });
});

describe('full-text search over tweets', () => {
  test('has the words of the table after every release, also after writes of other programs', async () => {
    const store = newStore();
    const program = openDatabase(store.path).$client;
    onTestFinished(() => void program.close());
    const texts = fc.constantFrom(null, '', 'moon', '月 🚀', '東京のカフェ', 'ｶﾒﾗ\u3099', '\uFFFD猫', 'มาลี 山田');
    const seen = fc.record({ restId: fc.integer({ min: 1, max: 40 }).map(String), text: texts });
    const pages = fc.array(fc.array(seen, { maxLength: 6 }), { minLength: 1, maxLength: 3 });
    const anyTweet = 'id = (select id from tweets order by random() limit 1)';
    const writes = fc.subarray([
      `delete from tweets where ${anyTweet}`,
      'delete from tweets where id = (select max(id) from tweets)',
      `update tweets set text = '京都 ½' where ${anyTweet}`,
      "insert into tweets (rest_id, text, first_seen_at, last_seen_at) values ('x' || abs(random()), '京都', 1, 1)",
    ]);
    let crawls = 0;
    await fc.assert(
      fc.asyncProperty(pages, writes, async (some, others) => {
        const crawl = await startCrawl(store, `target ${++crawls}`);
        for (const each of some) await crawl.store({ tweets: each.map(({ restId, text }) => tweet(restId, { text })) });
        for (const each of others) program.exec(each);
        await crawl.handBack();
        const { indexed, expected } = readIndex(program, 'tweets', ['text']);
        expect(indexed).toEqual(expected);
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });
});
