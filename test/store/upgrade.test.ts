import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { expect, onTestFinished, test } from 'vitest';
import { readQuotaRecord } from '../../src/store/crawls/quota-record.ts';
import { decompressBody } from '../../src/store/journal/raw-bodies.ts';
import type { RawPage } from '../../src/store/schema/messages.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { tempDir } from '../support/temp.ts';

/** A store as the first so many migrations made it. */
function oldStore(migrations: number): { path: string; client: Database.Database } {
  const folder = tempDir();
  cpSync(join(import.meta.dirname, '../../migrations'), folder, { recursive: true });
  const journal = join(folder, 'meta', '_journal.json');
  const all = JSON.parse(readFileSync(journal, 'utf8')) as { entries: unknown[] };
  writeFileSync(journal, JSON.stringify({ ...all, entries: all.entries.slice(0, migrations) }));
  const path = join(folder, 'store.db');
  const client = new Database(path);
  migrate(drizzle({ client }), { migrationsFolder: folder });
  return { path, client };
}

test('a store from before the write path is migrated with all rows', async () => {
  const { path, client } = oldStore(3);
  client.exec(`
    insert into users (id, rest_id, screen_name, first_seen, seen_at, summary_at) values (1, '10', 'ada', 5, 9, 8), (2, '20', 'bob', 6, 7, null);
    update users set screen_name = 'ada_l', seen_at = 12 where id = 1;
    insert into follows (followee_id, follower_id, first_seen, last_seen, ended) values (1, 2, 6, 7, null), (2, 1, 5, 6, 8);
  `);
  client
    .prepare(
      "insert into raw_pages (crawl_id, endpoint, parameters, status, fetched_at, hash, body) values (1, 'followers', '{}', 200, 5, 'h', ?)",
    )
    .run(deflateSync('{"data":1}'));
  client.close();

  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  expect(
    db.prepare('select user_id, seen_at, summary_at, changed_at from users join users_seen on user_id = id').all(),
  ).toEqual([
    { user_id: 1, seen_at: 12, summary_at: 8, changed_at: 12 },
    { user_id: 2, seen_at: 7, summary_at: null, changed_at: 6 },
  ]);
  expect(db.prepare('select * from follows').all()).toEqual([
    { id: 1, followee_id: 2, follower_id: 1, first_seen: 5, last_seen: 6, ended: 8, first_missed: 8, seen_in: 0 },
    { id: 2, followee_id: 1, follower_id: 2, first_seen: 6, last_seen: 7, ended: null, first_missed: null, seen_in: 0 },
  ]);
  expect(db.prepare('select follower, followee from v_follows').all()).toHaveLength(2);
  expect(db.prepare("select known_by, seen_at from v_users where screen_name = 'ada_l'").get()).toEqual({
    known_by: 'summary',
    seen_at: '1970-01-01T00:00:00.012Z',
  });
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  const raw = db.prepare('select encoding, body from raw_pages').get() as RawPage;
  expect((await decompressBody(raw)).toString()).toBe('{"data":1}');
  // History goes on where it was.
  db.exec("update users set screen_name = 'ada', changed_at = 20 where id = 1");
  expect(db.prepare('select screen_name, last_seen, changed_at from user_history').all()).toEqual([
    { screen_name: 'ada', last_seen: 9, changed_at: 12 },
    { screen_name: 'ada_l', last_seen: 12, changed_at: 20 },
  ]);
});

test('coverage by crawl becomes intervals and gaps, and an end counts only for a complete list', () => {
  const { path, client } = oldStore(4);
  const crawl = client.prepare(
    `insert into crawls (id, kind, target, options, class, state, reason, items, rejected, created_at, updated_at, finished_at)
     values (?, 'timeline', '1', ?, 'interactive', ?, ?, ?, ?, 1, 2, ?)`,
  );
  const span = client.prepare(
    `insert into coverage (kind, target, crawl_id, newest_id, newest_at, oldest_id, oldest_at, pages, items, bottom, updated_at)
     values ('timeline', ?, ?, 'i' || cast(? as int), ?, 'i' || cast(? as int), ?, 1, ?, ?, 5)`,
  );
  /** A crawl that ended (or has not), and what it covered of a list. */
  const crawled = (
    id: number,
    list: string,
    [newest, oldest]: [number, number],
    bottom: string,
    more: { items?: number; rejected?: number } = {},
  ) => {
    const ended = bottom === 'open' ? ['queued', null, null] : ['partial', bottom, 9];
    crawl.run(id, `{"n":${id}}`, ended[0], ended[1], more.items ?? 10, more.rejected ?? 0, ended[2]);
    span.run(list, id, newest, newest, oldest, oldest, 10, bottom);
  };
  crawled(1, 'whole', [50, 10], 'served');
  crawled(2, 'whole', [60, 40], 'max_pages');
  crawled(3, 'cut', [50, 40], 'max_pages');
  crawled(4, 'cut', [90, 80], 'open');
  crawled(5, 'cut', [85, 70], 'unreachable');
  // They only meet at an instant.
  crawled(6, 'cut', [40, 30], 'cancelled');
  // It stopped covering half way, and was closed with the end of its crawl.
  crawled(7, 'false', [50, 40], 'served', { items: 99 });
  crawled(8, 'aside', [50, 40], 'served', { rejected: 1 });
  client.close();

  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  expect(
    db
      .prepare('select target, newest_id, oldest_id, bottom, crawl_id from coverage order by target, newest_at desc')
      .raw()
      .all(),
  ).toEqual([
    ['aside', 'i50', 'i40', null, 8],
    ['cut', 'i90', 'i70', null, 5],
    ['cut', 'i50', 'i40', null, 3],
    ['cut', 'i40', 'i30', null, 6],
    ['false', 'i50', 'i40', null, 7],
    ['whole', 'i60', 'i10', 'served', 1],
  ]);
  expect(
    db
      .prepare('select target, newer_id, older_id, reason, crawl_id from gaps order by target, newer_at desc')
      .raw()
      .all(),
  ).toEqual([
    ['aside', 'i40', null, 'interrupted', 8],
    ['cut', 'i70', 'i50', 'interrupted', 5],
    ['cut', 'i40', 'i40', 'max_pages', 3],
    ['cut', 'i30', null, 'interrupted', 6],
    ['false', 'i40', null, 'interrupted', 7],
  ]);
});

test('a snowball of depth 1 is the same crawl as one without a depth', () => {
  const { path, client } = oldStore(17);
  const insert = client.prepare(
    `insert into crawls (id, kind, target, options, class, state, created_at, updated_at, finished_at)
     values (?, 'followers', ?, ?, 'interactive', ?, 1, 2, ?)`,
  );
  insert.run(1, 'alone', '{"andThen":["profile"],"depth":1,"maxTargets":3}', 'queued', null);
  insert.run(2, 'both', '{"andThen":["profile"],"depth":1}', 'queued', null);
  insert.run(3, 'both', '{"andThen":["profile"]}', 'queued', null);
  insert.run(4, 'ended', '{"andThen":["profile"],"depth":1}', 'complete', 9);
  insert.run(5, 'deep', '{"andThen":["profile"],"depth":2}', 'queued', null);
  client.close();

  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  const optionsOf = db.prepare('select id, options from crawls order by id').raw();
  expect(optionsOf.all()).toEqual([
    [1, '{"andThen":["profile"],"maxTargets":3}'],
    [2, '{"andThen":["profile"],"depth":1}'],
    [3, '{"andThen":["profile"]}'],
    [4, '{"andThen":["profile"]}'],
    [5, '{"andThen":["profile"],"depth":2}'],
  ]);
});

test('a store from before nested replies gets the relation, and its views read the fields of replies', () => {
  const { path, client } = oldStore(18);
  client.exec(`
    insert into tweets (id, rest_id, in_reply_to_status_id, in_reply_to_screen_name, first_seen, seen_at, listed)
      values (1, '10', null, null, 5, 5, 1), (2, '11', '10', 'ada', 5, 5, 2), (3, '12', null, null, 5, 5, 0);
  `);
  client.close();
  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  expect(db.prepare('select count(*) from tweet_replies').pluck().get()).toBe(0);
  expect(db.prepare('select rest_id, parent_rest_id, parent_author from v_replies').raw().all()).toEqual([
    ['11', '10', 'ada'],
  ]);
  expect(db.prepare('select rest_id, is_reply from v_tweets order by id').raw().all()).toEqual([
    ...[
      ['10', 0],
      ['11', 1],
      ['12', null],
    ],
  ]);
});

test('jobs from before handles were bound to ids get the accounts of their first successes', () => {
  const { path, client } = oldStore(19);
  client.exec(`
    insert into scheduled_jobs (name, job, schedule, made_at) values ('panel', '{}', '{}', 1);
    insert into runs (id, job, made_at) values (1, 'panel', 1), (2, 'panel', 2), (3, 'gone', 3), (4, null, 4);
    insert into crawls (id, kind, target, options, class, state, target_id, run_id, created_at, updated_at, finished_at) values
      (1, 'timeline', 'anna', '{}', 'scheduled', 'failed', null, 1, 1, 1, 11),
      (2, 'timeline', 'anna', '{}', 'scheduled', 'complete', '7', 1, 1, 1, 12),
      (3, 'timeline', 'anna', '{}', 'scheduled', 'complete', '8', 2, 1, 1, 13),
      (4, 'timeline', 'id:9', '{}', 'scheduled', 'complete', '9', 2, 1, 1, 14),
      (5, 'timeline', 'bob', '{}', 'scheduled', 'complete', '5', 3, 1, 1, 15),
      (6, 'timeline', 'eve', '{}', 'scheduled', 'complete', '6', 4, 1, 1, 16);
  `);
  client.close();
  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  expect(db.prepare('select * from job_accounts').all()).toEqual([
    { job: 'panel', handle: 'anna', rest_id: '7', bound_at: 12 },
  ]);
});

test('crawls that an earlier version called complete are capped without evidence', () => {
  const { path, client } = oldStore(17);
  client.exec(`
    insert into users (id, rest_id, first_seen, followers_count, following_count) values (1, '1', 1, 1000000, 50), (2, '2', 1, 3, 0);
    insert into tweets (id, rest_id, first_seen, seen_at, reply_count) values (1, '90', 1, 1, 0), (2, '91', 1, 1, 4);
    insert into coverage (kind, target, newest_id, newest_at, oldest_id, oldest_at, bottom, crawl_id, pages, items, created_at, updated_at)
      values ('timeline', '1', 'a', 50, 'b', 10, 'inferred', 1, 1, 1, 1, 1), ('timeline', '2', 'a', 50, 'b', 10, 'served', 1, 1, 1, 1, 1);
  `);
  const insert = client.prepare(
    `insert into crawls (id, kind, target, target_id, options, class, state, reason, ending, pages, items, created_at, updated_at, finished_at)
     values (?, ?, ?, ?, ?, 'interactive', 'complete', ?, ?, 1, ?, 1, 2, 3)`,
  );
  interface Old {
    readonly of?: string;
    readonly options?: object;
    readonly reason?: string;
    readonly items?: number;
  }
  const cases: readonly [kind: string, ending: string | null, now: readonly unknown[], more?: Old][] = [
    ['profile', 'served', ['complete', null, 'served']],
    ['profile', null, ['complete', 'seen_lately', null], { reason: 'seen_lately' }],
    ['timeline', 'served', ['complete', null, 'served']],
    ['timeline', 'inferred', ['capped', null, 'inferred']],
    ['timeline', 'since', ['complete', null, 'since']],
    ['timeline', 'joined', ['capped', null, 'joined_inferred']],
    ['timeline', 'joined', ['complete', null, 'joined'], { of: '2' }],
    ['timeline', 'joined', ['complete', null, 'joined'], { options: { since: 20 } }],
    ['timeline', 'served', ['complete', 'no_tweets', 'served'], { reason: 'no_tweets', items: 0 }],
    ['replies', 'one_page', ['capped', null, 'one_page']],
    ['replies', 'served', ['complete', 'no_tweets', 'served'], { reason: 'no_tweets', items: 0 }],
    ['search', 'halved', ['capped', null, 'halved']],
    ['search', 'served', ['capped', null, 'one_page'], { items: 0 }],
    ['community', 'joined', ['capped', null, 'joined']],
    ['list', 'served', ['capped', null, 'served']],
    ['tweet', 'one_page', ['capped', null, 'one_page'], { of: '90' }],
    ['tweet', 'served', ['complete', null, 'served'], { of: '90' }],
    ['tweet', 'served', ['capped', null, 'one_page'], { of: '91' }],
    ['tweet', 'served', ['complete', 'deleted', 'served'], { of: '92', reason: 'deleted', items: 0 }],
    ['followers', 'served', ['capped', 'list_cut_short', 'served'], { items: 5000 }],
    ['followers', 'served', ['complete', null, 'served'], { of: '2', items: 2 }],
    ['following', 'served', ['capped', 'list_closed', 'served'], { items: 0 }],
    ['following', 'served', ['complete', null, 'served'], { of: '2', items: 0 }],
    ['following', 'inferred', ['capped', null, 'inferred'], { items: 40 }],
  ];
  for (const [i, [kind, ending, , { of = '1', options = {}, reason = null, items = 9 } = {}]] of cases.entries())
    insert.run(i + 1, kind, of, of, JSON.stringify({ ...options, i }), reason, ending, items);
  client.close();

  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  expect(db.prepare('select kind, state, reason, ending from crawls order by id').raw().all()).toEqual(
    cases.map(([kind, , now]) => [kind, ...now]),
  );
});

test('a store from before every column had a history keeps its history and continues with all columns', () => {
  const { path, client } = oldStore(24);
  client.exec(`
    insert into users (id, rest_id, name, location, first_seen, changed_at, profile_at) values (1, '10', 'Ada', 'Here', 5, 5, 7);
    insert into users_seen values (1, 7, null);
    update users set name = 'Ada L.', changed_at = 8 where id = 1;
    insert into tweets (id, rest_id, text, has_media, in_reply_to_status_id, in_reply_to_screen_name, first_seen, seen_at, behind)
      values (1, '1', 'a', 1, null, null, 5, 9, 0), (2, '2', 'b', null, '1', 'ada', 5, 9, 1);
    insert into tweets_behind values (2, 'in_reply_to_screen_name', 6);
    insert into crawls (id, kind, target, options, class, state, created_at, updated_at)
      values (1, 'followers', '10', '{}', 'scheduled', 'complete', 1, 1), (2, 'tweet', '3', '{}', 'backfill', 'complete', 1, 1);
    insert into complete_lists (crawl_id, side, user_id, started_at, finished_at, missed, ended)
      values (1, 'followers', 1, 1, 2, 3, 20);
    insert into absences values (1, 10, 11, 2);
  `);
  client.close();
  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  db.exec("update users set location = 'There', profile_at = 12, changed_at = 12 where id = 1");
  db.exec("update tweets set text = 'c', seen_at = 12 where id = 1");
  expect(db.prepare('select name, location, last_seen, changed_at from user_history').raw().all()).toEqual([
    ['Ada', null, 7, 8],
    [null, 'Here', 7, 12],
  ]);
  expect(db.prepare('select text, last_seen, changed_at from tweet_history').raw().all()).toEqual([['a', 9, 12]]);
  expect(db.prepare('select has_media_at, in_reply_to_at, behind from tweets order by id').raw().all()).toEqual([
    [9, null, 0],
    [null, 6, 0],
  ]);
  expect(db.prepare('select count(*) from tweets_behind').pluck().get()).toBe(0);
  expect(db.prepare('select changes from crawls order by id').pluck().all()).toEqual([20, 1]);
});

test('quota samples from before they had a key have an unknown key', () => {
  const { path, client } = oldStore(27);
  client.exec('insert into quota_samples (at, app_limit, remaining, reset_at) values (5, 100, 90, 900005)');
  client.close();

  const db = openDatabase(path);
  onTestFinished(() => void db.$client.close());
  expect(db.$client.prepare('select * from quota_samples').all()).toEqual([
    { id: 1, at: 5, app_limit: 100, remaining: 90, reset_at: 900_005, key_hash: null },
  ]);
  expect(readQuotaRecord(db, 'key')).toEqual({ samples: [], requests: [], otherSamples: [] });
  db.$client.exec("insert into quota_samples (at, app_limit, remaining, key_hash) values (70000, 100, 80, 'key')");
  expect(readQuotaRecord(db, 'key')).toEqual({
    samples: [{ at: 70_000, limit: 100, remaining: 80, resetAt: undefined }],
    requests: [],
    otherSamples: [5],
  });
});

test('a store from before the search of scripts without spaces gets the index', () => {
  const { path, client } = oldStore(28);
  client.exec(`
    insert into tweets (id, rest_id, text, first_seen, seen_at) values (1, '1', '今日は東京で', 1, 1), (2, '2', 'plain words', 1, 1);
    insert into users (id, rest_id, screen_name, description, first_seen) values (1, '1', 'taro', '猫が好き', 1), (2, '2', 'ada', 'cats', 1);
  `);
  client.close();
  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  const matching = (table: string, query: string) =>
    db.prepare(`select rowid from ${table} where ${table} match ? order by 1`).pluck().all(query);
  expect(matching('tweets_fts', '東京')).toEqual([1]);
  expect(matching('tweets_fts', 'words')).toEqual([2]);
  expect(matching('users_fts', '"好 き"')).toEqual([1]);
  expect(matching('users_fts', 'cats OR taro')).toEqual([1, 2]);
});
