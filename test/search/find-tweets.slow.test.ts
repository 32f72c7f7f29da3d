import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTweets, type FindTweetsOptions } from '#analysis/find/find-tweets.ts';
import type { Db } from '#store/sqlite/database.ts';
import { addTweet, addUser, NOW, temporaryStore } from '../twin/support.ts';
import { isNaiveMatch, naiveHighlights } from './naive-search.ts';
import { searchedTexts } from './searched-texts.ts';

const ALL: FindTweetsOptions = { order: 'relevance', limit: 100, includeHidden: false };

function refill(db: Db, texts: readonly string[]): void {
  db.$client.exec('delete from tweets');
  for (const [i, each] of texts.entries()) addTweet(db, { id: i + 1, restId: String(i), text: each, createdAt: i });
}

const idsOf = (results: readonly { readonly restId: string }[]): string[] => results.map(({ restId }) => restId);

describe('trawl finds tweets', () => {
  test('exactly those that match, with exactly the places that match', () => {
    const db = temporaryStore();
    fc.assert(
      fc.property(searchedTexts, ({ texts, terms }) => {
        refill(db, texts);
        const { results, matched } = findTweets(db, terms.map(({ written }) => written).join(' '), ALL);
        const found = results.map(({ restId, highlights }) => [
          restId,
          highlights.map(({ start, end }) => [start, end]),
        ]);
        const sought = terms.map(({ term }) => term);
        const expected = texts.flatMap((each, i) =>
          isNaiveMatch([each], sought) ? [[String(i), naiveHighlights(each, sought)]] : [],
        );
        expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
        expect(matched).toBe(expected.length);
      }),
      { numRuns: 150 },
    );
  });

  test('that have a word or a phrase of any letters, digits and marks', () => {
    const db = temporaryStore();
    const characters = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code));
    const among = (category: RegExp) => fc.constantFrom(...characters.filter((each) => category.test(each)));
    const letter = among(/^[\p{L}\p{N}]$/u);
    const mark = among(/^(?!\p{VS})[\p{Mn}\p{Mc}]$/u);
    const word = fc
      .tuple(letter, fc.array(fc.oneof(letter, mark), { maxLength: 4 }))
      .map(([first, rest]) => [first, ...rest].join(''));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), fc.boolean(), (words, isOneText) => {
        refill(db, [`x ${words.join(', ')} x`, '—']);
        const query = isOneText ? `"${words.join(' ')}"` : words.map((each) => `"${each}"`).join(' ');
        expect(idsOf(findTweets(db, query, ALL).results)).toEqual(['0']);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['lol', 'lol🤣', true],
    ['🤣', 'lol🤣', true],
    ['"lol 🤣 so"', 'lol 🤣 so', true],
    ['"lol so"', 'lol 🤣 so', false],
    ['C++', 'C and C++', true],
    ['C++', 'C and ++', false],
    ['s̶t̶r̶i̶k̶e̶', 's̶t̶r̶i̶k̶e̶', true],
    ['½', '1⁄2', true],
    ['⑴', '1', true],
    ['ﷺ', 'صلى الله عليه وسلم', true],
    ['"キロ" "㌔"', 'キロ', true],
    ['東\u{105E4}', '東\u{105DA}', true],
    // Each word has 27 spellings here.
    ['"aaa aaa aaa"', 'ａaａ ａａａ aａa', true],
    ['"aaa aaa aab"', 'ａaａ aab ａａａ', false],
    ['rain OR snow', 'snow', true],
    ['rain OR "first snow" OR fog', 'first snow', true],
    ['rain OR "first snow" wind', 'first snow', false],
    ['rain -snow', 'rain', true],
    ['rain -snow', 'rain and Snow', false],
    ['-"first snow" snow', 'snow first', true],
    ['-"first snow" snow', 'the first snow', false],
    ['-rain', 'snow', true],
    ['OR', 'either or', true],
    ['rain OR', 'rain', false],
    ['rain ... !', 'rain', true],
  ])('%s in %s: %s', (query, text, isFound) => {
    const db = temporaryStore();
    const letters = ['a', 'ａ', '𝐚'];
    const spellings = letters.flatMap((x) => letters.flatMap((y) => letters.map((z) => x + y + z)));
    refill(db, [text, spellings.join(' ')]);
    expect(idsOf(findTweets(db, query, ALL).results).includes('0')).toBe(isFound);
  });

  test('by relevance, by time and by likes', () => {
    const db = temporaryStore();
    addTweet(db, {
      restId: 'long',
      text: 'coffee and a lot of other words about other drinks',
      createdAt: 3,
      favoriteCount: 5,
    });
    addTweet(db, { restId: 'short', text: 'coffee coffee', createdAt: 2, favoriteCount: 7 });
    addTweet(db, {
      restId: 'unliked',
      text: 'one more sentence that has coffee in it',
      createdAt: 1,
      favoriteCount: null,
    });
    const sorted = (order: FindTweetsOptions['order'], query = 'coffee') =>
      idsOf(findTweets(db, query, { ...ALL, order }).results);
    expect(sorted('relevance')[0]).toBe('short');
    expect(sorted('newest')).toEqual(['long', 'short', 'unliked']);
    expect(sorted('oldest')).toEqual(['unliked', 'short', 'long']);
    expect(sorted('likes')).toEqual(['short', 'long', 'unliked']);
    // Without words, nothing is more relevant than anything else.
    expect(sorted('relevance', 'until:2024-01-01')).toEqual(['long', 'short', 'unliked']);
  });

  test('without deleted ones and those of unavailable accounts, and counts them', () => {
    const db = temporaryStore();
    const [here, gone] = [addUser(db, { restId: '1' }), addUser(db, { restId: '2', lastSeenAt: NOW - 10 })];
    const deleted = addTweet(db, { restId: 'deleted', authorId: here, text: 'coffee' });
    addTweet(db, { restId: 'suspected', authorId: here, text: 'coffee', id: 50 });
    addTweet(db, { restId: 'of gone', authorId: gone, text: 'coffee' });
    addTweet(db, { restId: 'of nobody', authorId: null, text: 'coffee' });
    db.$client.exec(`
      insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id) values
        (${deleted}, ${NOW + 1}, ${NOW + 2}, 1), (50, ${NOW + 1}, null, 1);
      insert into crawls (id, kind, target, options, priority, state, reason, target_rest_id, created_at, updated_at) values
        (1, 'followers', 'id:2', '{}', 'interactive', 'failed', 'not_found', '2', ${NOW}, ${NOW});
      insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes) values
        (1, 'followers', ${NOW}, 404, 1, 1)`);
    for (const query of ['coffee', 'since:2024-01-01']) {
      const shown = findTweets(db, query, ALL);
      expect(new Set(idsOf(shown.results))).toEqual(new Set(['suspected', 'of nobody']));
      expect(shown).toMatchObject({ matched: 2, hidden: { deletedTweets: 1, unavailableAccounts: 1 } });
      const all = findTweets(db, query, { ...ALL, includeHidden: true });
      expect(all).toMatchObject({ matched: 4, hidden: { deletedTweets: 1, unavailableAccounts: 1 } });
      expect(Object.fromEntries(all.results.map(({ restId, state }) => [restId, state]))).toEqual({
        deleted: 'deleted',
        'of gone': 'account_unavailable',
        suspected: null,
        'of nobody': null,
      });
    }
  });

  test('and counts matches beyond the limit of results', () => {
    const db = temporaryStore();
    refill(
      db,
      Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? 'tea' : 'coffee 🎉')),
    );
    for (const query of ['coffee', '🎉', 'until:2024-01-01 coffee'])
      expect(findTweets(db, query, { ...ALL, limit: 5 })).toMatchObject({
        matched: 20,
        limits: [],
        ids: { length: 5 },
      });
  });
});

describe('a search above its limits', () => {
  const bounds = { maxExamined: 4, maxRanked: 3 };
  const db = () => {
    const store = temporaryStore();
    refill(store, ['東京へ', 'カメラ', 'sun 東京', ...Array.from({ length: 6 }, () => 'sun 🎉 x')]);
    return store;
  };
  const find = (store: Db, query: string, more: Partial<FindTweetsOptions> = {}) => {
    const { results, limits } = findTweets(store, query, { ...ALL, bounds, ...more });
    return { texts: results.map(({ text: each }) => each ?? '').toSorted((a, b) => (a < b ? -1 : 1)), limits };
  };

  test('says that more match than it ranks', () => {
    expect(find(db(), 'sun')).toEqual({ texts: Array.from({ length: 3 }, () => 'sun 🎉 x'), limits: ['ranked'] });
  });

  test('says that it did not read all', () => {
    const store = db();
    const more = { bounds: { maxExamined: 4, maxRanked: 10 } };
    expect(find(store, 'sun -fog', more)).toMatchObject({ texts: { length: 4 }, limits: ['read'] });
    expect(find(store, 'since:1970-01-01', more)).toMatchObject({ texts: { length: 4 }, limits: ['read'] });
    expect(find(store, '-fog', more)).toMatchObject({ texts: { length: 4 }, limits: ['read'] });
    expect(find(store, 'sun until:1970-01-01')).toEqual({ texts: [], limits: [] });
  });

  test('says nothing if it read all', () => {
    expect(find(db(), 'sun 🎉', { bounds: { maxExamined: 20, maxRanked: 20 } }).limits).toEqual([]);
    expect(find(db(), '東京')).toEqual({ texts: ['sun 東京', '東京へ'], limits: [] });
    expect(find(db(), 'ｶﾒﾗ')).toEqual({ texts: ['カメラ'], limits: [] });
  });
});
