import { expect, test } from 'vitest';
import type { AccountHistoryData } from '../../../src/dashboard/api/account-history.ts';
import { openConnection } from '../../../src/store/sqlite/driver.ts';
import { startTestDashboard } from '../support.ts';
import { fetchWithToken } from '../token.ts';
import { createAccountStore } from './account-store.ts';
import { createHistoryStore } from './history-store.ts';

async function readHistory(path: string, account: string): Promise<AccountHistoryData> {
  const { url } = await startTestDashboard(path);
  const response = await fetchWithToken(`${url}/api/accounts/${account}/history`);
  expect(response.status).toBe(200);
  return (await response.json()) as AccountHistoryData;
}

test('counts, changes of followers, renames and edits have their periods', async () => {
  const { followers, followerChanges, profile, edits } = await readHistory(await createHistoryStore(20), 'star');
  expect(followers.change).toEqual({
    value: 2,
    from: '2025-01-12T23:59:59.999Z',
    to: '2025-01-16T00:00:00.005Z',
  });
  const known = followers.counts.filter((one) => one.followers !== null);
  expect([known[0]!.followers, known.at(-1)!.followers]).toEqual([40, 42]);
  expect(known.reduce((sum, { change }) => sum + (change ?? 0), 0)).toBe(2);
  const sum = (what: 'gained' | 'lost') => followerChanges.counts.reduce((total, one) => total + (one[what] ?? 0), 0);
  // One came with the second list, one was missing from two lists in a row. The first list is no gain.
  expect([sum('gained'), sum('lost')]).toEqual([1, 1]);
  expect(profile.changes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ field: 'screen_name', before: 'old_star', after: 'star' }),
      expect.objectContaining({ field: 'name', before: 'Old name', after: 'New name' }),
    ]),
  );
  expect(profile.changes.every(({ lastSeenAt, noticedAt }) => lastSeenAt < noticedAt)).toBe(true);
  expect(edits.changes).toMatchObject([{ restId: 't1', before: 'first text', after: 'second text' }]);
});

test('hours are those of the stored posts, and not shown for fewer than 200', async () => {
  const path = await createHistoryStore(200);
  const { activity } = await readHistory(path, 'id:1');
  const db = openConnection(path);
  const stored = db
    .prepare<[], { hour: number; n: number }>(
      `select (strftime('%w', created_at / 1000, 'unixepoch') + 6) % 7 * 24 + strftime('%H', created_at / 1000, 'unixepoch') as hour,
         count(*) as n from tweets group by 1`,
    )
    .all();
  db.close();
  expect(activity).toMatchObject({ posts: 200, least: 200 });
  expect(activity.hours).toHaveLength(7 * 24);
  for (const { hour, n } of stored) expect(activity.hours[hour], `hour ${hour}`).toBe(n);
  expect(activity.hours.reduce<number>((sum, n) => sum + (n ?? 0), 0)).toBe(200);
  const few = await readHistory(await createHistoryStore(199), 'id:1');
  expect(few.activity).toMatchObject({ posts: 199, hours: [] });
});

test('the most liked posts come first, with dates and deletions, and as one line', async () => {
  const path = await createHistoryStore(30);
  const { top } = await readHistory(path, 'id:1');
  const db = openConnection(path);
  const expected = db.prepare('select rest_id from tweets order by favorite_count desc limit 10').pluck().all();
  db.close();
  expect(top.tweets.map(({ restId }) => restId)).toEqual(expected);
  expect(top.tweets.map(({ deletionState }) => deletionState)).toEqual(['deleted', ...Array<null>(9).fill(null)]);
  expect(top.tweets[0]).toMatchObject({ likes: 29, asOf: '2025-01-17T00:00:00.005Z' });
  for (const { text } of top.tweets) {
    expect(text).toContain('<img src=x');
    expect(text).not.toMatch(/[\n\u202E]/);
  }
});

test('what was never collected is named with the command that collects it', async () => {
  const path = await createAccountStore(5);
  const { followerChanges, top, activity } = await readHistory(path, 'id:3');
  const lists = [
    [followerChanges, 'followers'],
    [top, 'timeline'],
    [activity, 'timeline'],
  ] as const;
  for (const [part, kind] of lists)
    expect(part.missing.map(({ command }) => command)).toContain(`trawl crawl ${kind} user_3`);
  expect(activity.hours).toEqual([]);
  const { url } = await startTestDashboard(path);
  expect((await fetchWithToken(`${url}/api/accounts/id:99/history`)).status).toBe(404);
});
