import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSearch } from '#analysis/find/search-query.ts';
import {
  createTweetSearch,
  type FoundTweet,
  positionOf,
  type SearchPosition,
} from '#analysis/find/tweet-search-sql.ts';
import { DAY } from '#base/clock.ts';
import type { Db } from '#store/sqlite/database.ts';
import { addTweet, addUser, temporaryStore } from '../twin/support.ts';

const START = Date.parse('2024-01-01T00:00:00Z');
const WORDS = ['sun', 'moon', 'sea', '🎉', '東京', 'éclair'];
const NAMES = ['ada', 'bob'];
const dayOf = (n: number): string => new Date(START + n * DAY).toISOString().slice(0, 10);

interface StoredTweet {
  readonly author: number;
  readonly words: readonly string[];
  readonly tags: readonly string[];
  readonly mentions: readonly string[];
  readonly at: number;
}

/** A condition as it is written, and what it means for a tweet: the specification, in the simplest words. */
interface Condition {
  readonly written: string;
  readonly holds: (tweet: StoredTweet) => boolean;
}

const inOrder = (words: readonly string[], expected: readonly string[]): boolean =>
  words.some((_, i) => expected.every((word, k) => words[i + k] === word));

const tweet: fc.Arbitrary<StoredTweet> = fc.record({
  author: fc.nat(1),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
  tags: fc.subarray(['x', 'y']),
  mentions: fc.subarray(NAMES),
  // On the first and the last millisecond of days as often as in between.
  at: fc.tuple(fc.nat(3), fc.constantFrom(0, DAY - 1, DAY / 2)).map(([n, ms]) => START + n * DAY + ms),
});

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom(...WORDS).map((word) => ({ written: word, holds: ({ words }: StoredTweet) => words.includes(word) })),
  fc.tuple(fc.constantFrom('sun', 'moon', 'sea'), fc.constantFrom('sun', 'moon', 'éclair')).map((pair) => ({
    written: `"${pair.join(' ').toUpperCase()}"`,
    holds: ({ words }: StoredTweet) => inOrder(words, pair),
  })),
  fc
    .nat(1)
    .map((n) => ({ written: `from:@${NAMES[n]!.toUpperCase()}`, holds: ({ author }: StoredTweet) => author === n })),
  fc
    .constantFrom('x', 'y')
    .map((tag) => ({ written: `#${tag}`, holds: ({ tags }: StoredTweet) => tags.includes(tag) })),
  fc.constantFrom(...NAMES).map((name) => ({
    written: `@${name}`,
    holds: ({ mentions }: StoredTweet) => mentions.includes(name),
  })),
  fc.nat(4).map((n) => ({ written: `since:${dayOf(n)}`, holds: ({ at }: StoredTweet) => at >= START + n * DAY })),
  fc.nat(4).map((n) => ({ written: `until:${dayOf(n)}`, holds: ({ at }: StoredTweet) => at < START + n * DAY })),
);

const world = fc.array(tweet, { maxLength: 12 });
const query = fc.array(condition, { minLength: 1, maxLength: 4 });

/** The store of one run: emptied for the next. */
function refill(db: Db, stored: readonly StoredTweet[], authors: readonly number[]): void {
  for (const table of ['tweets', 'tweet_hashtags', 'tweet_mentions']) db.$client.exec(`delete from ${table}`);
  for (const [i, { author, words, tags, mentions, at }] of stored.entries())
    addTweet(db, {
      id: i + 1,
      restId: String(i),
      authorId: authors[author]!,
      text: [...words, ...tags.map((tag) => `#${tag}`), ...mentions.map((name) => `@${name}`)].join(' '),
      tags: [...tags],
      mentions: [...mentions],
      createdAt: at,
    });
}

function lawful() {
  const db = temporaryStore();
  const authors = NAMES.map((screenName, i) => addUser(db, { restId: `u${i}`, screenName }));
  return { db, authors };
}

/** The places of found tweets in the list of stored ones. */
const idsOf = (found: readonly FoundTweet[]): number[] => found.map(({ id }) => id - 1);
const written = (conditions: readonly Condition[]): string => conditions.map((each) => each.written).join(' ');
const newestFirst = (stored: readonly StoredTweet[]) => (a: number, b: number) =>
  stored[b]!.at - stored[a]!.at || b - a;

describe('a search', () => {
  test('finds exactly the tweets that match all conditions', () => {
    const { db, authors } = lawful();
    const { findPage: search } = createTweetSearch(db);
    fc.assert(
      fc.property(world, query, (stored, conditions) => {
        refill(db, stored, authors);
        const found = idsOf(search(parseSearch(written(conditions)), undefined, 100));
        const expected = stored.flatMap((each, i) => (conditions.every(({ holds }) => holds(each)) ? [i] : []));
        // Only the index reckons relevance; without words the order is known.
        const isRanked = /sun|moon|sea|éclair|🎉|東京/i.test(written(conditions));
        expect(isRanked ? found.toSorted(newestFirst(stored)) : found).toEqual(expected.toSorted(newestFirst(stored)));
      }),
      { numRuns: 300 },
    );
  });

  test('is deterministic, and a shorter page is a prefix of a longer one', () => {
    const { db, authors } = lawful();
    const { findPage: search } = createTweetSearch(db);
    fc.assert(
      fc.property(world, query, fc.nat(5), (stored, conditions, limit) => {
        refill(db, stored, authors);
        const terms = parseSearch(written(conditions));
        const whole = idsOf(search(terms, undefined, 100));
        expect(idsOf(search(terms, undefined, 100))).toEqual(whole);
        expect(idsOf(search(terms, undefined, limit))).toEqual(whole.slice(0, limit));
      }),
    );
  });

  test('is the same page by page for any page size', () => {
    const { db, authors } = lawful();
    const { findPage: search } = createTweetSearch(db);
    fc.assert(
      fc.property(world, query, fc.integer({ min: 1, max: 4 }), (stored, conditions, limit) => {
        refill(db, stored, authors);
        const terms = parseSearch(written(conditions));
        const pages: number[][] = [];
        let after: SearchPosition | undefined;
        do {
          const found = search(terms, after, limit + 1);
          const page = found.slice(0, limit);
          pages.push(idsOf(page));
          after = found.length > limit ? positionOf(page.at(-1)!) : undefined;
        } while (after && pages.length <= stored.length);
        expect(pages.flat()).toEqual(idsOf(search(terms, undefined, 100)));
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('finds only matches in a store above its limits', () => {
    const { db, authors } = lawful();
    const { findPage: bounded } = createTweetSearch(db, { maxExamined: 3, maxRanked: 2 });
    fc.assert(
      fc.property(world, query, (stored, conditions) => {
        refill(db, stored, authors);
        for (const i of idsOf(bounded(parseSearch(written(conditions)), undefined, 100)))
          expect(conditions.every(({ holds }) => holds(stored[i]!))).toBe(true);
      }),
    );
  });

  test('reads at most its limit of tweets', () => {
    const { db, authors } = lawful();
    const at = (n: number): StoredTweet => ({
      author: 0,
      words: ['sun', '🎉'],
      tags: ['x'],
      mentions: ['ada'],
      at: START + n,
    });
    refill(
      db,
      Array.from({ length: 10 }, (_, n) => at(n)),
      authors,
    );
    const { findPage: bounded } = createTweetSearch(db, { maxExamined: 4, maxRanked: 3 });
    const found = (rawQuery: string) => idsOf(bounded(parseSearch(rawQuery), undefined, 100));
    expect(found('since:2024-01-01')).toEqual([9, 8, 7, 6]);
    expect(found('🎉')).toEqual([9, 8, 7]);
    expect(found('from:ada 🎉')).toEqual([9, 8, 7]);
    expect(found('#x')).toEqual([9, 8, 7, 6]);
    expect(found('@ada #x until:2024-01-02')).toEqual([9, 8, 7, 6]);
    expect(found('sun')).toEqual([9, 8, 7]);
    expect(found('sun #x 🎉')).toEqual([9, 8, 7]);
  });
});
