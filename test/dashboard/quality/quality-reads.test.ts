import { describe, expect, test } from 'vitest';
import type { OverviewData } from '#dashboard/server/api/overview.ts';
import type { FieldRatesData, QualityData } from '#dashboard/server/api/quality.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { readJson, shareDashboard, startTestDashboard } from '../support.ts';
import { createQualityStore, dayBefore } from './quality-store.ts';

const shared = shareDashboard(createQualityStore);

test('rejects are grouped by field and reason with their newest example, and counted by day', async () => {
  const { url } = shared;
  const { body } = await readJson<QualityData>(`${url}/api/quality`);
  expect(body.rejects).toMatchObject({ items: 30, readable: 0, groupCount: 2 });
  expect(body.rejects.groups.map(({ field, n }) => [field, n])).toEqual([
    ['tweets/id', 20],
    ['tweets/author/rest_id', 10],
  ]);
  expect(body.rejects.groups[1]).toMatchObject({ sample: '{"text":"item 29"}', crawlId: 2 });
  expect(body.dropped.groups).toMatchObject([{ field: 'tweet.created_at', n: 7, sample: '1762300800', crawlId: 1 }]);
  expect(JSON.stringify(body)).not.toContain('\u202e');
});

test('drift has its meaning, and a field that is no longer sent also needs attention', async () => {
  const { url } = shared;
  const { body } = await readJson<QualityData>(`${url}/api/quality`);
  expect(body.drift.fields.map(({ field, meaning, pages }) => [field, meaning, pages])).toEqual([
    ['cursor (a number)', 'a number as a cursor: it is followed', 2],
    ['tweet.edit_control', null, 60],
  ]);
  expect(body.changes).toEqual([
    `user-tweets has not sent tweet.text since ${dayBefore(2)} (before, 99 % of items had it)`,
  ]);
  const { attention } = (await readJson<OverviewData>(`${url}/api/overview`)).body;
  expect(attention).toContainEqual(expect.objectContaining({ detail: body.changes[0], link: '/quality' }));
});

test('no sample of a forgotten account is shown', async () => {
  const path = createQualityStore();
  const db = openConnection(path);
  const named = '{"user":{"screen_name":"user_7","text":"hello"}}';
  for (const table of ['rejects', '_dropped_fields', '_drift']) db.prepare(`update ${table} set sample = ?`).run(named);
  db.close();
  const before = await startTestDashboard(path);
  expect(JSON.stringify((await readJson(`${before.url}/api/quality`)).body)).toContain('user_7');
  await before[Symbol.asyncDispose]();
  await runSuccessfully(['forget', 'user_7', '--yes', '--db', path]);
  const after = await startTestDashboard(path);
  const { body } = await readJson<QualityData>(`${after.url}/api/quality`);
  expect(body.rejects.items).toBe(30);
  expect(JSON.stringify(body)).not.toMatch(/user_7|hello/);
});

describe('field fill rates', () => {
  test('of an endpoint, by day and by month', async () => {
    const { url } = shared;
    const { body } = await readJson<FieldRatesData>(`${url}/api/quality/fields?of=user-tweets&by=day`);
    expect(body.periods).toEqual(Array.from({ length: 10 }, (_, i) => ({ period: dayBefore(9 - i), items: 400 })));
    // The spec gives no author to this endpoint.
    expect(body.fields).toEqual([{ field: 'tweet.text', rates: [...Array(7).fill(0.99), 0, 0, 0] }]);
    const month = (await readJson<FieldRatesData>(`${url}/api/quality/fields?of=user-tweets&by=month`)).body;
    expect(month.periods.reduce((sum, { items }) => sum + items, 0)).toBe(4000);
    expect(month.periods.at(-1)!.period).toBe(dayBefore(0).slice(0, 7));
    for (const wrong of ['of=nothing', 'by=year'])
      expect(await readJson(`${url}/api/quality/fields?${wrong}`), wrong).toMatchObject({ status: 400 });
  });

  test('of stored rows, by the day in which they were seen first', async () => {
    const { url } = shared;
    const { body } = await readJson<FieldRatesData>(`${url}/api/quality/fields?of=stored-accounts&by=day`);
    expect(body.periods).toEqual([
      { period: dayBefore(2), items: 20 },
      { period: dayBefore(0), items: 20 },
    ]);
    const rates = Object.fromEntries(body.fields.map((field) => [field.field, field.rates]));
    expect(rates).toMatchObject({ screen_name: [1, 1], description: [1, 0], location: [0, 0] });
    expect(Object.keys(rates)).not.toContain('first_seen_at');
    expect(body.basis).toContain('of all 40 accounts');
    const { fields } = (await readJson<FieldRatesData>(`${url}/api/quality/fields?of=stored-tweets`)).body;
    expect(fields.map(({ rates: none }) => none)).toEqual(fields.map(() => []));
  });

  test('of many rows from a sample, whose rates are near those of all', async () => {
    const path = createStoreFile();
    const db = openConnection(path);
    // The latest fifth was seen in the latest two days; before that, every fourth account has a biography.
    db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
      insert into users (rest_id, description, first_seen_at, has_stale_columns)
      select i, iif(i <= 48000 and i % 4 = 0, 'text', null), unixepoch() * 1000 - iif(i <= 48000, 400, 0) * 86400000, 0 from n`);
    db.close();
    const { url } = await startTestDashboard(path);
    const { body } = await readJson<FieldRatesData>(`${url}/api/quality/fields?of=stored-accounts&by=month`);
    expect(body.basis).toMatch(/a sample of 10,000 accounts of about 12,000/);
    expect(body.fields.find(({ field }) => field === 'description')!.rates).toEqual([0]);
    const db2 = openConnection(path);
    db2.exec('update users set first_seen_at = unixepoch() * 1000');
    db2.close();
    const second = await startTestDashboard(path);
    const all = (await readJson<FieldRatesData>(`${second.url}/api/quality/fields?of=stored-accounts&by=month`)).body;
    const [rate] = all.fields.find(({ field }) => field === 'description')!.rates;
    expect(rate).toBeGreaterThan(0.18);
    expect(rate).toBeLessThan(0.22);
  });
});
