import { parse } from 'csv-parse/sync';
import { afterAll, expect, test } from 'vitest';
import type { QueryData, QueryListData, QueryResultData } from '#dashboard/server/api/queries.ts';
import { createTempDir } from '../../support/temp.ts';
import { createAccountStore } from '../accounts/account-store.ts';
import { readEvents } from '../read-events.ts';
import { readJson, SETTINGS, shareDashboard } from '../support.ts';
import { fetchWithToken } from '../token.ts';
import { createQueryFolder, HOSTILE_CELLS } from './query-folder.ts';
import { countQueryProcesses } from './query-processes.ts';

const folder = createTempDir();
afterAll(() => folder[Symbol.dispose]());
createQueryFolder(folder.path);
const shared = shareDashboard(
  (file) => createAccountStore(5, { file }),
  (path) => ({
    settings: { ...SETTINGS, path, queryFolders: [folder.path] },
  }),
);

const ask = <T>(address: string, init?: RequestInit) =>
  readJson<T & { error?: string; hint?: string | null }>(`${shared.url}/api/${address}`, init);
const result = async (address: string) => (await ask<QueryResultData>(`queries/${address}`)).body;

test('lists the queries of trawl and of the user by topic, and what is wrong with a file', async () => {
  const { queries, problems } = (await ask<QueryListData>('queries')).body;
  expect(queries.find(({ name }) => name === 'mutual-follows')).toMatchObject({ topic: 'People', isOwn: false });
  expect(queries.filter(({ isOwn }) => isOwn).map(({ name }) => name)).toEqual([
    'empty',
    'endless',
    'exact',
    'hostile',
    'many',
    'rare',
    'twice',
  ]);
  expect(queries.map(({ topic }) => topic)).toEqual(queries.map(({ topic }) => topic).toSorted());
  expect(problems).toEqual([expect.stringContaining('broken.sql')]);
});

test('a query has its form, with defaults and what a value looks like', async () => {
  const { body } = await ask<QueryData>('queries/tweets-per-period');
  expect(body.parameters).toMatchObject([
    { name: 'account', type: 'account', isRequired: true, default: null, choices: null },
    { name: 'period', type: 'choice', isRequired: false, choices: ['day', 'week', 'month'] },
    { name: 'since', isRequired: false, form: expect.stringContaining('an age such as 24h or 30d') },
    { name: 'until' },
  ]);
  expect(body).toMatchObject({
    hasChart: true,
    formats: ['csv', 'xlsx', 'jsonl', 'parquet', 'json', 'md', 'txt', 'svg'],
  });
  expect(body.needs[0]!.command).toBe('trawl crawl timeline <account>');
  expect(await ask('queries/none')).toMatchObject({ status: 404 });
  expect(await ask('queries/none/result')).toMatchObject({ status: 404 });
  expect(await ask('queries/broken')).toMatchObject({ status: 400, body: { hint: expect.stringContaining('topic') } });
});

test('rows are exact, in their order, and end at a limit', async () => {
  expect(await result('exact/result')).toMatchObject({
    isCut: false,
    emptiness: null,
    chart: null,
    rows: [
      {
        big: '9007199254740993',
        text: '007',
        missing: null,
        real: 1.5,
        blob: "x'00ff'",
      },
    ],
  });
  const some = await result('many/result?count=3');
  expect(some.rows).toEqual([1, 2, 3].map((i) => ({ i, square: i * i, label: `row ${i}` })));
  expect(some.check.command).toBe('trawl query run many --count 3');
  expect(await result('many/result?count=1000')).toMatchObject({ isCut: false });
  const cut = await result('many/result?count=1001');
  expect(cut.isCut).toBe(true);
  expect(cut.rows).toHaveLength(1000);
  expect(cut.rows!.at(-1)).toMatchObject({ i: 1000 });
});

test('values are checked as those of the command, all at once', async () => {
  const { check, rows } = await result('twice/result?since=soon&size=huge');
  expect(rows).toBeNull();
  expect(check.problems).toEqual({
    since: expect.stringMatching(/^should be a day such as/),
    size: 'should be one of small, large',
  });
  expect((await result('empty/result')).check.problems).toEqual({ word: 'is required' });
  // Options of a run are no parameters, and empty fields have their defaults.
  expect((await result('twice/result?since=2024-01-31&size=&view-as=table&run-now=1')).rows).toEqual([
    { since: '2024-01-31T00:00:00.000Z', size: 'small' },
  ]);
});

test('no results, not collected, collected in part and an unknown account are told apart', async () => {
  const none = await result('empty/result?word=x');
  expect(none).toMatchObject({ emptiness: 'no results: nothing in the collected data matches', rows: [] });
  expect(none.check.missing).toEqual([]);

  const missing = await result('mutual-follows/result?account=star');
  expect(missing.emptiness).toBe('no rows: some of the data was not collected');
  expect(missing.check.missing).toContainEqual({
    state: 'not collected',
    text: 'the accounts followed by star',
    command: 'trawl crawl following star',
  });
  const part = await result('tweets-per-period/result?account=star');
  expect(part.check.missing).toMatchObject([{ state: 'collected in part', command: 'trawl crawl timeline star' }]);
  expect(part.rows!.length).toBeGreaterThan(0);

  const unknown = await result('mutual-follows/result?account=nobody');
  expect(unknown).toMatchObject({ rows: null, emptiness: null });
  expect(unknown.check.refusal).toEqual({
    text: 'not collected: the database does not have the account nobody',
    hint: null,
    command: 'trawl crawl profile nobody',
  });
});

test('a chart is a picture of the rows, as wide as the page', async () => {
  const { chart, rows } = await result('many/result?chart-width=400');
  expect(rows).toBeNull();
  expect(chart).toMatch(/^<svg [^>]*width="400"/);
  expect(chart).toContain('Which numbers are there?');
  expect(await result('empty/result?word=x&chart-width=400')).toMatchObject({
    chart: null,
    emptiness: expect.stringMatching(/^no chart: ./),
  });
  expect(await ask('queries/hostile/result?chart-width=x')).toMatchObject({ status: 400 });
});

test('a query ends at its time limit, and when its client has gone', async () => {
  const limited = await ask('queries/endless/result?time-limit=1');
  expect(limited).toMatchObject({ status: 504, body: { error: 'the statement took longer than 1 s' } });
  expect(countQueryProcesses()).toBe(0);
  const client = new AbortController();
  const answer = fetchWithToken(`${shared.url}/api/queries/endless/result?time-limit=300`, { signal: client.signal });
  await expect.poll(countQueryProcesses).toBe(1);
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await expect.poll(countQueryProcesses).toBe(0);
  for (const wrong of ['0', '301', '1e9', '-1'])
    expect(await ask(`queries/many/result?time-limit=${wrong}`), wrong).toMatchObject({ status: 400 });
});

test('two queries run at once, eight wait, more are refused, and none stalls reads or live updates', async () => {
  const client = new AbortController();
  const refusals: string[] = [];
  const slow = Array.from({ length: 12 }, async () => {
    const response = await fetchWithToken(`${shared.url}/api/queries/endless/result?time-limit=300`, {
      signal: client.signal,
    });
    refusals.push(`${response.status} ${await response.text()}`);
  });
  await expect.poll(() => [refusals.length, countQueryProcesses()]).toEqual([2, 2]);
  for (const refusal of refusals) expect(refusal).toMatch(/^503 .*too many queries are waiting/);
  expect(await ask('overview')).toMatchObject({ status: 200 });
  const live = await readEvents(`${shared.url}/api/live`);
  expect(await live.waitFor('overview')).toMatchObject({ attention: [] });
  expect(countQueryProcesses()).toBe(2);
  client.abort();
  await Promise.allSettled(slow);
  await expect.poll(async () => (await result('many/result')).rows?.length).toBe(25);
  expect(countQueryProcesses()).toBe(0);
});

test('a file has all rows of the command', async () => {
  const response = await fetchWithToken(`${shared.url}/api/queries/hostile/file?file-format=csv`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-disposition': 'attachment; filename="hostile.csv"',
    'content-type': 'text/csv; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  // As the command writes them: unchanged, and quoted where they need to be.
  expect(parse(await response.text(), { columns: true })).toEqual(
    HOSTILE_CELLS.map((cell, i) => ({ text: cell, place: String(i) })),
  );
  const many = await fetchWithToken(`${shared.url}/api/queries/many/file?file-format=jsonl&count=100000`);
  expect((await many.text()).trimEnd().split('\n')).toHaveLength(100_000);
});

test('a client that has gone ends the writing of its file', async () => {
  const client = new AbortController();
  const path = `${shared.url}/api/queries/many/file?file-format=csv&count=1000000`;
  const response = await fetchWithToken(path, { signal: client.signal });
  expect(response.status).toBe(200);
  client.abort();
  await expect.poll(countQueryProcesses).toBe(0);
});

test('a file is refused with what is wrong', async () => {
  const refused = async (address: string) => {
    const { status, body } = await ask(`queries/${address}`);
    return [status, body.error];
  };
  expect(await refused('many/file?file-format=exe')).toEqual([400, expect.stringContaining('no file format')]);
  expect(await refused('many/file?file-format=CSV')).toEqual([400, expect.stringContaining('an extension')]);
  expect(await refused('many/file?file-format=x/../y.csv')).toEqual([400, expect.stringContaining('an extension')]);
  expect(await refused('many/file?file-format=csv&count=x')).toEqual([400, expect.stringContaining('count should be')]);
  expect(await refused('mutual-follows/file?file-format=csv&account=nobody')).toEqual([
    400,
    expect.stringContaining('not collected'),
  ]);
  expect(await refused('endless/file?file-format=csv&time-limit=1')).toEqual([504, expect.stringContaining('1 s')]);
  expect(await refused('empty/file?file-format=svg&word=x')).toEqual([503, expect.any(String)]);
  expect(countQueryProcesses()).toBe(0);
});
