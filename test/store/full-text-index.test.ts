import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listUnspacedCharacters } from '#store/merge/full-text-index.ts';
import type { DetailLevel } from '#store/schema/normalised-rows.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import type { Store } from '#store/store.ts';
import { tempFile } from '../support/temp.ts';
import { makeWorld, number } from '../world/worlds.ts';
import { newStore, readerOf, startCrawl, tweet, user } from './support.ts';

/** SQL of a text with a NUL, and of one that is not valid UTF-8. */
const IRREGULAR = ["'東京' || char(0) || '大阪'", "cast(x'E69DB1E69D20E4BAAC' as text)"];

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
    expect(matching(store, '東京')).toEqual(['4']);
    expect(matching(store, '"山 田 太 郎"')).toEqual(['4']);
    // Name and biography are two texts.
    expect(matching(store, '郎東')).toEqual([]);
    const next = await startCrawl(store, 'esa', 10);
    await next.store({ users: [user('3', { name: 'After', description: 'Said later' })] });
    expect(matching(store, 'before')).toEqual([]);
    expect(matching(store, 'after later')).toEqual(['3']);
  });

  test('includes users that were stored before the index', async () => {
    const { db } = await makeWorld(30, 2);
    expect(number(db, 'select count(*) from users_fts_docsize')).toBe(30);
  });

  test('matches the table after every release, and after writes of other programs', async () => {
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
      ...IRREGULAR.map((text) => `update users set description = ${text}, name = '猫' where ${anyUser}`),
      ...IRREGULAR.map(
        (text) =>
          `insert into users (rest_id, name, first_seen_at) values ('x' || abs(random()), ${text}, 1), ('x' || abs(random()), '東京', 1)`,
      ),
      "update crawls set state = state where state <> 'running'",
    ]);
    let crawls = 0;
    await fc.assert(
      fc.asyncProperty(pages, writes, writes, async (some, before, after) => {
        for (const each of before) program.exec(each);
        const crawl = await startCrawl(store, `target ${++crawls}`);
        for (const users of some) await crawl.store({ users });
        for (const each of after) program.exec(each);
        await (crawls % 2 ? crawl.handBack() : crawl.end());
        // Compares the index with the rows of the table, and throws where they differ.
        program.exec("insert into users_fts (users_fts, rank) values ('integrity-check', 1)");
        expect(program.prepare('select id from users except select id from users_fts_docsize').all()).toEqual([]);
      }),
      // The runs share a store, so a smaller case of the same failure would prove nothing.
      { numRuns: 100, endOnFailure: true },
    );
  });
});

describe('full-text search over tweets', () => {
  test('matches the table after every page, and after writes of other programs', async () => {
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
      ...[...IRREGULAR, "'京都'"].flatMap((text) => [
        `update tweets set text = ${text} where ${anyTweet}`,
        `insert into tweets (rest_id, text, first_seen_at, last_seen_at) values ('x' || abs(random()), ${text}, 1, 1)`,
      ]),
    ]);
    const crawl = await startCrawl(store);
    await fc.assert(
      fc.asyncProperty(pages, writes, async (some, others) => {
        for (const each of some) await crawl.store({ tweets: each.map(({ restId, text }) => tweet(restId, { text })) });
        for (const each of others) program.exec(each);
        program.exec("insert into tweets_fts (tweets_fts, rank) values ('integrity-check', 1)");
        expect(program.prepare('select id from tweets except select id from tweets_fts_docsize').all()).toEqual([]);
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });
});

describe('the characters of scripts without spaces', () => {
  /** Returns the column as SQLite computes it for a user of this name, and the text that it is computed from. */
  function prepareView() {
    const { $client: db } = openDatabase(tempFile('store.db'));
    onTestFinished(() => void db.close());
    const insert = db.prepare('insert or replace into users (id, rest_id, name, first_seen_at) values (1, 1, ?, 1)');
    const read = db.prepare<[], string | null>('select characters from _users_fts_source where id = 1').pluck();
    return (name: string) => {
      insert.run(name);
      return { text: `\n${name}\n`, characters: read.get() ?? '' };
    };
  }

  test('are those that the view has, for every code point', () => {
    const view = prepareView();
    for (let start = 1; start < 0x40_100; start += 255) {
      const codePoints = Array.from({ length: 255 }, (_, i) => start + i);
      // The program never stores surrogates; U+FFFD is left to the view.
      const valid = codePoints.filter((each) => !(each >= 0xd800 && each < 0xe000) && each !== 0xfffd);
      const { text, characters } = view(valid.map((each) => String.fromCodePoint(each)).join(''));
      expect(listUnspacedCharacters(text), `from ${start.toString(16)}`).toBe(characters);
    }
  });

  test('are those that the view has, for any text', () => {
    const view = prepareView();
    const unspaced = fc.constantFrom(
      '東',
      '京',
      'カ',
      '한',
      '국',
      'ก',
      'า',
      'ນ',
      'ျ',
      'ｶ',
      '々',
      'ー',
      'ㄱ',
      'ꀀ',
      '\u{20000}',
      '\u{1AFF0}',
    );
    const others = fc.constantFrom(' ', '、', '・', 'a', 'é', '🎉', '\n', '\u3099', '้', '\uFE0F', '\uE000', '豈', '﫿');
    const anything = fc.string({ unit: 'binary', maxLength: 1 }).filter((each) => each !== '\0' && each !== '\uFFFD');
    const piece = fc.oneof({ weight: 4, arbitrary: unspaced }, { weight: 2, arbitrary: others }, anything);
    const short = fc.array(piece, { maxLength: 12 });
    // The view reads blocks of 256 characters.
    const long = fc.tuple(fc.integer({ min: 240, max: 260 }), fc.nat(2), piece, short);
    const texts = fc.oneof(
      short,
      long.map(([length, more, filler, rest]) => [...Array<string>(length + 256 * more).fill(filler), ...rest]),
    );
    fc.assert(
      fc.property(texts, (pieces) => {
        const { text, characters } = view(pieces.join(''));
        expect(listUnspacedCharacters(text)).toBe(characters);
      }),
      { numRuns: 1000 },
    );
  });

  test('are left to the view where SQLite may read a text differently', () => {
    expect(listUnspacedCharacters('東京\0大阪')).toBe(null);
    expect(listUnspacedCharacters('東京\uFFFD')).toBe(null);
  });
});
