import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '#base/log.ts';
import { openDatabase, openReadOnly } from '#store/sqlite/database.ts';
import { startTwin } from '#twin/serve/http/start-twin.ts';
import { createTwinQueries } from '#twin/serve/http/twin-queries.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { createWorld } from '#twin/world/create-world.ts';
import type { Edge } from '#twin/world/step/step-context.ts';
import { stepWorld, type WorldStep } from '#twin/world/step/step-world.ts';
import { runCli, runJson, spawnCli } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempFile } from '../support/temp.ts';
import { rowsOf, valueOf } from './support.ts';

type Json = Record<string, unknown>;

/** A world in a file, served by a twin that only reads it. */
async function serveWorld(users: number, seed: number, pageSize: number) {
  const file = createStoreFile(tempFile('world.db'));
  const db = openDatabase(file);
  await createWorld({ db, users, seed });
  const { key } = createKey(db, { name: 'test', limit: 1_000_000, now: Date.now() });
  db.$client.close();
  const twin = await startTwin({ file, port: 0, pageSize, log: createLog({ level: 'silent' }) });
  onTestFinished(async () => await twin.close());
  const get = async (endpoint: string, parameters: Record<string, string>): Promise<{ status: number; data: Json }> => {
    const query = new URLSearchParams(parameters).toString();
    const response = await fetch(`${twin.url}/api/microblog/${endpoint}?${query}`, { headers: { 'X-API-Key': key } });
    return { status: response.status, data: ((await response.json()) as { data: Json }).data };
  };
  const step = async (days: number, by = 1): Promise<WorldStep> =>
    await runJson<WorldStep>(['twin', 'world', 'step', '--db', file, '--days', String(days), '--seed', String(by)]);
  return { file, twin, key, get, step };
}

interface Instruction {
  readonly entries: readonly { readonly content: Json & { readonly value?: string } }[];
  readonly cursor?: { readonly value: string };
}

/** The ids of a page, and the cursor of the next one. */
function readPage(data: Json, list: 'followers' | 'following' | 'user-tweets'): { ids: string[]; next?: string } {
  const holder = (list === 'user-tweets' ? data : data[list]) as { timeline: { instructions: [Instruction] } };
  const [{ entries, cursor }] = holder.timeline.instructions;
  const ids = entries.flatMap(
    ({ content }) => ((content['user'] ?? content['tweet']) as { id: string } | undefined)?.id ?? [],
  );
  const next = cursor?.value ?? entries.at(-1)?.content.value;
  return next === undefined ? { ids } : { ids, next };
}

/** The rest ids of a served list, read from the file. */
const LISTS = {
  followers: `select a.rest_id as id from follows join users a on a.id = follower_id join users b on b.id = followee_id
    where b.rest_id = ? and ended_at is null`,
  following: `select b.rest_id as id from follows join users a on a.id = follower_id join users b on b.id = followee_id
    where a.rest_id = ? and ended_at is null`,
  'user-tweets': `select t.rest_id as id from tweets t join users u on u.id = author_id
    where u.rest_id = ? and in_reply_to_status_rest_id is null`,
};
const idsOf = (file: string, list: keyof typeof LISTS, restId: string): string[] =>
  rowsOf<{ id: string }>(file, LISTS[list], restId).map(({ id }) => id);

const FIRST = {
  followers: 'select rest_id from users order by followers_count desc, id limit 1',
  following: `select rest_id from users where id not in (select id from users order by followers_count desc limit 10)
    order by following_count desc, id limit 1`,
  'user-tweets': `select u.rest_id from tweets t join users u on u.id = author_id where in_reply_to_status_rest_id is null
    and u.id in (select id from users order by followers_count desc limit 10) group by 1 order by count(*) desc limit 1`,
};

test('every response during a step of another process is of the world before or after it', async () => {
  const { file, get } = await serveWorld(400, 7, 1000);
  const restId = valueOf<string>(file, FIRST.followers);
  const readAll = async (): Promise<string> => {
    const { data } = await get('followers', { restId });
    return JSON.stringify(readPage(data, 'followers').ids);
  };
  const seen = new Set([await readAll()]);
  const run = spawnCli(['twin', 'world', 'step', '--db', file, '--days', '90']);
  let hasEnded = false;
  const ended = run.exited.then((code) => {
    hasEnded = true;
    expect(code).toBe(0);
  });
  while (!hasEnded) seen.add(await readAll());
  await ended;
  seen.add(await readAll());
  expect(seen.size).toBe(2);
  expect(await readAll()).toBe(JSON.stringify(idsOf(file, 'followers', restId)));
});

test('the statements of one response read the same state of the store', async () => {
  const { file } = await serveWorld(60, 7, 20);
  const [reader, writer] = [openReadOnly(file), openDatabase(file)];
  onTestFinished(() => {
    reader.$client.close();
    writer.$client.close();
  });
  const { readSnapshot, profiles, follows } = createTwinQueries(reader);
  const restId = valueOf<string>(file, FIRST.followers);
  const userId = profiles.byRestId(restId)!.id;
  const readFollowers = (): string => follows.followers(userId, undefined, 1000).entries.toString();
  const before = readFollowers();
  const inside = readSnapshot(() => {
    profiles.byRestId(restId);
    stepWorld({ db: writer, days: 90, seed: 1 });
    return readFollowers();
  });
  expect(inside).toBe(before);
  expect(readFollowers()).not.toBe(before);
});

interface Original {
  readonly id: string;
  readonly author: string;
}

test('crawls before and after a step detect exactly its changes', async () => {
  const { file, twin, key, step } = await serveWorld(80, 7, 50);
  const db = tempFile('mine.db');
  const env = { TRAWL_API_URL: twin.url, TRAWL_API_KEY: key, TRAWL_DB: db };
  const crawl = async (kind: string, ids: readonly string[], ...options: string[]): Promise<void> => {
    const { code, stdout } = await runCli(
      ['crawl', kind, ...ids.map((id) => `id:${id}`), '--quiet', '--yes', ...options],
      { env },
    );
    expect(code, stdout).toBe(0);
  };
  const readIds = (query: string): string[] => rowsOf<{ id: string }>(file, query).map(({ id }) => id);
  const readWriters = (): string[] =>
    readIds(`select rest_id as id from users
      where id in (select author_id from tweets where in_reply_to_status_rest_id is null) order by id`);
  const edge = ({ follower, followee }: Edge): string => `${follower} ${followee}`;
  const sort = (items: Iterable<string>): string[] => [...items].toSorted();

  const users = readIds('select rest_id as id from users order by id');
  await crawl('followers', users);
  await crawl('timeline', readWriters());
  const originals = new Map(
    rowsOf<Original>(
      file,
      `select t.rest_id as id, u.rest_id as author from tweets t join users u on u.id = author_id
       where in_reply_to_status_rest_id is null`,
    ).map((tweet) => [tweet.id, tweet]),
  );
  const edges = rowsOf<Edge>(
    file,
    `select a.rest_id as follower, b.rest_id as followee
     from follows join users a on a.id = follower_id join users b on b.id = followee_id`,
  );

  const { changes } = await step(60);
  const suspended = new Set(changes.suspensions.map(({ restId }) => restId));
  expect(suspended.size).toBeGreaterThan(0);
  const remaining = users.filter((id) => !suspended.has(id));
  const writers = readWriters();
  await crawl('followers', remaining);
  await crawl('followers', remaining);
  await crawl('timeline', writers, '--full-refresh');

  const changedEdges = (change: string): string[] =>
    rowsOf<Edge>(
      db,
      'select follower_rest_id as follower, followee_rest_id as followee from v_follow_changes where change = ?',
      change,
    ).map(edge);
  const ofSuspended = edges.filter(({ follower, followee }) => suspended.has(follower) && !suspended.has(followee));
  expect(sort(changedEdges('went'))).toEqual(sort([...changes.unfollows, ...ofSuspended].map(edge)));
  expect(sort(changedEdges('came'))).toEqual(sort(changes.follows.map(edge)));

  expect(
    sort(
      rowsOf(db, 'select * from v_handle_periods where valid_to is not null').map(
        (row) => `${String(row['rest_id'])} ${String(row['screen_name'])}`,
      ),
    ),
  ).toEqual(sort(changes.renames.map(({ restId, from }) => `${restId} ${from}`)));

  const known = (query: string): string[] => sort(rowsOf<{ id: string }>(db, query).map(({ id }) => id));
  // Those of accounts that still have a timeline, its ends included.
  const isInTimeline = (id: string): boolean => writers.includes(originals.get(id)?.author ?? '');
  expect(known("select rest_id as id from v_deleted_tweets where state = 'deleted'")).toEqual(
    sort(changes.deletions.filter(isInTimeline)),
  );
  // Requests of single tweets store their replies, too.
  const listed = known('select rest_id as id from tweets where seen_in_lists <> 0');
  expect(listed.filter((id) => !originals.has(id))).toEqual(sort(changes.tweets));
  expect(
    known(
      'select distinct rest_id as id from tweet_history h join tweets t on t.id = tweet_id where h.text is not null',
    ),
  ).toEqual(sort(changes.edits.filter((id) => originals.has(id))));
  for (const field of ['deletions', 'edits', 'renames', 'follows', 'unfollows', 'tweets'] as const)
    expect(changes[field].length, field).toBeGreaterThan(0);
});
