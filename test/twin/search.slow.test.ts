import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Db } from '#store/sqlite/database.ts';
import { addTweet, addUser, NOW, temporaryStore, testTwin } from './support.ts';

function seedTweets(db: Db): void {
  const ada = addUser(db, { restId: '1', screenName: 'Ada', name: 'Ada L.' });
  const bob = addUser(db, { restId: '2', screenName: 'bob' });
  const add = (restId: string, authorId: number | null, time: string, text: string, tags: string[] = []): void =>
    void addTweet(db, { restId, authorId, text, tags, createdAt: Date.parse(`${time}Z`) });
  add('t1', ada, '2024-01-01T00:00:00', 'Good coffee in Paris #Coffee', ['coffee']);
  add('t2', bob, '2024-01-02T00:00:00', 'coffee coffee coffee');
  addTweet(db, {
    restId: 't3',
    authorId: bob,
    createdAt: Date.parse('2024-01-02T23:59:59.999Z'),
    text: '@ada Paris is not good for coffee, but the tea there is worth all of the long way',
    mentions: ['ada'],
    inReplyToStatusRestId: 't1',
  });
  add('t4', ada, '2024-01-03T00:00:00', 'Un café à Orléans 🎉');
  add('t5', ada, '2024-01-04T00:00:00', '今日は東京でコーヒーを飲んだ #東京', ['東京']);
  add('t6', ada, '2024-01-05T00:00:00', 'วันนี้อากาศดีมาก 100% sure');
  add('t7', null, '2024-01-06T00:00:00', 'Привет, мир');
  addTweet(db, { restId: 't8', authorId: bob, text: 'no date coffee', createdAt: null });
}

async function searchable(pageSize?: number) {
  const db = temporaryStore();
  seedTweets(db);
  const twin = await testTwin({ db, pageSize, key: { limit: 1e9 } });
  const search = async (rawQuery: string) => {
    const data = await twin.data('search', { rawQuery });
    expect(data.search_metadata).toEqual({ query: rawQuery, count: data.timeline.instructions[0]!.entries.length });
    return data.timeline.instructions[0]!.entries.map(({ content }) => content.tweet);
  };
  return { db, twin, search, ids: async (rawQuery: string) => (await search(rawQuery)).map(({ id }) => id) };
}

/** The operators of the specification, and what the suites of `test/search` do not show. */
describe('search', () => {
  test.each([
    ['a keyword finds tweets and replies', 'paris', ['t1', 't3']],
    ['a keyword in any case and without its accents', 'CAFE', ['t4']],
    ['several keywords all hold, in any order', 'coffee paris good', ['t1', 't3']],
    ['a phrase holds in its order only', '"good coffee"', ['t1']],
    ['from:', 'from:ADA', ['t6', 't5', 't4', 't1']],
    ['a hashtag, and not the word', '#coffee', ['t1']],
    ['a mention, and not the name', '@Ada', ['t3']],
    ['since: takes the day in', 'since:2024-01-05', ['t7', 't6']],
    ['until: leaves the day out', 'until:2024-01-02 since:2024-01-01', ['t1']],
    ['since: and until: make a window', 'since:2024-01-02 until:2024-01-03', ['t3', 't2']],
    ['all operators at once', 'until:2024-01-03 "coffee, but" from:bob tea @ada since:2024-01-02', ['t3']],
    ['a part of a hashtag', '#coff', []],
    ['a part of a mention', '@ad', []],
    ['a part of a word', 'coff', []],
    ['two hashtags', '#coffee #東京', []],
    ['Japanese inside a sentence', '東京', ['t5']],
    ['words of the full-text language are only words', 'coffee OR tea', []],
    ['an operator without sense is a word', 'since:yesterday', []],
    ['an empty phrase', '""', []],
    ['an unknown author', 'from:nobody coffee', []],
    ['a bare user name is a word', 'ada', ['t3']],
  ])('%s: %s', async (_, query, expected) => {
    const { ids } = await searchable();
    expect(new Set(await ids(query))).toEqual(new Set(expected));
  });

  test('sorts by relevance if there are words', async () => {
    const { ids } = await searchable();
    expect(await ids('coffee')).toEqual(['t2', 't1', 't3']);
  });

  test('sorts newest first without words, and among equals', async () => {
    const { db, ids } = await searchable();
    expect(await ids('since:2024-01-03')).toEqual(['t7', 't6', 't5', 't4']);
    addTweet(db, { restId: 'older', text: 'same words', createdAt: 1 });
    addTweet(db, { restId: 'newer', text: 'same words', createdAt: 2 });
    expect(await ids('words')).toEqual(['newer', 'older']);
  });

  test('from: means the last holder of the name', async () => {
    const { db, ids } = await searchable();
    const successor = addUser(db, { restId: '3', screenName: 'ADA', lastSeenAt: NOW + 1 });
    expect(await ids('from:ada')).toEqual([]);
    addTweet(db, { restId: 't12', authorId: successor });
    expect(await ids('from:ada')).toEqual(['t12']);
  });

  test('shows the author, and no reply fields', async () => {
    const { search } = await searchable();
    const [tweet] = await search('tea');
    expect(tweet).toEqual({
      id: 't3',
      text: expect.any(String),
      created_at: '2024-01-02T23:59:59.999Z',
      favorite_count: 0,
      retweet_count: 0,
      reply_count: 0,
      quote_count: 0,
      media: [],
      author: { id: '2', name: 'User 2', screen_name: 'bob' },
    });
    expect((await search('мир'))[0]).not.toHaveProperty('author');
  });

  test('is one page with its number of tweets', async () => {
    const { ids } = await searchable(2);
    expect(await ids('since:2024-01-01')).toEqual(['t7', 't6']);
  });

  test('follows changed and deleted texts', async () => {
    const { db, ids } = await searchable();
    db.$client.prepare("update tweets set text = 'lemonade' where rest_id = 't2'").run();
    expect(await ids('lemonade')).toEqual(['t2']);
    expect(await ids('coffee')).toEqual(['t1', 't3']);
    db.$client.prepare("update tweets set favorite_count = 7 where rest_id = 't2'").run();
    db.$client.prepare("delete from tweets where rest_id = 't3'").run();
    expect(await ids('coffee')).toEqual(['t1']);
    expect(await ids('lemonade')).toEqual(['t2']);
    db.$client.prepare("insert into tweets_fts (tweets_fts, rank) values ('integrity-check', 1)").run();
  });

  test.each([
    '  spaces  around\tand\nwithin ',
    'Cafe\u0301 \u202Bשלום\u202C 👩‍👩‍👧 "</script>\u2028\\',
    'a\u0000b\u001f\u007f',
    'half \ud83d a pair',
    '__proto__',
  ])('returns %j as the query unchanged', async (rawQuery) => {
    const { twin } = await searchable();
    const answer = await twin.post('search', { rawQuery });
    expect(answer).toMatchObject({ status: 200, body: { data: { search_metadata: { query: rawQuery } } } });
  });

  test('accepts any text as a query', async () => {
    const { twin } = await searchable();
    const piece = fc.oneof(
      fc.constantFrom(...Array.from('"\'*)^:-#@;\0\\%東𞤀'), '\ud800', '--'),
      fc.constantFrom('NEAR(', 'AND', 'NOT', 'from:', 'since:', 'text:coffee'),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(' ', ''),
        async (pieces, glue) => {
          const rawQuery = pieces.join(glue);
          const { status } = await twin.post('search', { rawQuery });
          expect({ rawQuery, status }).toEqual({ rawQuery, status: rawQuery.trim() === '' ? 400 : 200 });
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each(['#a ', '@a ', 'a ', '東 ', '"a" ', 'from:ada ', 'since:2024-01-01 ', '% ', '" '])(
    'accepts the longest query of %s',
    async (piece) => {
      const { twin } = await searchable();
      const rawQuery = piece.repeat(1000 / piece.length).trim();
      expect((await twin.get('search', { rawQuery })).status).toBe(200);
    },
  );

  test('finds laughter of any length', async () => {
    const { db, ids } = await searchable();
    for (const times of [8, 12, 63])
      addTweet(db, { restId: `ha ${times}`, text: 'Ha '.repeat(times), createdAt: times });
    const find = async (times: number) => (await ids(`"${'ha '.repeat(times)}"`)).toSorted();
    expect(await find(8)).toEqual(['ha 12', 'ha 63', 'ha 8']);
    expect(await find(9)).toEqual(['ha 12', 'ha 63']);
    expect(await find(13)).toEqual(['ha 63']);
    expect(await find(64)).toEqual([]);
  });

  test.each([
    ['words', Array.from({ length: 65 }, (_, i) => `w${i}`).join(' ')],
    ['words of one phrase', `"${Array.from({ length: 65 }, (_, i) => `w${i}`).join(' ')}"`],
    ['tags', Array.from({ length: 65 }, (_, i) => `#t${i}`).join(' ')],
    ['emoji', Array.from({ length: 65 }, (_, i) => String.fromCodePoint(0x1f400 + i)).join(' ')],
  ])('refuses 65 different %s with the reason', async (_, rawQuery) => {
    const { twin } = await searchable();
    const answer = await twin.post('search', { rawQuery });
    expect(answer).toMatchObject({ status: 400, type: 'application/problem+json' });
    expect(answer.body).toMatchObject({ detail: expect.stringContaining('64') });
  });
});
