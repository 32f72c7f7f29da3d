import { expect, test } from 'vitest';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { runSavedQuery } from '#analysis/queries/run-saved-query.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createStoreFile } from '../support/store-file.ts';

test('a share of a saved query is never 100 below all, and never 0 above none', () => {
  using db = openDatabase(createStoreFile());
  db.$client.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 3001)
    insert into tweets (id, rest_id, created_at, first_seen_at, last_seen_at) select i, 't' || i, 0, 1, 1 from n;
    insert into tweet_hashtags (tweet_id, tag) select id, 'all' from tweets;
    insert into tweet_hashtags (tweet_id, tag) select id, 'each' from tweets;
    insert into tweet_hashtags (tweet_id, tag) select id, 'most' from tweets where id > 1;
    insert into tweet_hashtags (tweet_id, tag) values (1, 'one');
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 3003)
    insert into users (id, rest_id, first_seen_at, has_stale_columns) select i, i, 1, 0 from n;
    insert into follows (follower_id, followee_id, first_seen_at, last_seen_at)
      select id, 3002, 1, 1 from users where id <= 3001
      union all select id, 3003, 1, 1 from users where id between 2 and 3001`);
  const { columns, rows } = runSavedQuery(db, readCatalogue().read('cohashtags'), { tag: 'all' });
  const at = columns.indexOf('percent_of_tweets');
  expect(rows.map((row) => [row[0], row[at]])).toEqual([
    ['each', 100],
    ['most', 99.9],
    ['one', 0.1],
  ]);
  const overlap = runSavedQuery(db, readCatalogue().read('audience-overlap'), { account: 'id:3002', other: 'id:3003' });
  expect(overlap.rows).toEqual([[3001, 3000, 3000, 99.9, 99.9, 100]]);
});
