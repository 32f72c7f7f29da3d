import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type CliResult, runCli, runSuccessfully, startCli } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { createTempDir, tempFile } from '../support/temp.ts';
import { peopleOf, rowsOf, serve, withWorld } from './support.ts';

/** The targets of the crawls, from the world itself. */
interface Targets {
  readonly star: string;
  readonly fan: string;
  readonly writer: string;
  readonly tag: string;
}

function findTargets(file: string): Targets {
  const one = (sql: string): string => rowsOf<{ name: string }>(file, sql)[0]!.name;
  return {
    star: one(`select screen_name as name from follows join users on users.id = followee_id
      group by users.id order by count(*) desc`),
    fan: one(`select screen_name as name from follows join users on users.id = follower_id
      group by users.id order by count(*) desc`),
    writer: one(`select screen_name as name from tweets join users on users.id = author_id
      where in_reply_to_status_rest_id is null group by users.id order by count(*) desc`),
    tag: one('select tag as name from tweet_hashtags group by tag order by count(*) desc'),
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
    world: await runCli(['twin', 'world', 'create', '--users', '300', '--seed', '7', '--db', world]),
    keys: await runCli(['twin', 'keys', 'create', '--db', world]),
  };
  const key = runs['keys']!.stdout.trim();
  const twin = startCli(['twin', 'serve', '--db', world, '--listen', '127.0.0.1:0']);
  const [url] = /http:\S+/.exec(await twin.waitForLine(/^serving .* on http/))!;
  const env = { TRAWL_API_URL: url, TRAWL_API_KEY: key, TRAWL_DB: store };
  const targets = findTargets(world);
  const { star, fan, writer, tag } = targets;
  runs['profile'] = await runCli(['crawl', 'profile', star, fan], { env });
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

/** What lists and profiles store, fixed-point.test.ts compares. */
test('the main job: the stored results of a search are those of the world, in their order', async () => {
  const { targets, world, store } = await mainJob();
  const select = (
    hits: string,
  ): string => `select rank, t.rest_id, u.rest_id as author, u.screen_name, u.name, text, t.created_at,
      favorite_count, retweet_count, reply_count, quote_count
    from (${hits}) join tweets t on t.id = tweet_id join users u on u.id = t.author_id order by rank`;
  const shown = select(`select tweet_id, row_number() over (order by created_at desc, id desc) - 1 as rank
    from tweet_hashtags join tweets on id = tweet_id where tag = '${targets.tag}' order by rank limit 20`);
  const stored = select('select tweet_id, rank from search_hits');
  expect(rowsOf(world, shown)).toHaveLength(20);
  expect(rowsOf(store, stored)).toEqual(rowsOf(world, shown));
});

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
        label: `timeline of ${targets.writer}`,
        sentence: 'complete',
        command: null,
        isComplete: true,
        reason: null,
        why: '',
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
