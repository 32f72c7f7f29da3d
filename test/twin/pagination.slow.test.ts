import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '#service/contract/endpoints.ts';
import type { Db } from '#store/sqlite/database.ts';
import { ensureCursorSecret } from '#twin/serve/cursor-secret.ts';
import { createCursors } from '#twin/serve/queries/served-cursors.ts';
import {
  addCommunity,
  addFollow,
  addList,
  addTweet,
  addUser,
  NOW,
  pageOf,
  temporaryFile,
  temporaryStore,
  testTwin,
  readPages,
} from './support.ts';

/**
 * Replaces the content of the store: a user `star` with followers, all of whom it follows; its tweets, three of which
 * share a millisecond each, in a community and a list; and a tweet of another user with as many replies.
 */
function seedStar(db: Db, size: number) {
  const tables = [
    'users',
    '_user_last_seen',
    'follows',
    'tweets',
    'communities',
    'community_tweets',
    'lists',
    'list_tweets',
  ];
  db.$client.exec(tables.map((table) => `delete from ${table};`).join(''));
  const star = addUser(db, { restId: 'star', screenName: 'star' });
  const other = addUser(db, { restId: 'other', screenName: 'other' });
  const ids = Array.from({ length: size }, (_, i) => addUser(db, { restId: `f${i}` }));
  // Edges arrive in another order than the people.
  for (const id of ids.toReversed()) {
    addFollow(db, id, star);
    addFollow(db, star, id);
  }
  const tweetIds = ids.map((_, i) =>
    addTweet(db, { restId: `t${i}`, text: `comet ${i}`, authorId: star, createdAt: NOW + Math.floor(i / 3) }),
  );
  addTweet(db, { restId: 'root', authorId: other });
  for (const i of ids.keys())
    addTweet(db, {
      restId: `r${i}`,
      authorId: other,
      inReplyToStatusRestId: 'root',
      createdAt: NOW + Math.floor(i / 3),
    });
  addCommunity(db, { restId: 'group', tweetIds });
  addList(db, { restId: 'group', tweetIds });
  return { star, other };
}

const numbered = (prefix: string, size: number) => Array.from({ length: size }, (_, i) => `${prefix}${i}`);
const reversed = (prefix: string) => (size: number) => numbered(prefix, size).toReversed();

interface List {
  readonly endpoint: EndpointName;
  readonly parameters: Record<string, string>;
  /** Its ids, in order. */
  readonly expected: (size: number) => string[];
  /** Whether it has cursors only with `--extended`. */
  readonly extended: boolean;
}

const restId = 'star';
const LISTS: readonly List[] = [
  { endpoint: 'user-tweets', parameters: { restId }, expected: reversed('t'), extended: false },
  // The latest to arrive was added first.
  { endpoint: 'followers', parameters: { restId }, expected: reversed('f'), extended: false },
  { endpoint: 'following', parameters: { restId }, expected: (size) => numbered('f', size), extended: false },
  { endpoint: 'user-tweets-replies', parameters: { restId }, expected: reversed('t'), extended: true },
  {
    endpoint: 'tweet-detail',
    parameters: { restId: 'root' },
    expected: (size) => numbered('r', size),
    extended: true,
  },
  { endpoint: 'community-tweets', parameters: { communityId: 'group' }, expected: reversed('t'), extended: true },
  { endpoint: 'list-latest-tweets', parameters: { listId: 'group' }, expected: reversed('t'), extended: true },
  { endpoint: 'search', parameters: { rawQuery: 'from:star' }, expected: reversed('t'), extended: true },
  // All have the same relevance, which changes with every stored tweet.
  { endpoint: 'search', parameters: { rawQuery: 'from:star comet' }, expected: reversed('t'), extended: true },
];

describe.each(LISTS)('the cursors of $endpoint for $parameters', ({ endpoint, parameters, expected, extended }) => {
  test('read the list once, each item in order, and stop (invariant 4)', async () => {
    const db = temporaryStore();
    const twin = await testTwin({ db, pageSize: 5, extended });
    const sizes = { 4: [4], 5: [5], 6: [5, 1], 15: [5, 5, 5], 23: [5, 5, 5, 5, 3] };
    for (const [size, pageSizes] of Object.entries(sizes)) {
      seedStar(db, Number(size));
      const pages = await readPages(twin, endpoint, parameters);
      expect(pages.flat()).toEqual(expected(Number(size)));
      expect(pages.map((page) => page.length)).toEqual(pageSizes);
    }
  });

  test('are refused if they are modified, of another list, or invalid', async () => {
    const db = temporaryStore();
    seedStar(db, 7);
    const twin = await testTwin({ db, pageSize: 5, extended });
    const good = (await pageOf(twin, endpoint, parameters)).next!;

    const changed = Array.from(
      good,
      (letter, i) => good.slice(0, i) + (letter === 'A' ? 'B' : 'A') + good.slice(i + 1),
    );
    const suffixed = ['A', '=', ' ', '.', good].map((suffix) => good + suffix);
    const misused = [good.slice(1), ...suffixed, '!', 'null', '0', '-1'];
    for (const cursor of [...changed, ...misused]) {
      const { status, body } = await twin.get(endpoint, { ...parameters, cursor });
      expect({ cursor, status, body }).toMatchObject({
        cursor,
        status: 400,
        body: { detail: 'The parameter cursor is not a cursor of this list.' },
      });
    }
    const [name] = Object.keys(parameters);
    const ofAnother = await twin.get(endpoint, { [name!]: 'other', cursor: good });
    const number = await twin.post(endpoint, { ...parameters, cursor: 5 });
    const empty = await twin.get(endpoint, { ...parameters, cursor: '' });
    expect([ofAnother.status, number.status, empty.status]).toEqual([400, 400, 200]);
    for (const list of LISTS.filter((other) => extended || !other.extended)) {
      const { status } = await twin.get(list.endpoint, { ...list.parameters, cursor: good });
      expect({ ...list, status }).toMatchObject({
        status: list.parameters === parameters && list.endpoint === endpoint ? 200 : 400,
      });
    }
  });

  test('survive a restart of the twin with another page size', async () => {
    const db = temporaryStore();
    seedStar(db, 12);
    const before = await testTwin({ db, pageSize: 5, extended });
    const { next } = await pageOf(before, endpoint, parameters);
    await before.app.close();
    const after = await testTwin({ db, pageSize: 100, extended });
    expect(await pageOf(after, endpoint, { ...parameters, cursor: next! })).toEqual({
      ids: expected(12).slice(5),
      next: null,
    });
  });

  test('lead to an empty last page if its items are gone', async () => {
    const db = temporaryStore();
    seedStar(db, 6);
    const twin = await testTwin({ db, pageSize: 5, extended });
    const { next } = await pageOf(twin, endpoint, parameters);
    db.$client.exec("delete from tweets where rest_id <> 'root'; delete from follows");
    expect(await pageOf(twin, endpoint, { ...parameters, cursor: next! })).toEqual({ ids: [], next: null });
  });
});

const change = fc.record({
  kind: fc.constantFrom('tweet', 'reply', 'answer', 'follow', 'follow known', 'end', 'count', 'rename', 'see again'),
  at: fc.integer({ min: -3, max: 9 }),
  pick: fc.nat(30),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Creates a function that changes the store like crawls and users of the microblog do. */
function createStoreChanges(db: Db, { star, other }: { star: number; other: number }) {
  let late = 0;
  const run = (text: string, ...values: unknown[]) => void db.$client.prepare(text).run(...values);
  const member = (tweetId: number) => {
    run('insert into community_tweets (community_id, tweet_id, first_seen_at) values (1, ?, 0)', tweetId);
    run('insert into list_tweets (list_id, tweet_id, first_seen_at) values (1, ?, 0)', tweetId);
  };
  const makes: Readonly<Record<Change['kind'], (name: string, at: number, pick: number) => void>> = {
    tweet: (name, at) => member(addTweet(db, { restId: name, authorId: star, createdAt: NOW + at })),
    reply: (name, at) =>
      void addTweet(db, { restId: name, authorId: star, inReplyToStatusRestId: 't0', createdAt: NOW + at }),
    answer: (name, at) =>
      void addTweet(db, { restId: name, authorId: other, inReplyToStatusRestId: 'root', createdAt: NOW + at }),
    follow: (name) => {
      const id = addUser(db, { restId: name });
      addFollow(db, id, star);
      addFollow(db, star, id);
    },
    'follow known': () =>
      run(
        'insert or ignore into follows (followee_id, follower_id, first_seen_at, last_seen_at) values (?, ?, 0, 0)',
        other,
        star,
      ),
    end: () =>
      run("update follows set ended_at = 1 where follower_id in (select id from users where rest_id like 'late%')"),
    count: (_, at, pick) =>
      run(
        "update tweets set favorite_count = ?, text = text || '!', last_seen_at = last_seen_at + 1 where rest_id in ('t' || ?, 'r' || ?)",
        at + 3,
        pick,
        pick,
      ),
    rename: (name, _, pick) =>
      run("update users set screen_name = ?, name = ? where rest_id = 'f' || ?", name, name, pick),
    'see again': (_, at) => run('update follows set last_seen_at = last_seen_at + ? where ended_at is null', at + 3),
  };
  return ({ kind, at, pick }: Change): void => makes[kind](`late${(late += 1)}`, at, pick);
}

test.each(LISTS)(
  'reading $endpoint for $parameters neither repeats nor skips items during changes',
  async ({ endpoint, parameters, expected, extended }) => {
    const db = temporaryStore();
    const twin = await testTwin({ db, pageSize: 3, extended, key: { limit: 1e9 } });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 14 }),
        fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }),
        async (size, changes) => {
          const applyChange = createStoreChanges(db, seedStar(db, size));
          const remainingChanges = [...changes];
          const readIds = (
            await readPages(twin, endpoint, parameters, () => remainingChanges.shift()?.forEach(applyChange))
          ).flat();
          const initialIds = new Set(expected(size));
          expect(readIds.filter((id) => initialIds.has(id))).toEqual(expected(size));
          expect(new Set(readIds).size).toBe(readIds.length);
        },
      ),
      { numRuns: 10 },
    );
  },
);

test('a twin that is not extended gives the other lists no cursor and ignores one', async () => {
  const db = temporaryStore();
  seedStar(db, 12);
  const twin = await testTwin({ db, pageSize: 5 });
  for (const { endpoint, parameters, expected } of LISTS.filter(({ extended }) => extended)) {
    const first = { ids: expected(12).slice(0, 5), next: null };
    expect(await pageOf(twin, endpoint, parameters)).toEqual(first);
    expect(await pageOf(twin, endpoint, { ...parameters, cursor: 'x' })).toEqual(first);
  }
});

test('the cursor entry of an extended twin is that of user-tweets: the last item of the entries', async () => {
  const db = temporaryStore();
  seedStar(db, 6);
  const twin = await testTwin({ db, pageSize: 5, extended: true });
  const entries = [
    (await twin.data('user-tweets', { restId })).timeline.instructions[0]!.entries,
    (await twin.data('user-tweets-replies', { restId })).timeline.instructions[0]!.entries,
    (await twin.data('tweet-detail', { restId: 'root' })).tweet.replies.entries,
    (await twin.data('community-tweets', { communityId: 'group' })).tweets.instructions[0]!.entries,
    (await twin.data('list-latest-tweets', { listId: 'group' })).tweets.entries,
    (await twin.data('search', { rawQuery: 'from:star' })).timeline.instructions[0]!.entries,
  ];
  for (const list of entries) {
    expect(list).toHaveLength(6);
    // `data` has checked the entry against the contract.
    expect(list.at(-1)).toMatchObject({ content: { cursorType: 'Bottom' } });
  }
});

test('page sizes can differ by endpoint and have defaults', async () => {
  const db = temporaryStore();
  seedStar(db, 101);
  const twin = await testTwin({ db, pageSize: { followers: 7 } });
  const sizes = LISTS.map(async ({ endpoint, parameters }) => (await pageOf(twin, endpoint, parameters)).ids.length);
  expect(await Promise.all(sizes)).toEqual([20, 7, 50, 100, 100, 100, 100, 20, 20]);
});

describe('a cursor', () => {
  const scope = fc.record({ endpoint: fc.string(), target: fc.string() });

  test('is valid for its own list only', () => {
    const cursors = createCursors('secret');
    fc.assert(
      fc.property(scope, scope, fc.array(fc.maxSafeInteger(), { minLength: 1 }), (own, other, position) => {
        const cursor = cursors.encode(own, position);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(cursors.decode(own, cursor)).toEqual(position);
        const same = own.endpoint === other.endpoint && own.target === other.target;
        expect(cursors.decode(other, cursor)).toEqual(same ? position : undefined);
        expect(createCursors('another').decode(own, cursor)).toBeUndefined();
      }),
    );
  });

  test('cannot be forged', () => {
    const cursors = createCursors('secret');
    fc.assert(
      fc.property(scope, fc.string(), (own, text) => {
        expect(cursors.decode(own, text)).toBeUndefined();
      }),
    );
  });

  test('is signed with the secret of the store', () => {
    const file = temporaryFile();
    const secret = ensureCursorSecret(temporaryStore(file));
    expect(ensureCursorSecret(temporaryStore(file))).toBe(secret);
    expect(ensureCursorSecret(temporaryStore())).not.toBe(secret);
  });
});
