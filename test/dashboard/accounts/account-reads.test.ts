import { expect, test } from 'vitest';
import type { AccountData, AccountListData } from '#dashboard/server/api/accounts.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { addRows, crawlRow } from '../store-rows.ts';
import { readJson, SETTINGS, shareDashboard, startTestDashboard } from '../support.ts';
import { createAccountStore } from './account-store.ts';

const shared = shareDashboard((file) => createAccountStore(120, { file }));

const CRAWL = crawlRow({ state: 'complete' });

/** The ids of all pages of a list, and the number of pages. */
async function readPages(url: string, query: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let pages = 0;
  for (let next: string | null = ''; next !== null; pages++) {
    const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`;
    const { body } = await readJson<AccountListData>(`${url}/api/accounts?${query}${after}`);
    ids.push(...body.rows.map(({ restId }) => restId));
    next = body.next;
  }
  return { ids, pages };
}

const BY_VALUE = (value: string, direction: string): string =>
  `select rest_id from users left join _user_last_seen on user_id = id order by ${value} is null, ${value} ${direction}, id ${direction}`;
const ORDERS: Readonly<Record<string, string>> = {
  '': 'select rest_id from users order by id desc',
  'sort=stored&reverse=1': 'select rest_id from users order by id',
  'sort=handle': BY_VALUE('lower(screen_name)', 'asc'),
  'sort=handle&reverse=1': BY_VALUE('lower(screen_name)', 'desc'),
  'sort=followers': BY_VALUE('followers_count', 'desc'),
  'sort=followers&reverse=1': BY_VALUE('followers_count', 'asc'),
  'sort=seen': BY_VALUE('last_seen_at', 'desc'),
  'sort=seen&reverse=1': BY_VALUE('last_seen_at', 'asc'),
};

test('pages list all accounts once in each order, those without a value last', async () => {
  const path = await createAccountStore(180);
  const db = openConnection(path);
  // Counts and times that many accounts share, around 1,000 followers and over page ends; some are unknown.
  db.exec(`
    update users set followers_count = 990 + id * 7 % 20 where id > 3;
    update users set followers_count = null where id % 9 = 0;
    update users set screen_name = null where id % 11 = 0;
    update users set screen_name = upper(screen_name) where id % 2 = 0;
    update _user_last_seen set last_seen_at = last_seen_at + user_id % 5;
    delete from _user_last_seen where user_id % 13 = 0;
  `);
  const { url } = await startTestDashboard(path);
  for (const [query, sql] of Object.entries(ORDERS)) {
    const { ids, pages } = await readPages(url, `show=all&${query}`);
    expect([pages, ids], query).toEqual([4, db.prepare(sql).pluck().all()]);
  }
  db.close();
  for (const wrong of ['after=x', 'after=[0,null,1]', 'sort=name', 'kind=search'])
    expect(await readJson(`${url}/api/accounts?${wrong}`), wrong).toMatchObject({ status: 400 });
});

test('collected accounts are the stored targets of crawls, by what was collected', async () => {
  const path = await createAccountStore(120);
  // A child crawl of another account, a queued one of a handle, a search, and an account that the service did not have.
  addRows(path, {
    crawls: [
      { ...CRAWL, kind: 'profile', target: 'id:7', target_rest_id: '7' },
      { ...CRAWL, kind: 'followers', target: 'user_9', target_rest_id: null },
      { ...CRAWL, kind: 'search', target: 'from:user_8', target_rest_id: null },
      { ...CRAWL, kind: 'profile', target: 'id:999', target_rest_id: '999' },
    ],
  });
  const { url } = await startTestDashboard(path);
  const read = async (query: string) => (await readJson<AccountListData>(`${url}/api/accounts?${query}`)).body;
  const list = await read('');
  expect(list.rows.map(({ restId }) => restId)).toEqual(['7', '1']);
  expect(list).toMatchObject({ all: 120, collected: 2, total: 2, next: null });
  expect(list.kinds.map(({ kind, n }) => [kind, n])).toEqual([
    ['profile', 2] as const,
    ['timeline', 1] as const,
    ['replies', 0] as const,
    ['followers', 1] as const,
    ['following', 0] as const,
  ]);
  const some = await read('kind=replies,timeline&sort=followers');
  expect(some.rows.map(({ restId }) => restId)).toEqual(['1']);
  expect(some).toMatchObject({ total: 1, collected: 2 });
  expect(some.kinds.filter(({ isSelected }) => isSelected).map(({ label }) => label)).toEqual([
    'Original tweets',
    'Tweets and replies',
  ]);
  expect(await read('kind=following')).toMatchObject({ rows: [], total: 0 });
});

test('a search finds handles and names', async () => {
  const { url } = shared;
  const search = async (q: string) => (await readJson<AccountListData>(`${url}/api/accounts?q=${q}`)).body;
  expect(await search('@USER_77')).toMatchObject({ matched: 1, rows: [{ restId: '77', handle: 'user_77' }] });
  expect(await search('the+star')).toMatchObject({ matched: 1, rows: [{ restId: '1', followers: 2, tweets: 9 }] });
  expect(await search('nothing')).toMatchObject({ matched: 0, rows: [] });
  const many = await search('name');
  expect([many.matched, many.rows.length, many.next]).toEqual([118, 50, null]);
});

test('an account has periods that tile its time, and those that a backfill may fill', async () => {
  const { url } = shared;
  const { body } = await readJson<AccountData>(`${url}/api/accounts/id:1`);
  expect((await readJson<AccountData>(`${url}/api/accounts/STAR`)).body).toEqual(body);
  // From the creation on day 0 to the last check on day 20: all older than the last tweet of day 11 is a gap.
  const days = (n: number): number => Date.UTC(2025, 0, 1 + n);
  const [timeline, , followers] = body.lists;
  expect(timeline).toMatchObject({
    periods: [
      { from: days(11), to: days(20), isComplete: true, isBackfillable: false, crawlId: null },
      { from: days(0), to: days(11), isComplete: false, isBackfillable: true, sentence: 'gap: page limit', crawlId: 2 },
    ],
    periodCount: 2,
  });
  expect(timeline!.axis!.wide).toMatch(/^<svg[^]*data-state="gap"/);
  expect(followers!.axis).toBeNull();
});

test('commands name the store of the page', async () => {
  const path = await createAccountStore(5);
  const { url } = await startTestDashboard(path, {
    settings: { ...SETTINGS, path, databaseOption: `--db ${path}` },
  });
  const { body } = await readJson<AccountData>(`${url}/api/accounts/id:1`);
  expect(body.lists.flatMap(({ command }) => command ?? [])).toContain(`trawl crawl following id:1 --db ${path}`);
});

test('hostile names are one line, and unknown accounts are not found', async () => {
  const { url } = shared;
  const { body } = await readJson<AccountData>(`${url}/api/accounts/id:2`);
  expect(body.line.name).toContain('<img src=x');
  expect(body.line.name).not.toContain('\u202E');
  expect(body.line.name!.length).toBeLessThan(310);
  for (const name of ['id:999', 'id:', 'nobody', '%3Cb%3E'])
    expect(await readJson(`${url}/api/accounts/${name}`), name).toMatchObject({ status: 404 });
});
