import { expect, test } from 'vitest';
import { HAS_FAILED, IS_NOT_FOUND } from '#analysis/crawls/request-outcomes.ts';
import { readUsage, readRates } from '#analysis/crawls/throughput.ts';
import { endpointTable } from '#service/contract/endpoints.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { runSuccessfully } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';

const NOW = Date.UTC(2026, 0, 2);

/** A store with requests of one crawl, a second before `now`. */
function createStore(
  sent: readonly { readonly endpoint: string; readonly status: number | null }[],
  { file = createStoreFile(), now = NOW } = {},
) {
  const db = openDatabase(file);
  const insert = db.$client.prepare(
    'insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes) values (1, ?, ?, ?, 1, 9)',
  );
  for (const { endpoint, status } of sent) insert.run(endpoint, now - 1000, status);
  return db;
}

test('a 404 is an answer at the endpoints for which the specification lists it, and nowhere else', () => {
  using db = createStore(Object.keys(endpointTable).map((endpoint) => ({ endpoint, status: 404 })));
  const list = (condition: string) =>
    db.$client.prepare<[], string>(`select endpoint from requests where ${condition}`).pluck().all().toSorted();
  const named = Object.values(endpointTable);
  const namesOf = (isListed: boolean) =>
    named.flatMap(({ name, notFound }) => ((notFound !== undefined) === isListed ? [name] : [])).toSorted();
  expect(list(IS_NOT_FOUND)).toEqual(namesOf(true));
  expect(list(HAS_FAILED)).toEqual(namesOf(false));
});

test('rates and the usage of the quota count 404s that are answers apart from failed requests', () => {
  const failed = [null, 400, 401, 403, 410, 429, 500, 503].map((status) => ({ endpoint: 'followers', status }));
  const others = [200, 204, 404, 404].map((status) => ({ endpoint: 'tweet-detail', status }));
  using db = createStore([...failed, ...others, { endpoint: 'search', status: 404 }]);
  const expected = { requests: 13, failed: 9, notFound: 2 };
  for (const rate of readRates(db, NOW)) expect(rate).toMatchObject(expected);
  for (const by of ['crawl', 'kind', 'priority', 'day', 'job'] as const)
    expect(readUsage(db, by), by).toMatchObject([expected]);
});

test.each([
  { status: 404, isShown: true },
  { status: 200, isShown: false },
])('tables have a column of 404s if there is one: $status', async ({ status, isShown }) => {
  const file = createStoreFile();
  createStore([{ endpoint: 'tweet-detail', status }], { file, now: Date.now() }).$client.close();
  for (const command of ['quota --by day', 'status']) {
    const { stdout } = await runSuccessfully([command, '--db', file]);
    expect(stdout.includes('not found'), command).toBe(isShown);
  }
});
