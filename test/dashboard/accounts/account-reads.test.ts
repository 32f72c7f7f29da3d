import { expect, test } from 'vitest';
import type { AccountData, AccountListData } from '../../../src/dashboard/api/accounts.ts';
import { openConnection } from '../../../src/store/sqlite/driver.ts';
import { SETTINGS, startTestDashboard } from '../support.ts';
import { createAccountStore } from './account-store.ts';

async function get<T>(url: string): Promise<{ status: number; body: T }> {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as T };
}

test('pages list all accounts once, those stored last first', async () => {
  const path = await createAccountStore(120);
  const { url } = await startTestDashboard(path);
  const found: string[] = [];
  let pages = 0;
  for (let next: string | null = ''; next !== null; pages++) {
    const { body }: { body: AccountListData } = await get(`${url}/api/accounts${next === '' ? '' : `?after=${next}`}`);
    found.push(...body.rows.map(({ restId }) => restId));
    next = body.next;
  }
  const db = openConnection(path);
  expect(found).toEqual(db.prepare('select rest_id from users order by id desc').pluck().all());
  db.close();
  expect([found.length, pages]).toEqual([120, 3]);
  expect(await get(`${url}/api/accounts?after=x`)).toMatchObject({ status: 400 });
});

test('a search finds handles and names', async () => {
  const { url } = await startTestDashboard(await createAccountStore(120));
  const search = async (q: string) => (await get<AccountListData>(`${url}/api/accounts?q=${q}`)).body;
  expect(await search('@USER_77')).toMatchObject({ matched: 1, rows: [{ restId: '77', handle: 'user_77' }] });
  expect(await search('the+star')).toMatchObject({ matched: 1, rows: [{ restId: '1', followers: 2, tweets: 9 }] });
  expect(await search('nothing')).toMatchObject({ matched: 0, rows: [] });
  const many = await search('name');
  expect([many.matched, many.rows.length, many.next]).toEqual([118, 50, null]);
});

test('an account has its stored numbers beside the reported ones, with reasons, and periods that tile its time', async () => {
  const path = await createAccountStore(5);
  const { url } = await startTestDashboard(path);
  const { body } = await get<AccountData>(`${url}/api/accounts/id:1`);
  expect((await get<AccountData>(`${url}/api/accounts/STAR`)).body).toEqual(body);
  const listOf = (kind: string) => body.lists.find((list) => list.kind === kind)!;
  const timeline = listOf('timeline');
  const db = openConnection(path);
  const stored = db.prepare('select count(*) from tweets').pluck().get();
  expect(timeline).toMatchObject({ stored, reported: 9, command: null });
  expect(listOf('followers')).toMatchObject({
    stored: db.prepare('select count(*) from follows where ended_at is null').pluck().get(),
    ...{ reported: 2, state: 'Complete', difference: [], asOf: Date.UTC(2025, 0, 21), axis: null },
  });
  db.close();
  expect(timeline.difference.join()).toContain('the list is not complete: page limit');
  // From the creation on day 0 to the last check on day 20: all older than the last tweet of day 11 is a gap.
  const days = (n: number): number => Date.UTC(2025, 0, 1 + n);
  expect(timeline.periods).toEqual([
    { from: days(11), to: days(20), isComplete: true, isBackfillable: false, state: 'Complete', crawlId: null },
    {
      from: days(0),
      to: days(11),
      isComplete: false,
      isBackfillable: true,
      state: 'Not collected: page limit',
      crawlId: 2,
    },
  ]);
  expect(timeline).toMatchObject({ state: '1 period not complete', periodCount: 2 });
  expect(timeline.axis!.wide).toMatch(/^<svg[^]*data-state="gap"/);
  expect(listOf('following')).toMatchObject({
    ...{ state: 'Not collected', stored: 0, command: 'trawl crawl following id:1' },
  });
});

test('commands name the store of the page', async () => {
  const path = await createAccountStore(5);
  const { url } = await startTestDashboard(path, {
    settings: { ...SETTINGS, path, databaseOption: `--db ${path}` },
  });
  const { body } = await get<AccountData>(`${url}/api/accounts/id:1`);
  expect(body.lists.flatMap(({ command }) => command ?? [])).toContain(`trawl crawl following id:1 --db ${path}`);
});

test('hostile names are one line, and unknown accounts are not found', async () => {
  const { url } = await startTestDashboard(await createAccountStore(5));
  const { body } = await get<AccountData>(`${url}/api/accounts/id:2`);
  expect(body.line.name).toContain('<img src=x');
  expect(body.line.name).not.toContain('\u202E');
  expect(body.line.name!.length).toBeLessThan(310);
  for (const name of ['id:99', 'id:', 'nobody', '%3Cb%3E'])
    expect(await get(`${url}/api/accounts/${name}`), name).toMatchObject({ status: 404 });
});
