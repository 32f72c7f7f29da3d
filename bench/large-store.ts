import { DAY, MINUTE } from '#base/clock.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import { openDatabase } from '#store/sqlite/database.ts';

/**
 * Creates the store of a long project, to measure how long people wait for `status`, `crawls list`, `coverage`, `plan`,
 * `schedule list` and the pages of the dashboard: by default 1,000,000 users, 21,000,000 edges and 200,000 crawls of 90 days, in
 * 2 GB and three minutes. Everybody follows the account 1, whose profile, followers and tweets were crawled every week.
 * Its rows are computed in SQL, since only reading is measured.
 *
 *     npx tsx bench/large-store.ts large.db [parts of a thousand]
 */

const USERS = 1_000_000;
const CRAWLS = 200_000;
const REQUESTS = 1_200_000;
const TWEETS = 300_000;
/** The tweets of the account 1. */
const STAR_TWEETS = 3000;
const WEEKS = 13;
/** The sizes of follower lists, and the number of lists of each size. */
const LISTS = [
  [USERS, 1],
  [200_000, 10],
  [40_000, 100],
  [4000, 2000],
  [500, 12_000],
] as const;
const PERIOD_MS = 90 * DAY;
/** The requests of the last hour: the last period of `trawl status`. */
const REQUESTS_OF_LAST_HOUR = 100_000;

const [file, parts = '1000'] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: tsx bench/large-store.ts <file> [parts of a thousand]');
const scale = (n: number): number => Math.ceil((n * Number(parts)) / 1000);
const { $client: db } = openDatabase(file);
db.pragma('synchronous = OFF');
db.pragma('cache_size = -2000000');
db.pragma('wal_autocheckpoint = 100000');
const figures = {
  users: scale(USERS),
  crawls: scale(CRAWLS),
  requests: scale(REQUESTS),
  tweets: scale(TWEETS),
  now: Date.now(),
  period: PERIOD_MS,
  recent: scale(REQUESTS_OF_LAST_HOUR),
  hour: 60 * MINUTE,
};
// Numbers would be bound as floating-point values.
const size = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, BigInt(value)]));
/** Inserts the rows of a query on `numbers`, which has the integers from 1. */
const insert = (table: string, columns: string, query: string): void => {
  const started = performance.now();
  const { changes } = db.prepare(`insert into ${table} (${columns}) ${query}`).run(size);
  process.stderr.write(`${table}: ${changes} rows in ${Math.round((performance.now() - started) / 1000)} s\n`);
};

db.exec('create temp table numbers (i integer primary key)');
insert(
  'numbers',
  'i',
  'with recursive n(i) as (select 1 union all select i + 1 from n where i < @requests) select i from n',
);
db.exec('create temp table kinds (turn integer primary key, kind text)');
// Of twenty crawls, eight are of profiles and four of timelines.
const KINDS = [...KIND_NAMES, ...Array(7).fill('profile'), 'timeline', 'timeline', 'timeline', 'followers'] as string[];
KINDS.forEach((kind, i) => db.prepare('insert into kinds values (?, ?)').run(i, kind));

/** A number of (0, 1] that looks random, in steps. */
const draw = (steps: number): string => `((i * 2654435761 >> 12) % ${steps} + 1) / ${steps}.0`;
const restIdOf = (user: string): string => `cast(1000000000000000000 + (${user}) * 1000003 as text)`;
insert(
  'users',
  `rest_id, screen_name, name, description, followers_count, following_count, statuses_count, created_at, first_seen_at,
   changed_at, profile_at`,
  `select ${restIdOf('i')}, 'user_' || i, 'Name of ' || i, 'maps, music and open data ' || (i % 977),
   iif(i = 1, @users, cast(30 / pow(${draw(1_000_000)}, 0.9) as integer)), i % 800,
   i % 3000, @now - 5 * @period, @now - @period, @now - @period, iif(i % 3 = 0, @now - @period, null)
   from numbers where i <= @users`,
);
insert(
  '_user_last_seen',
  'user_id, last_seen_at, last_summary_at',
  `select i, at, at from (select i, cast(@now - ${draw(1_000_003)} * @period as integer) as at from numbers where i <= @users)`,
);
insert(
  'tweets',
  'rest_id, author_id, text, created_at, first_seen_at, last_seen_at, seen_in_lists',
  `select ${restIdOf('i')}, 1 + i % (@users / 50), 'a tweet about maps ' || i, @now - @period + i, @now, @now, 1
   from numbers where i <= @tweets`,
);
// Sorted once, not row by row.
const indexes = db
  .prepare<[], { name: string; sql: string }>(
    "select name, sql from sqlite_schema where tbl_name = 'follows' and sql like '%INDEX%'",
  )
  .all();
for (const { name } of indexes) db.exec(`drop index ${name}`);
let list = 0;
for (const [length, count] of LISTS) {
  for (const last = list + scale(count); list < last; list++)
    db.prepare(
      `insert into follows (followee_id, follower_id, first_seen_at, last_seen_at)
       select ?, 1 + (? + i * 997) % @users, @now - @period, @now from numbers where i <= min(?, @users)`,
    ).run(BigInt(list + 1), BigInt(list * 7919), BigInt(length), size);
}
for (const { sql } of indexes) db.exec(sql);

insert(
  'runs',
  'job_name, created_at',
  `select 'job ' || iif(i % 4 = 0, 0, i % 20), @now - @period + i * (@period / (@crawls / 200)) from numbers
   where i <= @crawls / 200`,
);
const time = '@now - @period + i * (@period / @crawls)';
// The newest crawls are unfinished; of the others, 3 % failed.
insert(
  'crawls',
  `id, kind, target, options, priority, parent_id, root_id, state, reason, ending, target_rest_id, handle, pages, items, new_items,
   requests, last_page_items, created_at, started_at, updated_at, finished_at, run_id, resume_at`,
  `select i, kind, target, '{}', iif(i % 2, 'scheduled', 'interactive'), iif(is_child, parent, null), iif(is_child, parent, null),
     state,
     case state when 'failed' then 'not_found' when 'partial' then 'max_pages' when 'paused' then 'quota'
       when 'complete' then iif(i % 50 = 3, 'no_tweets', null) end,
     iif(state in ('complete', 'capped'), 'served', null), ${restIdOf('user')}, 'User_' || user, 6, 6 * 96, 100, 6, 50,
     ${time}, ${time}, ${time} + 60000, iif(state in ('queued', 'running', 'paused'), null, ${time} + 60000),
     iif(i % 2 or is_child, null, 1 + i / 200), iif(state = 'paused', @now + 60000, null)
   from (
     select i, user, kind, @crawls * 3 / 4 as parent, i % 2 and i between @crawls * 3 / 4 + 1 and @crawls * 17 / 20 as is_child,
       case when kind in ('tweet', 'community', 'list') then ${restIdOf('user')} when kind = 'search' then 'maps ' || i
         when i % 5 = 0 then 'id:' || ${restIdOf('user')} else 'user_' || user end as target,
       case when i > @crawls - 8 then 'running' when i > @crawls * 97 / 100 then iif(i % 3 = 0, 'paused', 'queued')
         when draw < 3 then 'failed' when draw < 7 then 'partial' when draw < 12 then 'capped'
         when draw = 12 then 'cancelled' else 'complete' end as state
     from (select i, (i * 2654435761 >> 12) % 100 as draw, 1 + (i * 7) % (@users / 4) as user, kind from numbers join kinds on turn = i % 20 where i <= @crawls)
   )`,
);
insert(
  '_crawl_tree',
  'root_id, descendant_id',
  'select root_id, id from crawls where root_id is not null union all select distinct root_id, root_id from crawls where root_id is not null',
);
insert(
  'requests',
  'crawl_id, endpoint, sent_at, status, duration_ms, response_bytes',
  `select 1 + (i - 1) * @crawls / @requests, 'followers',
     iif(i > @requests - @recent, @now - (@requests - i) * @hour / @recent, @now - @period + i * (@period / @requests)),
     iif(i % 50 = 0, 404, 200), 80, 44000 from numbers where i <= @requests`,
);
insert('_run_usage_by_day', 'day, run_id, requests', "select date(created_at / 1000, 'unixepoch'), id, 900 from runs");
insert(
  'raw_pages',
  'crawl_id, endpoint, parameters, status, fetched_at, hash, body, encoding',
  `select crawl_id, endpoint, '{}', 200, sent_at, hex(randomblob(32)), randomblob(600), 'br' from requests where id % 4 = 0`,
);
insert(
  '_steps',
  'crawl_id, committed_at, response_roles, last_request_id',
  "select crawl_id, sent_at, 'p', id from requests",
);
insert(
  'coverage',
  `kind, target, newest_rest_id, newest_at, oldest_rest_id, oldest_at, list_end, crawl_id, pages, items, created_at, updated_at`,
  `select kind, target_rest_id, '2', created_at, '1', created_at - 80000, iif(id % 2, 'served', null), id, 6, 576, created_at,
     created_at from crawls where kind in ('timeline', 'replies') and finished_at is not null`,
);
insert(
  'gaps',
  'kind, target, coverage_id, newer_rest_id, newer_at, reason, crawl_id, updated_at',
  "select kind, target, id, '1', oldest_at, 'max_pages', crawl_id, updated_at from coverage where list_end is null",
);
// The account 1: a profile, a list of its followers and its timeline every week; a twentieth of the followers came or left since.
const week = `@now - @period + i * @period / ${WEEKS}`;
insert(
  'crawls',
  `kind, target, options, priority, state, ending, target_rest_id, handle, pages, items, requests, created_at, started_at,
   updated_at, finished_at`,
  `select kind, 'id:' || ${restIdOf('1')}, '{}', 'scheduled', 'complete', 'served', ${restIdOf('1')}, 'user_1', 1, 1, 1,
     ${week}, ${week}, ${week}, ${week}
   from numbers, (select 'profile' as kind union all select 'followers' union all select 'timeline')
   where i between 1 and ${WEEKS}`,
);
insert(
  'user_history',
  'user_id, last_seen_at, changed_at, followers_count',
  `select 1, ${week} - 1, ${week}, @users - 200 * (${WEEKS} - i) from numbers where i < ${WEEKS}`,
);
insert(
  '_list_snapshots',
  'crawl_id, side, user_id, started_at, finished_at, missed_count, ended_count',
  `select id, 'followers', 1, started_at, finished_at, 0, 0 from crawls where kind = 'followers' and target = 'id:' || ${restIdOf('1')}`,
);
const noticed = `@now - @period + (2 + id / 40 % (${WEEKS} - 2)) * @period / ${WEEKS}`;
db.prepare(`update follows set first_seen_at = ${noticed} where followee_id = 1 and id % 40 = 0`).run(size);
db.prepare(
  `update follows set last_seen_at = ${noticed} - 1, first_missed_at = ${noticed}, ended_at = ${noticed}
   where followee_id = 1 and id % 40 = 1`,
).run(size);
insert(
  'tweets',
  'rest_id, author_id, text, created_at, favorite_count, first_seen_at, last_seen_at, seen_in_lists',
  `select 's' || i, 1, 'a tweet of the account that everybody follows ' || i, @now - @period + i * (@period / ${STAR_TWEETS}),
     cast(3 / ${draw(10_007)} as integer), @now, @now, 1 from numbers where i <= ${STAR_TWEETS}`,
);
insert(
  'tweet_history',
  'tweet_id, last_seen_at, changed_at, text',
  "select id, @now - @period, @now, 'an earlier text' from tweets where rest_id glob 's*' and id % 100 = 0",
);

insert(
  '_quota_samples',
  'sampled_at, request_limit, remaining, reset_at',
  'select @now - (20000 - i) * 60000, 100000, 50000, @now + 600000 from numbers where i <= 20000',
);
const job = { kind: 'profile', priority: 'scheduled', options: {}, targets: { list: ['user_1', 'user_2'] } };
const schedule = { every: DAY };
for (let i = 0; i < 20; i++)
  db.prepare(
    'insert into _scheduled_jobs (name, definition, schedule, scheduled_at, last_run_at) values (?, ?, ?, ?, ?)',
  ).run(
    `job ${i}`,
    JSON.stringify({ ...job, name: `job ${i}`, schedule }),
    JSON.stringify(schedule),
    figures.now - PERIOD_MS,
    figures.now - DAY,
  );
db.prepare("update crawls set state = 'failed' where id = 1").run();
prepareSearchIndex({ $client: db })();
db.pragma('wal_checkpoint(TRUNCATE)');
db.close();
