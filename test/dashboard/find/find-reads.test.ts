import { expect, test } from 'vitest';
import type { FindData, MarkedText } from '#dashboard/server/api/find.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { readJson, shareDashboard, startTestDashboard } from '../support.ts';
import { createFindStore } from './find-store.ts';

const shared = shareDashboard((file) => createFindStore(120, file));

const find = (query: Readonly<Record<string, string>>, url = shared.url) =>
  readJson<FindData & { readonly error?: string }>(`${url}/api/find?${new URLSearchParams(query).toString()}`);

const matchesOf = (text: MarkedText): string[] => text.flatMap((part) => (part.isMatch ? [part.text] : []));
const textOf = (text: MarkedText): string => text.map((part) => part.text).join('');

test('tweets have the parts that match, and no character that changes how they read', async () => {
  const { body } = await find({ q: 'RAIN', sort: 'oldest' });
  expect(body.tweets.map(({ restId }) => restId)).toEqual(['11', '12']);
  const [arabic, hostile] = body.tweets;
  expect(arabic!.text).toEqual([
    { text: 'هذا مطر ', isMatch: false },
    { text: 'rain', isMatch: true },
    { text: ' اليوم', isMatch: false },
  ]);
  expect(arabic).toMatchObject({ author: { restId: '1', handle: 'ada', name: 'Ada' }, likes: 5, state: null });
  expect(matchesOf(hostile!.text)).toEqual(['rain', 'rain']);
  for (const text of [textOf(hostile!.text), hostile!.author!.name!]) expect(text).not.toMatch(/[\n\u202E]/);
  expect(textOf(hostile!.text)).toContain('<img src=x');
  expect(body.notes.map(({ text }) => text)).toEqual([
    'found 2 tweets',
    'left out: 1 deleted tweet and 1 tweet of accounts that the service no longer shows',
  ]);
  expect(body.notes[1]!.option).toBe('includeDeleted');
  expect(body.command).toBe('trawl find RAIN --sort oldest');
});

test('deleted tweets are shown on request, with their state', async () => {
  const { body } = await find({ q: 'rain', sort: 'likes', deleted: '1' });
  expect(body.tweets.map(({ restId, state }) => [restId, state])).toEqual([
    ['13', 'deleted'],
    ['11', null],
    ['12', null],
    ['14', 'account_unavailable'],
  ]);
  expect(body.notes[1]!.text).toMatch(/^included: 1 deleted tweet/);
});

test('accounts are found by handle, name and biography', async () => {
  const { body } = await find({ q: 'rain', in: 'accounts', sort: 'followers' });
  expect(body.tweets).toEqual([]);
  expect(body.accounts.map(({ restId }) => restId).toSorted()).toEqual(['1', '2']);
  const ada = body.accounts.find(({ restId }) => restId === '1')!;
  expect(textOf(ada.handle)).toBe('ada');
  expect(matchesOf(ada.biography)).toEqual(['Rain']);
  expect(body.command).toBe('trawl find --users rain --sort followers');
});

test('a limit bounds the results, and says how many match', async () => {
  const { body } = await find({ q: 'fog', sort: 'likes' });
  expect(body.tweets).toHaveLength(50);
  expect(body.tweets[0]!.likes).toBe(119);
  expect(body.notes[0]).toMatchObject({ text: 'shown: 50 of 120 tweets', option: 'limit' });
  expect((await find({ q: 'fog', limit: '500' })).body.tweets).toHaveLength(120);
});

test('each term says how it was read, and what is wrong with it', async () => {
  const { terms } = (await find({ q: 'fog from:ada since:2023-02-29' })).body;
  expect(terms.map(({ text, problem }) => [text, problem])).toEqual([
    ['fog', null],
    ['from:ada', null],
    ['since:2023-02-29', expect.stringContaining('is searched as text')],
  ]);
});

test('what was never collected is not what does not match', async () => {
  const none = (await find({ q: 'nowhere' })).body;
  expect(none.notes.map(({ text, command }) => [text, command])).toEqual([
    ['nothing matches in 124 tweets: the database contains only crawled data', null],
  ]);
  const unknown = (await find({ q: 'from:nasa' })).body;
  expect(unknown.notes[1]).toMatchObject({
    text: 'the database has no account nasa',
    command: { line: 'trawl crawl timeline nasa', result: 'collects it' },
  });
  const empty = await startTestDashboard(createStoreFile());
  expect((await find({ q: 'rain' }, empty.url)).body.notes).toMatchObject([
    { text: 'the database has no tweets', command: { line: 'trawl crawl timeline <account>' } },
  ]);
});

test('a wrong search or value is refused: 400', async () => {
  const cases = [
    [{ q: ' ' }, 'the search is empty'],
    [{ q: 'x'.repeat(1001) }, 'A search may have 1000 characters'],
    [{ q: Array.from({ length: 65 }, (_, i) => `w${i}`).join(' ') }, 'A search may contain 64 words'],
    [{ q: 'x', sort: 'followers' }, 'sort must be one of relevance, newest, oldest, likes'],
    [{ q: 'x', sort: 'constructor' }, 'sort must be one of'],
    [{ q: 'x', in: 'lists' }, 'in must be tweets or accounts'],
    [{ q: 'x', limit: '501' }, 'limit must be a number from 1 to 500'],
    [{ q: 'x', limit: '1e2' }, 'limit must be'],
  ] as const;
  for (const [query, message] of cases) {
    const { status, body } = await find(query);
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)]);
  }
});
