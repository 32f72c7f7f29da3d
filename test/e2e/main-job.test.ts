import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { type CliResult, runCli, runSuccessfully, startCli } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { createTempDir, tempFile } from '../support/temp.ts';
import { peopleOf, rowsOf, serve, withWorld } from './support.ts';

/** The columns that crawls have to store, by table. */
const PROFILE =
  `rest_id screen_name name description location url type profile_image_url cover_image_url is_blue_verified
  can_dm has_custom_timelines is_translator followers_count following_count favourites_count media_count statuses_count
  created_at`.split(/\s+/);
const SUMMARY = `rest_id screen_name name description profile_image_url verified followers_count following_count`.split(
  ' ',
);
const FOUND = `rest_id text created_at favorite_count retweet_count reply_count quote_count`.split(' ');

const of = (table: string, columns: readonly string[]): string => columns.map((name) => `${table}.${name}`).join(', ');

/** The targets of the crawls, from the world itself. */
interface Targets {
  readonly star: string;
  readonly fan: string;
  readonly writer: string;
  readonly tag: string;
  /** An account for each column of a profile, with a value in it. */
  readonly people: readonly string[];
}

/** What is compared: rows of the world in file `w` with rows of the store in file `s`. fixed-point.test.ts compares the rest. */
const comparisons = ({ star, fan, tag }: Targets): Record<string, (file: string) => string> => {
  const edges = (file: string): string => `${file}.follows join ${file}.users a on a.id = follower_id
    join ${file}.users b on b.id = followee_id where ended_at is null`;
  const hits: Record<string, string> = {
    w: `(select tweet_id, row_number() over (order by created_at desc, id desc) - 1 as rank
      from w.tweet_hashtags join w.tweets on id = tweet_id where tag = '${tag}' order by rank limit 20)`,
    s: `(select tweet_id, rank from s.search_hits join s.searches on id = search_id where query = '#${tag}')`,
  };
  return {
    followers: (file) =>
      `select b.rest_id as followee, ${of('a', SUMMARY)} from ${edges(file)} and b.screen_name = '${star}'`,
    following: (file) =>
      `select a.rest_id as follower, ${of('b', SUMMARY)} from ${edges(file)} and a.screen_name = '${fan}'`,
    'search results': (file) => `select rank, u.rest_id as author, u.screen_name, u.name, ${of('t', FOUND)}
      from ${hits[file]!} join ${file}.tweets t on t.id = tweet_id join ${file}.users u on u.id = author_id`,
  };
};

function findTargets(file: string): Targets {
  const one = (sql: string): string => rowsOf<{ name: string }>(file, sql)[0]!.name;
  return {
    star: one(`select screen_name as name from follows join users on users.id = followee_id
      group by users.id order by count(*) desc`),
    fan: one(`select a.screen_name as name from follows join users a on a.id = follower_id join users b on b.id = followee_id
      group by a.id order by max(b.verified) desc, count(*) desc`),
    writer: one(`select screen_name as name from tweets join users on users.id = author_id
      where in_reply_to_status_rest_id is null group by users.id order by count(*) desc`),
    tag: one(`select tag as name from (select tag, quote_count, row_number() over (partition by tag order by created_at desc)
      as place from tweet_hashtags join tweets on id = tweet_id) where place <= 20
      group by tag having count(*) = 20 order by max(quote_count) desc`),
    people: [
      ...new Set(
        PROFILE.map((c) => one(`select screen_name as name from users where ${c} not in (0, '') order by id`)),
      ),
    ],
  };
}

/** The output and files of the commands of the main job. */
interface Job {
  readonly targets: Targets;
  readonly world: string;
  readonly store: string;
  readonly key: string;
  readonly runs: Readonly<Record<string, CliResult>>;
  readonly again: readonly CliResult[];
  readonly rows: { readonly before: Record<string, number>; readonly after: Record<string, number> };
  readonly served: readonly string[];
}

const TABLES = `users follows tweets media tweet_hashtags tweet_mentions tweet_links searches search_hits user_history
  tweet_history coverage`.split(/\s+/);
const countRows = (file: string): Record<string, number> =>
  Object.fromEntries(
    TABLES.map((table) => [table, rowsOf<{ n: number }>(file, `select count(*) as n from ${table}`)[0]!.n]),
  );

const small = withWorld(40, 7);
const home = createTempDir();
afterAll(() => home[Symbol.dispose]());

/** The main job as its user does it: every step is a process of its own. */
async function doMainJob(): Promise<Job> {
  const world = join(home.path, 'world.db');
  const store = join(home.path, 'mine.db');
  const runs: Record<string, CliResult> = {
    world: await runCli(['world', 'create', '--users', '300', '--seed', '7', '--db', world]),
    keys: await runCli(['keys', 'create', '--db', world]),
  };
  const key = runs['keys']!.stdout.trim();
  const twin = startCli(['serve', '--db', world, '--listen', '127.0.0.1:0']);
  const [url] = /http:\S+/.exec(await twin.waitForLine(/^serving .* on http/))!;
  const env = { TRAWL_API_URL: url, TRAWL_API_KEY: key, TRAWL_DB: store };
  const targets = findTargets(world);
  const { star, fan, writer, tag, people } = targets;
  runs['profile'] = await runCli(['crawl', 'profile', ...people], { env });
  runs['timeline'] = await runCli(['crawl', 'timeline', `@${writer}`, '--json'], { env });
  runs['followers'] = await runCli(['crawl', 'followers', star], { env });
  runs['following'] = await runCli(['crawl', 'following', fan.toUpperCase()], { env });
  runs['search'] = await runCli(['crawl', 'search', `#${tag}`, '--quiet'], { env });
  const before = countRows(store);
  const again = [
    await runCli(['crawl', 'followers', star, '--json', '--quiet'], { env }),
    await runCli(['crawl', 'timeline', writer, '--json', '--quiet'], { env }),
  ];
  twin.kill('SIGTERM');
  await twin.exited;
  return { targets, world, store, key, runs, again, rows: { before, after: countRows(store) }, served: twin.lines };
}

let done: Promise<Job> | undefined;
const mainJob = (): Promise<Job> => (done ??= doMainJob());

test('the main job: every command succeeds and prints only its result on stdout', async () => {
  const { targets, runs, key, store } = await mainJob();
  for (const [name, { code, stderr }] of Object.entries(runs)) expect.soft(code, `${name}: ${stderr}`).toBe(0);
  expect(key).toMatch(/^trawl_[\w-]{43}$/);
  expect(runs['keys']!.stdout).toBe(`${key}\n`);
  const [head, rule, row, empty, foot, ...rest] = runs['followers']!.stdout.split('\n');
  expect(head).toMatch(/^kind +target +state +pages +items +new +requests +reason$/);
  expect(rule).toMatch(/^[─ ]+$/);
  expect(row).toMatch(new RegExp(`^followers +${targets.star} +complete( +\\d+){4}$`));
  expect(empty).toBe('');
  expect(foot).toMatch(/^1 crawl in \d.*, stored in /);
  expect(foot).toContain(store);
  expect(rest).toEqual(['']);
  expect(runs['followers']!.stderr).toMatch(/^queue: .*\n$/);
  expect(runs['search']!.stderr, '--quiet').toBe('');
});

test.each(Object.keys(comparisons({ star: '', fan: '', writer: '', tag: '', people: [] })))(
  'the main job: the stored %s equal those of the world in every column',
  async (what) => {
    const { targets, world, store } = await mainJob();
    const select = comparisons(targets)[what]!;
    const db = openConnection(':memory:');
    onTestFinished(() => void db.close());
    db.prepare('attach ? as w').run(world);
    db.prepare('attach ? as s').run(store);
    const rows = (sql: string): unknown[] => db.prepare(sql).all();
    expect(rows(select('w')).length, 'rows').toBe(rows(select('s')).length);
    expect(rows(`${select('w')} except ${select('s')}`), 'missing or other than in the world').toEqual([]);
    expect(rows(`${select('s')} except ${select('w')}`), 'stored but not so in the world').toEqual([]);
    // A column that nothing fills would be equal too.
    for (const { name } of db.prepare(select('w')).columns()) {
      const filled = rows(`select 1 from (${select('w')}) where "${name}" not in (0, '') limit 1`);
      expect(filled, `some ${what} have ${name}`).toHaveLength(1);
    }
  },
);

test('the main job: --json prints one document of the documented form', async () => {
  const { targets, runs, store } = await mainJob();
  const document = JSON.parse(runs['timeline']!.stdout) as unknown;
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const tweets = rowsOf(
    store,
    'select 1 from tweets join users on users.id = author_id where screen_name = ?',
    targets.writer,
  );
  expect(document).toStrictEqual({
    crawls: [
      {
        id: expect.any(Number),
        kind: 'timeline',
        target: targets.writer.toLowerCase(),
        handle: targets.writer,
        targetRestId: expect.stringMatching(/^\d+$/),
        priority: 'interactive',
        options: {},
        state: 'complete',
        isComplete: true,
        reason: null,
        ending: 'served',
        error: null,
        pages: Math.ceil(tweets.length / 20),
        items: tweets.length,
        newItems: tweets.length,
        rejectedItems: 0,
        requests: expect.any(Number),
        unknownRequests: 0,
        parentId: null,
        createdAt: time,
        startedAt: time,
        updatedAt: time,
        resumeAt: null,
        finishedAt: time,
      },
    ],
    unfinished: 0,
    droppedFields: [],
    durationMs: expect.any(Number),
    db: store,
  });
});

test('a repeated crawl adds no rows, and no history of unchanged values (invariant 7)', async () => {
  const { again, rows } = await mainJob();
  for (const { code, stdout, stderr } of again) {
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ crawls: [{ state: 'complete', newItems: 0 }] });
  }
  expect(rows.after).toEqual(rows.before);
});

test('the twin logs one JSON line per request with its status', async () => {
  const { served, store } = await mainJob();
  const requests = served
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { status: number });
  const metered = requests.filter((line) => !JSON.stringify(line).includes('token-info'));
  expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([200]));
  expect(metered).toHaveLength(rowsOf(store, 'select 1 from requests').length);
});

test('no output and no file contains the key', async () => {
  const { key, runs, again, served } = await mainJob();
  const { keys, ...others } = runs;
  const printed = [
    keys!.stderr,
    ...served,
    ...[...Object.values(others), ...again].flatMap((run) => [run.stdout, run.stderr]),
  ];
  expect(printed.filter((text) => text.includes(key))).toEqual([]);
  const files = readdirSync(home.path);
  expect(files).toEqual(expect.arrayContaining(['mine.db', 'world.db']));
  expect(files.filter((file) => readFileSync(join(home.path, file)).includes(key))).toEqual([]);
});

test('nothing that is sent to Redis contains the key', async () => {
  const { env, key } = await serve(small);
  const redis = await withRedis();
  const { url, sent } = await eavesdrop(redis.connection.path!);
  const handles = peopleOf(small, 5).map(({ handle }) => handle);
  const withRedisUrl = { env: { ...env, REDIS_URL: url } };
  await runSuccessfully(['enqueue', 'profile', ...handles], withRedisUrl);
  await runSuccessfully(['work', '--exit-when-idle'], withRedisUrl);
  const bytes = Buffer.concat(sent);
  expect(bytes.toString('latin1')).toMatch(/evalsha.*quota/is);
  expect(bytes.includes(key)).toBe(false);
});

/** A proxy of a Redis that records all bytes sent to it. */
async function eavesdrop(socketPath: string): Promise<{ url: string; sent: Buffer[] }> {
  const sent: Buffer[] = [];
  const path = tempFile('r.sock');
  const server = createServer((client) => {
    const redis = createConnection(socketPath);
    client.on('data', (bytes) => void sent.push(bytes));
    client.pipe(redis).pipe(client);
    for (const socket of [client, redis]) socket.on('error', () => undefined);
  }).listen(path);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `unix://${path}`, sent };
}
