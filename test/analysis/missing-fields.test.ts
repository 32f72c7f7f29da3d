import { expect, it, onTestFinished } from 'vitest';
import { findMissingFields } from '#analysis/quality/missing-fields.ts';
import { DAY } from '#base/clock.ts';
import { formatDay } from '#base/units.ts';
import { CURSOR_DRIFT } from '#service/contract/read-cursor.ts';
import { openDatabase } from '#store/sqlite/database.ts';
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
      insert.run('user-tweets', formatDay(n * DAY), field, items, filled);
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

const addDrift = ({ $client }: ReturnType<typeof openDatabase>, form: keyof typeof CURSOR_DRIFT, sample: string) =>
  $client
    .prepare(
      'insert into _drift (endpoint, field, first_seen_at, last_seen_at, occurrences, sample) values (?, ?, ?, ?, 1, ?)',
    )
    .run('user-tweets', CURSOR_DRIFT[form], Date.now(), Date.now(), sample);

it.each([
  ['number', 'a number as a cursor'],
  ['place', 'in a place that the interface does not document'],
] as const)('trawl doctor notes a cursor whose form is unusual: %s', async (form, says) => {
  const { path, db } = storeWith({ 'tweet.text': '50/50' });
  addDrift(db, form, '5');
  const checked = await runDoctorCheck(path, 'fields');
  expect(checked).toMatchObject({ code: 0, finding: { status: 'note' } });
  expect(checked.finding?.message).toContain(says);
});

it('trawl doctor reports an unreadable cursor until a later crawl of its list is complete', async () => {
  const { path, db } = storeWith({ 'tweet.text': '50/50' });
  addDrift(db, 'unreadable', `{"at":"${'entries/'.repeat(12)}","is":{"value":{"n":"12345678901234567890"}}}`);
  const addCrawl = (state: string, reason: string | null, ending: string | null, options = '{}') =>
    db.$client
      .prepare(
        `insert into crawls (kind, target, options, priority, state, reason, ending, created_at, updated_at, finished_at)
         values ('timeline', 'nasa', ?, 'interactive', ?, ?, ?, 1, 1, 1)`,
      )
      .run(options, state, reason, ending);
  addCrawl('complete', null, 'served');
  addCrawl('partial', 'cursor_unreadable', null);
  // They have not read the list below their limit.
  addCrawl('complete', null, 'since', '{"since":0}');
  addCrawl('complete', null, 'joined', '{"since":0}');
  const checked = await runDoctorCheck(path, 'fields');
  expect(checked).toMatchObject({ code: 1, finding: { status: 'wrong' } });
  expect(checked.finding?.message).toMatch(/an unreadable cursor, .* \(\{"at":"[^"]*",…\)$/);
  addCrawl('complete', null, 'joined');
  expect(await runDoctorCheck(path, 'fields')).toMatchObject({ code: 0, finding: { status: 'ok' } });
});
