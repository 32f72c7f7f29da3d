import { expect, test } from 'vitest';
import type { FindData, MarkedText } from '../../../src/dashboard/api/find.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { startTestDashboard } from '../support.ts';
import { fetchWithToken } from '../token.ts';
import { createFindStore } from './find-store.ts';

async function open(path = createFindStore()) {
  const { url } = await startTestDashboard(path);
  return async (query: Readonly<Record<string, string>>) => {
    const response = await fetchWithToken(`${url}/api/find?${new URLSearchParams(query).toString()}`);
    return { status: response.status, body: (await response.json()) as FindData & { readonly error?: string } };
  };
}

const matchesOf = (text: MarkedText): string[] => text.flatMap((part) => (part.isMatch ? [part.text] : []));
const textOf = (text: MarkedText): string => text.map((part) => part.text).join('');

test('tweets have the parts that match, and no character that changes how they read', async () => {
  const find = await open();
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
  const find = await open();
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
  const find = await open();
  const { body } = await find({ q: 'rain', in: 'accounts', sort: 'followers' });
  expect(body.tweets).toEqual([]);
  expect(body.accounts.map(({ restId }) => restId).toSorted()).toEqual(['1', '2']);
  const ada = body.accounts.find(({ restId }) => restId === '1')!;
  expect(textOf(ada.handle)).toBe('ada');
  expect(matchesOf(ada.biography)).toEqual(['Rain']);
  expect(body.command).toBe('trawl find --users rain --sort followers');
});

test('a limit bounds the results, and says how many match', async () => {
  const find = await open(createFindStore(120));
  const { body } = await find({ q: 'fog', sort: 'likes' });
  expect(body.tweets).toHaveLength(50);
  expect(body.tweets[0]!.likes).toBe(119);
  expect(body.notes[0]).toMatchObject({ text: 'shown: 50 of 120 tweets', option: 'limit' });
  expect((await find({ q: 'fog', limit: '500' })).body.tweets).toHaveLength(120);
});

test('each term says how it was read, and what is wrong with it', async () => {
  const find = await open();
  const read = async (q: string, more = {}) =>
    (await find({ q, ...more })).body.terms.map(({ text, problem }) => [text, problem]);
  expect(await read('fog "good rain" #Rain @ada from:ada since:2024-01-31 until:2025-01-31')).toEqual([
    ['fog', null],
    ['"good rain"', null],
    ['#Rain', null],
    ['@ada', null],
    ['from:ada', null],
    ['since:2024-01-31', null],
    ['until:2025-01-31', null],
  ]);
  expect(await read('since:2023-02-29')).toEqual([
    ['since:2023-02-29', 'since:2023-02-29 is searched as text: it has no day such as 2025-01-31'],
  ]);
  expect((await read('from:ada from:eve')).map(([, problem]) => problem)).toEqual([
    'a tweet has one author: use one from:',
    'a tweet has one author: use one from:',
  ]);
  expect((await read('since:2024-01-02 until:2024-01-02')).at(-1)![1]).toMatch(/^since: has to be before until:/);
  expect((await read('"never closed')).at(-1)).toEqual(['"', 'the quote is never closed']);
  expect(await read('from:ada', { in: 'accounts' })).toEqual([
    ['from:ada', 'from:ada is searched as text: a search for accounts has no such operator'],
  ]);
});

test('what was never collected is not what does not match', async () => {
  const find = await open();
  const none = (await find({ q: 'nowhere' })).body;
  expect(none.notes.map(({ text, command }) => [text, command])).toEqual([
    ['nothing matches in 4 tweets: a database has only what was crawled', null],
  ]);
  const unknown = (await find({ q: 'from:nasa' })).body;
  expect(unknown.notes[1]).toMatchObject({
    text: 'the database has no account nasa',
    command: { line: 'trawl crawl timeline nasa', result: 'collects it' },
  });
  const empty = await open(createStoreFile());
  expect((await empty({ q: 'rain' })).body.notes).toMatchObject([
    { text: 'the database has no tweets', command: { line: 'trawl crawl timeline <account>' } },
  ]);
});

test('a wrong search or value is refused: 400', async () => {
  const find = await open();
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
