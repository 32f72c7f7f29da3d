import { expect, it, onTestFinished } from 'vitest';
import { findMissingFields } from '../../src/analysis/quality/missing-fields.ts';
import { DAY, dayOf } from '../../src/base/clock.ts';
import { CURSOR_DRIFT } from '../../src/service/contract/cursors.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { runDoctorCheck } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

/** @param fields the items that have a field, of all items, by day: `50/50 0/50`. */
function storeWith(fields: Readonly<Record<string, string>>): { path: string; db: ReturnType<typeof openDatabase> } {
  const path = tempFile('store.db');
  const db = openDatabase(path);
  onTestFinished(() => void db.$client.close());
  const insert = db.$client.prepare('insert into _field_statistics values (?, ?, ?, 0, ?, ?)');
  for (const [field, days] of Object.entries(fields))
    for (const [n, day] of days.split(' ').entries()) {
      const [filled, items] = day.split('/').map(Number);
      insert.run('user-tweets', dayOf(n * DAY), field, items, filled);
    }
  return { path, db };
}

it('a field that most items had and then none is missing since the first day without it (invariant 11)', () => {
  const { db } = storeWith({
    'tweet.text': '50/50 50/50 50/50',
    'tweet.reply_count': '49/50 40/50 0/50 0/3 1/50',
    // Never sent, rare, sent again, less common, and too few items.
    'tweet.rest_id': '0/50 0/50',
    'tweet.media': '9/50 0/50',
    'tweet.quote_count': '50/50 0/50 50/50',
    'tweet.author': '50/50 10/50',
    'tweet.has_media': '50/50 0/19',
  });
  expect(findMissingFields(db)).toEqual([
    { endpoint: 'user-tweets', field: 'tweet.reply_count', since: 2 * DAY, was: 0.8 },
  ]);
});

it('trawl doctor reports a missing field', async () => {
  const { path } = storeWith({ 'tweet.reply_count': '50/50 0/50' });
  const message = 'user-tweets has not sent tweet.reply_count since 1970-01-02 (before, 100 % of items had it)';
  expect(await runDoctorCheck(path, 'fields')).toEqual({
    code: 1,
    finding: { check: 'fields', status: 'wrong', message },
  });
});

it.each([
  ['unreadable', 'an unreadable cursor', { code: 1, finding: { status: 'wrong' } }],
  ['number', 'a number as a cursor', { code: 0, finding: { status: 'note' } }],
  ['place', 'in a place that the interface does not document', { code: 0, finding: { status: 'note' } }],
] as const)('trawl doctor reports a cursor whose form is unusual: %s', async (form, says, result) => {
  const { path, db } = storeWith({ 'tweet.text': '50/50' });
  db.$client
    .prepare(
      'insert into _drift (endpoint, field, first_seen_at, last_seen_at, occurrences, sample) values (?, ?, ?, ?, 1, ?)',
    )
    .run('user-tweets', CURSOR_DRIFT[form], Date.now(), Date.now(), '5');
  const checked = await runDoctorCheck(path, 'fields');
  expect(checked).toMatchObject(result);
  expect(checked.finding?.message).toContain(says);
});
