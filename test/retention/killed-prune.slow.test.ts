import { expect, test } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { rowsOf, valueOf } from '../e2e/support.ts';
import { spawnCli } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempFile } from '../support/temp.ts';

const TWEETS = 60_000;
const LIMIT = 50_000;

/** A store with a timeline that was read to its end: a tweet per second, each with a link and a hashtag. */
function createStore(): string {
  const path = createStoreFile(tempFile('large.db'));
  using db = openDatabase(path);
  db.$client.exec(`
    insert into crawls (id, kind, target, options, priority, state, ending, target_rest_id, pages, created_at, started_at, updated_at, finished_at)
      values (1, 'timeline', 'id:1', '{}', 'interactive', 'complete', 'served', '1', 1, 1, 1, 1, 1);
    insert into users (id, rest_id, screen_name, first_seen_at) values (1, '1', 'nasa', 1);
    create temp table n as with recursive n(value) as (select 1 union all select value + 1 from n where value < ${TWEETS}) select value from n;
    insert into tweets (id, rest_id, author_id, text, created_at, first_seen_at, last_seen_at, seen_in_lists)
      select value, value, 1, 'tweet number ' || value, value * 1000, 1, 1, 1 from n;
    insert into tweet_links select value, 'https://example.org/' || value from n;
    insert into tweet_hashtags select value, 'tag' || value % 7 from n;
    insert into coverage (kind, target, newest_rest_id, newest_at, oldest_rest_id, oldest_at, list_end, crawl_id, pages, items, created_at, updated_at)
      values ('timeline', '1', '${TWEETS}', ${TWEETS * 1000}, '1', 1000, 'served', 1, 1, ${TWEETS}, 1, 1);`);
  return path;
}

/** The stored tweets, and what is said of the others. */
const stateOf = (db: string) => ({
  ...rowsOf<{ tweets: number; oldest: number }>(
    db,
    'select count(*) as tweets, min(rest_id + 0) as oldest from tweets',
  )[0]!,
  pruned: rowsOf<{ from: number; to: number; items: number }>(
    db,
    'select oldest_at / 1000 as [from], newest_at / 1000 as [to], items from pruned_ranges',
  )[0],
});

test('a prune that is killed at any time has removed whole batches with their statement, and the next one continues', async () => {
  const db = createStore();
  const prune = [
    'prune',
    'tweets',
    '--older-than',
    new Date(LIMIT * 1000).toISOString(),
    '--db',
    db,
    '--yes',
    '--json',
  ];
  let kills = 0;
  let isKilled = true;
  let last = 0;
  while (isKilled) {
    const run = spawnCli(prune);
    // It is killed as soon as it has removed something more.
    const ended = run.exited.then(() => true);
    for (;;) {
      const { pruned } = stateOf(db);
      if ((pruned?.items ?? 0) >= last + 5000) break;
      if (await Promise.race([ended, new Promise<false>((resolve) => setImmediate(() => resolve(false)))])) break;
    }
    run.kill('SIGKILL');
    isKilled = (await run.exited) === null;
    const { tweets, oldest, pruned } = stateOf(db);
    kills += Number(isKilled);
    last = pruned!.items;
    // Tweets are removed in chronological order.
    expect(pruned).toEqual({ from: 1, to: oldest - 1, items: TWEETS - tweets });
    for (const table of ['tweet_links', 'tweet_hashtags', 'tweets_fts_docsize'])
      expect(valueOf(db, `select count(*) from ${table}`), table).toBe(tweets);
    expect(rowsOf(db, 'select from_ms as [from] from v_observed_periods where from_ms is not null')).toEqual([
      { from: pruned!.to * 1000 },
    ]);
    expect(valueOf(db, 'select is_complete from v_completeness')).toBe(0);
  }
  expect(kills).toBeGreaterThan(2);
  expect(stateOf(db)).toEqual({
    tweets: TWEETS - LIMIT + 1,
    oldest: LIMIT,
    pruned: {
      from: 1,
      to: LIMIT - 1,
      items: LIMIT - 1,
    },
  });
  using store = openDatabase(db);
  expect(() => store.$client.exec("insert into tweets_fts (tweets_fts) values ('integrity-check')")).not.toThrow();
});
