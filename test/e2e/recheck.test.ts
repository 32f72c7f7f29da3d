import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { createSeededRandom } from '#base/seeded-random.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { runCli, runJson, runSuccessfully, spawnCli } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { type Asked, rowsOf, serve, type ServeOptions, type Service, valueOf, withWorld } from './support.ts';

const SEED = 20_260_101;
const USERS = 20;

interface Answer {
  readonly before: string;
  readonly requests: number;
  readonly checked: number;
  readonly present: number;
  readonly deleted: number;
  readonly unavailable: number;
  readonly renamed: number;
  readonly handlesTaken: number;
  readonly restored: number;
  readonly left: { readonly due: number; readonly gone: number; readonly ofUnavailable: number };
}

const world = withWorld(USERS, 7);
let crawled: string | undefined;

/** A store in which the whole world was crawled, and everything was last seen 60 days ago. */
async function crawlWorld(): Promise<string> {
  const { db, env } = await serve(world, { pageSize: 20 });
  const ids = idsOf(world.file, 'select rest_id as id from users').map((id) => `id:${id}`);
  for (const kind of ['profile', 'timeline', 'replies'])
    await runSuccessfully(['crawl', kind, ...ids, '--quiet', '--yes'], { env });
  // The lists of replies have one page: the rest are known by their ids only.
  const listed = new Set(idsOf(db, 'select rest_id as id from tweets'));
  const others = idsOf(world.file, 'select rest_id as id from tweets').filter((id) => !listed.has(id));
  await runSuccessfully(['crawl', 'tweet', ...others, '--quiet', '--yes'], { env });
  change(db, ageStatements(60));
  const copy = join(dirname(world.file), 'crawled.db');
  change(db, [`vacuum into '${copy}'`]);
  return copy;
}

/** A copy of the world with a service of its own, and of the store. */
async function startWorld(options: ServeOptions = {}) {
  crawled ??= await crawlWorld();
  const file = tempFile('world.db');
  change(world.file, [`vacuum into '${file}'`]);
  const db = openDatabase(file);
  onTestFinished(() => void db.$client.close());
  const service = await serve({ file, db }, { pageSize: 20, ...options });
  change(crawled, [`vacuum into '${service.db}'`]);
  const { env } = service;
  return {
    file,
    service,
    users: USERS,
    tweets: valueOf(file, 'select count(*) from tweets'),
    async recheck(items: 'tweets' | 'users', ...args: string[]) {
      const from = service.asked.length;
      const { code, stdout, stderr } = await runCli(['recheck', items, '--json', '--quiet', ...args], { env });
      expect([0, 3], stderr).toContain(code);
      const { recheck: answer } = JSON.parse(stdout) as { recheck: Answer };
      return { code, ...answer, asked: service.asked.slice(from) };
    },
  };
}

/** Changes a database file by a connection of its own, as another process would. */
function change(file: string, statements: readonly string[]): void {
  const db = openConnection(file);
  try {
    for (const sql of statements) db.exec(sql);
  } finally {
    db.close();
  }
}

/** Moves all observations of a store into the past. */
const ageStatements = (days: number): string[] =>
  [
    ['tweets', 'first_seen_at last_seen_at has_media_seen_at in_reply_to_seen_at'],
    ['users', 'first_seen_at profile_at changed_at'],
    ['_user_last_seen', 'last_seen_at last_summary_at'],
    ['user_history', 'last_seen_at changed_at'],
    ['_deletion_evidence', 'suspected_at confirmed_at'],
    ['crawls', 'created_at started_at updated_at finished_at'],
    ['requests', 'sent_at'],
  ].map(([table, columns]) => {
    const values = columns!.split(' ').map((column) => `${column} = ${column} - ${days * DAY}`);
    return `update ${table} set ${values.join(', ')}`;
  });

const TWEET_TABLES = ['media', 'tweet_hashtags', 'tweet_mentions', 'tweet_links', 'community_tweets', 'list_tweets'];
const removeTweets = (condition: string): string[] => [
  ...TWEET_TABLES.map((table) => `delete from ${table} where tweet_id in (select id from tweets where ${condition})`),
  `delete from tweet_replies where tweet_id in (select id from tweets where ${condition})
     or reply_id in (select id from tweets where ${condition})`,
  `delete from tweets where ${condition}`,
];
const removeUsers = (keys: string): string[] => [
  ...removeTweets(`author_id in (${keys})`),
  `delete from follows where follower_id in (${keys}) or followee_id in (${keys})`,
  `delete from _user_last_seen where user_id in (${keys})`,
  `delete from users where id in (${keys})`,
];

interface Gone {
  readonly accounts: readonly string[];
  readonly tweets: readonly string[];
  readonly ofAccounts: readonly string[];
}

/** Removes accounts with their tweets, and tweets of other accounts, from a world. Returns the ids of the service. */
function removeFrom(file: string, counts: { readonly tweets: number; readonly accounts: number }): Gone {
  const random = createSeededRandom(SEED, 'gone');
  const draw = <T>(rows: T[], n: number): T[] =>
    Array.from({ length: n }, () => rows.splice(random.integerBelow(rows.length), 1)[0]!);
  type Row = { id: number; restId: string };
  const accounts = draw(
    rowsOf<Row>(file, 'select id, rest_id as restId from users where id in (select author_id from tweets) order by id'),
    counts.accounts,
  );
  const keys = accounts.map(({ id }) => id).join(',') || '0';
  const ofAccounts = rowsOf<{ id: string }>(file, `select rest_id as id from tweets where author_id in (${keys})`);
  const tweets = draw(
    rowsOf<Row>(file, `select id, rest_id as restId from tweets where author_id not in (${keys}) order by id`),
    counts.tweets,
  );
  change(file, [...removeTweets(`id in (${tweets.map(({ id }) => id).join(',') || '0'})`), ...removeUsers(keys)]);
  const restIds = (rows: readonly Row[]) => rows.map(({ restId }) => restId).toSorted();
  return {
    accounts: restIds(accounts),
    tweets: restIds(tweets),
    ofAccounts: ofAccounts.map(({ id }) => id).toSorted(),
  };
}

const idsOf = (db: string, query: string): string[] =>
  rowsOf<{ id: string }>(db, query)
    .map(({ id }) => id)
    .toSorted();
const deletedIn = ({ db }: Service) => idsOf(db, "select rest_id as id from v_deleted_tweets where state = 'deleted'");
const unavailableIn = ({ db }: Service) => idsOf(db, 'select rest_id as id from v_unavailable_accounts');
const keyOf = ({ endpoint, parameters }: Asked) => JSON.stringify([endpoint, parameters]);

test('finds all of 20 tweets and 3 accounts that went away, and nothing else, within its budget', async () => {
  const { file, service, users, tweets, recheck } = await startWorld();
  const gone = removeFrom(file, { tweets: 20, accounts: 3 });
  // An account costs one request, one that is gone two.
  const accounts = await recheck('users', '--max-requests', String(users + 3));
  expect(accounts.asked).toHaveLength(users + 3);
  expect(accounts).toMatchObject({
    code: 0,
    requests: users + 3,
    checked: users,
    present: users - 3,
    unavailable: 3,
    renamed: 0,
    restored: 0,
    left: {
      due: 0,
      gone: 3,
    },
  });
  expect(unavailableIn(service)).toEqual(gone.accounts);
  expect(deletedIn(service)).toEqual([]);

  const checked = await recheck('tweets', '--max-requests', String(tweets));
  expect(checked).toMatchObject({
    code: 0,
    deleted: 20,
    present: tweets - 20 - gone.ofAccounts.length,
    restored: 0,
    left: {
      due: 0,
      gone: 20,
      ofUnavailable: gone.ofAccounts.length,
    },
  });
  expect(deletedIn(service)).toEqual(gone.tweets);
  expect(unavailableIn(service)).toEqual(gone.accounts);
  expect(checked.asked).toHaveLength(checked.requests);
  expect(checked.requests, 'lists check many tweets at once').toBeLessThan(tweets / 2);
  // Nobody asks for the tweets of unavailable accounts, or for these accounts.
  const noRequest = new Set([...gone.accounts, ...gone.ofAccounts]);
  expect(checked.asked.filter(({ parameters }) => noRequest.has(parameters['restId']!))).toEqual([]);

  // What is gone is not exported, and nothing is asked for twice.
  const output = tempFile('tweets.jsonl');
  await runSuccessfully(['export', 'tweets', '-o', output], { env: service.env });
  const exported = readFileSync(output, 'utf8').trim().split('\n');
  expect(exported.map((line) => (JSON.parse(line) as { rest_id: string }).rest_id).toSorted()).toEqual(
    idsOf(file, 'select rest_id as id from tweets'),
  );
  for (const items of ['tweets', 'users'] as const)
    expect(await recheck(items)).toMatchObject({ code: 0, checked: 0, requests: 0, asked: [] });
  const refused = await runCli(['recheck', 'users', '--max-requests', '2'], { env: service.env });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('may take 3 requests') });
});

test('several runs with a small budget check the oldest items first, and find all', async () => {
  const { file, service, users, recheck } = await startWorld();
  const gone = removeFrom(file, { tweets: 20, accounts: 3 });
  // Every account has a time of its own; those that are gone are the oldest, and cost more requests.
  const random = createSeededRandom(SEED, 'order');
  const isGone = (id: string) => gone.accounts.includes(id);
  const order = idsOf(service.db, 'select rest_id as id from users')
    .map((id) => ({ id, key: (isGone(id) ? -1 : 0) + random.float() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ id }) => id);
  change(
    service.db,
    order.map(
      (id, i) =>
        `update _user_last_seen set last_seen_at = last_seen_at - ${(users - i) * DAY}
         where user_id = (select id from users where rest_id = '${id}')`,
    ),
  );
  const idOf = new Map(
    rowsOf<{ id: string; handle: string }>(service.db, 'select rest_id as id, screen_name as handle from users').map(
      ({ id, handle }) => [handle, id],
    ),
  );
  const budget = 7;
  const first = new Set<string>();
  let runs = 0;
  for (let due = users; due > 0; runs++) {
    expect(runs, 'every run gets further').toBeLessThan(users);
    const run = await recheck('users', '--max-requests', String(budget));
    expect(run.asked.length).toBeLessThanOrEqual(budget);
    expect(run).toMatchObject({ requests: run.asked.length, code: run.left.due > 0 ? 3 : 0 });
    for (const { parameters } of run.asked) first.add(parameters['restId'] ?? idOf.get(parameters['screenName']!)!);
    // No account is asked for before all that were checked longer ago.
    expect([...first].toSorted()).toEqual(order.slice(0, first.size).toSorted());
    due = run.left.due;
  }
  expect(runs).toBeGreaterThan(users / budget);
  expect(unavailableIn(service)).toEqual(gone.accounts);

  let spent = 0;
  for (let due = 1; due > 0;) {
    const run = await recheck('tweets', '--max-requests', '50');
    expect(run.asked.length).toBeLessThanOrEqual(50);
    expect(run.checked).toBeGreaterThan(0);
    spent += run.asked.length;
    due = run.left.due;
  }
  expect(deletedIn(service)).toEqual(gone.tweets);
  const { present, deleted } = rowsOf<{ present: number; deleted: number }>(
    service.db,
    `select count(*) filter (where deletion_state is null) as present, count(*) filter (where deletion_state = 'deleted') as deleted
     from v_tweets`,
  )[0]!;
  expect(deleted).toBe(20);
  expect(spent).toBeLessThan(present);
});

test('a killed run is continued by the same command, and asks for no item twice', async () => {
  const KILL_AT = 25;
  let child: ReturnType<typeof spawnCli> | undefined;
  const { file, service, tweets, recheck } = await startWorld({
    onAsked({ n }) {
      if (n === KILL_AT) child?.kill('SIGKILL');
    },
  });
  const gone = removeFrom(file, { tweets: 20, accounts: 0 });
  const { env, asked } = service;
  child = spawnCli(['recheck', 'tweets', '--concurrency', '1', '--quiet'], { env });
  await child.exited;
  const killed = asked.length;
  expect(killed).toBeGreaterThanOrEqual(KILL_AT);
  const run = await recheck('tweets', '--concurrency', '1');
  expect(run).toMatchObject({ code: 0, left: { due: 0 } });
  expect(deletedIn(service)).toEqual(gone.tweets);
  expect(valueOf(service.db, 'select count(*) from v_tweets where deletion_state is null')).toBe(tweets - 20);
  // Requests in flight at the kill are repeated: at most two pages of the running crawl. So is one tweet that was seen,
  // before each fourth 404 in a row.
  const controls = Math.floor(gone.tweets.length / 3);
  expect(asked.length - new Set(asked.map(keyOf)).size).toBeLessThanOrEqual(2 + controls);
});

test('tweets and accounts that came back are restored, if they are asked for', async () => {
  const { file, service, recheck } = await startWorld();
  const backup = tempFile('backup.db');
  change(file, [`vacuum into '${backup}'`]);
  const gone = removeFrom(file, { tweets: 5, accounts: 2 });
  await recheck('users');
  await recheck('tweets');
  change(service.db, ageStatements(40));
  expect(await recheck('tweets', '--accounts', `id:${gone.accounts[0]}`)).toMatchObject({ checked: 0, asked: [] });
  // One account with its tweets, and one other tweet.
  const [account, tweet] = [gone.accounts[0]!, gone.tweets[0]!];
  const back = `(select id from users where rest_id = '${account}')`;
  change(file, [
    `attach '${backup}' as backup`,
    `insert into users select * from backup.users where rest_id = '${account}'`,
    `insert into _user_last_seen select * from backup._user_last_seen where user_id = ${back}`,
    `insert into tweets select * from backup.tweets where author_id = ${back} or rest_id = '${tweet}'`,
  ]);
  const users = await recheck('users', '--include-deleted');
  expect(users).toMatchObject({ restored: 1, unavailable: 1, present: USERS - 1 });
  const tweets = await recheck('tweets', '--include-deleted');
  expect(tweets.restored).toBeGreaterThanOrEqual(1);
  // Asked for, the tweets of an unavailable account are answered with 404, too.
  const present = new Set(idsOf(file, 'select rest_id as id from tweets'));
  expect(deletedIn(service)).toEqual([...gone.tweets, ...gone.ofAccounts].filter((id) => !present.has(id)).toSorted());
  expect(unavailableIn(service)).toEqual(gone.accounts.filter((id) => id !== account));
  expect(idsOf(service.db, "select type || ' ' || rest_id as id from v_restored")).toEqual([
    `account ${account}`,
    `tweet ${tweet}`,
  ]);
});

test('a job checks the oldest tweets at each run, within its budget, until all are checked', async () => {
  const { file, service, tweets } = await startWorld();
  const gone = removeFrom(file, { tweets: 20, accounts: 0 });
  const { env, db, asked } = service;
  const cwd = tempDir();
  mkdirSync(join(cwd, 'jobs'));
  writeFileSync(
    join(cwd, 'jobs', 'gone.yaml'),
    'every: 1d\nrecheck: { items: tweets, olderThan: 30d }\nbudget: { perRun: 60 }\n',
  );
  const countLeft = () =>
    valueOf(
      db,
      `select count(*) from tweets where last_seen_at < unixepoch('now', '-30 days') * 1000
       and id not in (select tweet_id from _deletion_evidence where confirmed_at is not null)`,
    );
  let left = tweets;
  let runs = 0;
  for (; left > 0; runs++) {
    const before = asked.length;
    await runSuccessfully(['work', '--jobs', 'jobs', '--exit-when-idle'], { env, cwd });
    expect(asked.length - before).toBeLessThanOrEqual(60);
    expect(countLeft(), 'every run gets further').toBeLessThan(left);
    left = countLeft();
    // The next run is due a day later.
    change(db, [
      `update _scheduled_jobs set scheduled_at = scheduled_at - ${DAY}, last_slot_at = last_slot_at - ${DAY}`,
    ]);
  }
  expect(runs).toBeGreaterThan(1);
  expect(deletedIn(service)).toEqual(gone.tweets);
  const { jobs } = await runJson<{ jobs: [{ history: { type: string; gone: number }[] }] }>(['schedule', 'list'], {
    env,
  });
  const listed = jobs[0].history.filter(({ type }) => type === 'run');
  expect(listed).toHaveLength(runs);
  expect(listed.reduce((sum, run) => sum + run.gone, 0)).toBe(20);
  const { stdout } = await runSuccessfully(['schedule', 'list'], { env });
  expect(stdout).toMatch(/^gone +every 1 d +recheck tweets +older than 30d .* succeeded, \d+ no longer exists?/m);
  // Nothing is left: a further run sends nothing.
  const before = asked.length;
  await runSuccessfully(['work', '--jobs', 'jobs', '--exit-when-idle'], { env, cwd });
  expect(asked.slice(before)).toEqual([]);
});
