import { expect, it, onTestFinished } from 'vitest';
import { findMissingFields } from '../../src/analysis/quality/missing-fields.ts';
import { DAY, dayOf } from '../../src/clock.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { runCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';

type Days = readonly (readonly [items: number, filled: number])[];

function storeWith(fields: Readonly<Record<string, Days>>): { path: string; db: ReturnType<typeof openDatabase> } {
  const path = tempFile('store.db');
  const db = openDatabase(path);
  onTestFinished(() => void db.$client.close());
  const insert = db.$client.prepare('insert into _field_statistics values (?, ?, ?, 0, ?, ?)');
  for (const [field, days] of Object.entries(fields))
    for (const [n, [items, filled]] of days.entries()) insert.run('user-tweets', dayOf(n * DAY), field, items, filled);
  return { path, db };
}

it('a field that most items had and then none is missing since the first day without it (invariant 11)', () => {
  const { db } = storeWith({
    'tweet.text': [
      [50, 50],
      [50, 50],
      [50, 50],
    ],
    'tweet.reply_count': [
      [50, 49],
      [50, 40],
      [50, 0],
      [3, 0],
      [50, 1],
    ],
    // It was never there, it is rare, it came back, it is only less common, or there is too little to say so.
    'tweet.rest_id': [
      [50, 0],
      [50, 0],
    ],
    'tweet.media': [
      [50, 9],
      [50, 0],
    ],
    'tweet.quote_count': [
      [50, 50],
      [50, 0],
      [50, 50],
    ],
    'tweet.author': [
      [50, 50],
      [50, 10],
    ],
    'tweet.has_media': [
      [50, 50],
      [19, 0],
    ],
  });
  expect(findMissingFields(db)).toEqual([
    { endpoint: 'user-tweets', field: 'tweet.reply_count', since: 2 * DAY, was: 0.8 },
  ]);
});

it('trawl doctor reports it', async () => {
  const { path } = storeWith({
    'tweet.reply_count': [
      [50, 50],
      [50, 0],
    ],
  });
  const { stdout, code } = await runCli(['doctor', '--db', path, '--json']);
  const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
  expect(code).toBe(1);
  expect(findings.find(({ check }) => check === 'fields')).toEqual({
    check: 'fields',
    status: 'wrong',
    message: 'user-tweets has not sent tweet.reply_count since 1970-01-02 (before, 100% of items had it)',
  });
});
