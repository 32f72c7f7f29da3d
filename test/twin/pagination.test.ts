import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPage } from '../../src/contract/pages.ts';
import type { Db } from '../../src/store/database.ts';
import { createCursors, cursorSecret } from '../../src/twin/cursors.ts';
import { addFollow, addTweet, addUser, NOW, temporaryFile, temporaryStore, testTwin, walk } from './support.ts';

/** A star with followers, all of whom it follows back, and tweets of which three at a time share a millisecond. */
function seedStar(db: Db, size: number) {
  const star = addUser(db, { restId: 'star' });
  const ids = Array.from({ length: size }, (_, i) => addUser(db, { restId: `f${i}` }));
  // Edges arrive in another order than the people.
  for (const id of ids.toReversed()) {
    addFollow(db, id, star);
    addFollow(db, star, id);
  }
  for (let i = 0; i < size; i += 1)
    addTweet(db, { restId: `t${i}`, authorId: star, createdAt: NOW + Math.floor(i / 3) });
  return star;
}

const numbered = (prefix: string, size: number) => Array.from({ length: size }, (_, i) => `${prefix}${i}`);

const LISTS = [
  ['user-tweets', (size: number) => numbered('t', size).toReversed()],
  // The latest to arrive was added first.
  ['followers', (size: number) => numbered('f', size).toReversed()],
  ['following', (size: number) => numbered('f', size)],
] as const;

describe.each(LISTS)('the cursors of %s', (endpoint, expected) => {
  test.each([
    ['less than a page', 4, [4]],
    ['exactly one page', 5, [5]],
    ['one more than a page', 6, [5, 1]],
    ['several pages', 23, [5, 5, 5, 5, 3]],
    ['several full pages', 15, [5, 5, 5]],
  ])('walk %s once, each item in order, and stop (law 4)', async (_, size, sizes) => {
    const db = temporaryStore();
    seedStar(db, size);
    const twin = await testTwin({ db, pageSize: 5 });
    const pages = await walk(twin, endpoint, 'star');
    expect(pages.flat()).toEqual(expected(size));
    expect(pages.map((page) => page.length)).toEqual(sizes);
  });

  test('miss nothing and repeat nothing while rows arrive', async () => {
    const db = temporaryStore();
    const star = seedStar(db, 20);
    const twin = await testTwin({ db, pageSize: 5 });
    let arrivals = 0;
    const seen = (
      await walk(twin, endpoint, 'star', () => {
        if (arrivals >= 6) return;
        arrivals += 1;
        const id = addUser(db, { restId: `late${arrivals}` });
        addFollow(db, id, star);
        addFollow(db, star, id);
        addTweet(db, { restId: `new${arrivals}`, authorId: star, createdAt: NOW + 1000 + arrivals });
        addTweet(db, { restId: `reply${arrivals}`, authorId: star, inReplyToStatusId: 't1', createdAt: NOW });
      })
    ).flat();
    expect(seen.filter((id) => !/^(late|new)/.test(id))).toEqual(expected(20));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.some((id) => id.startsWith('reply'))).toBe(false);
  });

  test('are refused when tampered with, foreign, or no cursors at all', async () => {
    const db = temporaryStore();
    seedStar(db, 7);
    const other = addUser(db, { restId: 'other' });
    addTweet(db, { restId: 'o1', authorId: other });
    const twin = await testTwin({ db, pageSize: 5 });
    const good = readPage(endpoint, { data: await twin.data(endpoint, { restId: 'star' }) }).nextCursor!;

    const changed = Array.from(
      good,
      (letter, i) => good.slice(0, i) + (letter === 'A' ? 'B' : 'A') + good.slice(i + 1),
    );
    const misused = [
      good.slice(1),
      `${good}A`,
      `${good}=`,
      `${good} `,
      `${good}.`,
      '!',
      'null',
      '0',
      '-1',
      good.repeat(2),
    ];
    for (const cursor of [...changed, ...misused]) {
      const { status, body } = await twin.get(endpoint, { restId: 'star', cursor });
      expect({ cursor, status, body }).toMatchObject({
        cursor,
        status: 400,
        body: { detail: expect.stringContaining('cursor') },
      });
    }
    const ofAnotherUser = await twin.get(endpoint, { restId: 'other', cursor: good });
    const number = await twin.post(endpoint, { restId: 'star', cursor: 5 });
    const empty = await twin.get(endpoint, { restId: 'star', cursor: '' });
    expect([ofAnotherUser.status, number.status, empty.status]).toEqual([400, 400, 200]);
    for (const [elsewhere] of LISTS) {
      const { status } = await twin.get(elsewhere, { restId: 'star', cursor: good });
      expect({ elsewhere, status }).toEqual({ elsewhere, status: elsewhere === endpoint ? 200 : 400 });
    }
  });

  test('stay good when the twin is started again, whatever its page size', async () => {
    const db = temporaryStore();
    seedStar(db, 12);
    const before = await testTwin({ db, pageSize: 5 });
    const cursor = readPage(endpoint, { data: await before.data(endpoint, { restId: 'star' }) }).nextCursor!;
    await before.app.close();
    const after = await testTwin({ db, pageSize: 100 });
    const rest = readPage(endpoint, { data: await after.data(endpoint, { restId: 'star', cursor }) });
    expect(rest.items.map(({ value }) => (value as { id: string }).id)).toEqual(expected(12).slice(5));
    expect(rest.nextCursor).toBeNull();
  });
});

test("user-tweets' last entry is the spec's cursor entry, and the last page has none", async () => {
  const db = temporaryStore();
  seedStar(db, 6);
  const twin = await testTwin({ db, pageSize: 5 });
  const first = (await twin.data('user-tweets', { restId: 'star' })).timeline.instructions[0]!.entries;
  expect(first.at(-1)).toEqual({
    entryId: expect.stringMatching(/^cursor-bottom-/),
    sortIndex: expect.any(String),
    content: {
      entryType: 'TimelineTimelineCursor',
      __typename: 'TimelineTimelineCursor',
      value: expect.any(String),
      cursorType: 'Bottom',
    },
  });
  const { value } = first.at(-1)!.content as unknown as { value: string };
  const last = (await twin.data('user-tweets', { restId: 'star', cursor: value })).timeline.instructions[0]!.entries;
  expect(last.map(({ entryId }) => entryId)).toEqual(['tweet-t0']);
});

test("followers' cursor is the spec's cursor object beside the entries", async () => {
  const db = temporaryStore();
  seedStar(db, 6);
  const twin = await testTwin({ db, pageSize: 5 });
  const { followers } = await twin.data('followers', { restId: 'star' });
  expect(followers.timeline.instructions[0]!.cursor).toEqual({ value: expect.any(String), cursorType: 'Bottom' });
});

test('page sizes may differ by endpoint, and have defaults', async () => {
  const db = temporaryStore();
  seedStar(db, 60);
  const twin = await testTwin({ db, pageSize: { followers: 7 } });
  expect((await walk(twin, 'followers', 'star'))[0]).toHaveLength(7);
  expect((await walk(twin, 'following', 'star'))[0]).toHaveLength(50);
  expect((await walk(twin, 'user-tweets', 'star'))[0]).toHaveLength(20);
});

describe('a cursor', () => {
  const walkOf = fc.record({ endpoint: fc.string(), target: fc.string() });

  test('opens for its own walk only', () => {
    const cursors = createCursors('secret');
    fc.assert(
      fc.property(walkOf, walkOf, fc.array(fc.maxSafeInteger(), { minLength: 1 }), (own, other, position) => {
        const cursor = cursors.seal(own, position);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(cursors.open(own, cursor)).toEqual(position);
        const same = own.endpoint === other.endpoint && own.target === other.target;
        expect(cursors.open(other, cursor)).toEqual(same ? position : undefined);
        expect(createCursors('another').open(own, cursor)).toBeUndefined();
      }),
    );
  });

  test('is never forged by chance', () => {
    const cursors = createCursors('secret');
    fc.assert(
      fc.property(walkOf, fc.string(), (own, text) => {
        expect(cursors.open(own, text)).toBeUndefined();
      }),
    );
  });

  test('is signed with a secret that the store keeps', () => {
    const file = temporaryFile();
    const secret = cursorSecret(temporaryStore(file));
    expect(cursorSecret(temporaryStore(file))).toBe(secret);
    expect(cursorSecret(temporaryStore())).not.toBe(secret);
  });
});
