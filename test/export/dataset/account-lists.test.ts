import { expect, test } from 'vitest';
import { createListTable } from '#files/export/dataset/tables/dataset-groups.ts';
import type { Selection } from '#files/export/row-selection.ts';
import { readTable } from '#files/export/table-file.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { ADA, createKnownStore, snapshotOf } from '../support.ts';

const BOB = '20';
const GONE = '30';

/** A relation of tweets that accounts show, which no kind of crawl has. */
const [{ exported }] = createListTable([
  'community',
  {
    table: 'pins',
    title: 'Tweets that accounts show',
    tweet: 'tweet_id',
    owner: 'user_id',
    owners: 'users',
    target: 'rest_id',
    targetUse: 'account',
    fact: 'pin_sightings',
    description: '',
    factColumns: ['user_rest_id', 'tweet_rest_id'],
  },
]) as [ReturnType<typeof createListTable>[number]];

function readRows(selection: Selection): string[] {
  const path = createKnownStore();
  using db = openDatabase(path);
  db.$client.exec(`create table pins (user_id, tweet_id, first_seen_at, last_seen_at);
    insert into pins select u.id, t.id, 5000, 6000 from users u join tweets t
    where (u.rest_id, t.rest_id) in (values ('${ADA}', '103'), ('${ADA}', '105'), ('${ADA}', '107'), ('${BOB}', '101'), ('${GONE}', '102'))`);
  return [...readTable(snapshotOf(path), exported, selection).rows].map(([account, tweet]) =>
    [account, tweet].join(' '),
  );
}

test('a list of an account has no deleted tweet, and none by an unavailable account', () => {
  expect(readRows({})).toEqual([`${ADA} 107`, `${BOB} 101`]);
  expect(readRows({ includeDeleted: true })).toHaveLength(5);
});

test('a list belongs to the account that shows it, not to the authors of its tweets', () => {
  expect(readRows({ accountRestIds: [ADA] })).toEqual([`${ADA} 107`]);
  expect(readRows({ accountRestIds: [GONE] })).toEqual([]);
  expect(readRows({ accountRestIds: [GONE], includeDeleted: true })).toEqual([`${GONE} 102`]);
});
