import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decompressBodySync, type StoredBody } from '../../../src/raw-bodies.ts';
import { readFacts } from '../../../src/ship/restore/read-shipped-entries.ts';
import { loadTargetKind } from '../../../src/ship/targets/target-kinds.ts';
import { openStore } from '../../../src/store/store.ts';
import { followedBy, peopleOf, rowsOf, serve, valueOf, withWorld } from '../../e2e/support.ts';
import { runCli, runJson, runSuccessfully } from '../../support/cli.ts';
import { tempDir } from '../../support/temp.ts';
import { askLake } from '../lake.ts';
import { readRows } from '../restored-rows.ts';
import { TARGETS } from '../targets.ts';
import { type Answer, startRecordingProxy } from './recording-proxy.ts';

/** Bodies of real crawls, compared with what the service answered. */

const world = withWorld(80, 11);

/** A service that keeps its answers, and an empty store. */
async function start() {
  const { url, key, db } = await serve(world, { pageSize: { 'user-tweets': 20, followers: 5 } });
  const { url: proxy, answers } = await startRecordingProxy(url);
  const env = { TRAWL_API_URL: proxy, TRAWL_API_KEY: key, TRAWL_DB: db };
  await openStore(db)[Symbol.asyncDispose]();
  const { handle, id } = followedBy(world, 12);
  /** Crawls lists of an account, and an account that does not exist. */
  const crawl = async (...options: string[]): Promise<void> => {
    for (const kind of ['followers', 'timeline'])
      await runSuccessfully(['crawl', kind, handle, '--quiet', ...options], { env });
    await runCli(['crawl', 'profile', 'nobody_is_this', '--quiet', ...options], { env });
  };
  return { answers, env, db, id, handle, crawl };
}

const digest = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');
const digestsOf = (answers: readonly Answer[]): string[] => answers.map(({ body }) => digest(body)).toSorted();

interface ShippedBody {
  readonly entry: number;
  readonly number: number;
  readonly digest: string;
  readonly status: number;
  readonly parameters: string;
  readonly headers: string;
  readonly body: Uint8Array;
}

/** The bodies of a target as trawl reads them. */
async function readBodies(address: string, variables: Readonly<Record<string, string>> = {}): Promise<ShippedBody[]> {
  const kind = await loadTargetKind(address);
  const access = { address, variables };
  await using content = await kind.openContent(access);
  const bodies: ShippedBody[] = [];
  for (const { store } of await kind.readStores(access))
    for await (const fact of readFacts(content, { table: 'bodies', store, from: 0 }))
      bodies.push(fact as unknown as ShippedBody);
  return bodies;
}

test('every answer of the service arrives in each target, is restored and can be parsed again', async () => {
  const { answers, env, db, crawl } = await start();
  const targets = await Promise.all(TARGETS.map(([, startTarget]) => startTarget()));
  for (const { address, env: variables } of targets) {
    await runSuccessfully(['ship', 'add', address, '--bodies', '--db', db], { env: variables });
    await runSuccessfully(['ship', 'run', address, '--once', '--db', db, '--quiet'], { env: variables });
  }
  await crawl('--no-raw');
  expect(valueOf(db, 'select count(*) from raw_pages')).toBe(0);
  expect(answers.some(({ status }) => status === 404)).toBe(true);
  expect(answers.length).toBeGreaterThan(5);
  expect(valueOf(db, 'select count(*) from _ship_bodies')).toBe(answers.length);
  for (const { address, env: variables } of targets)
    await runSuccessfully(['ship', 'run', address, '--once', '--db', db, '--quiet'], { env: { ...env, ...variables } });
  expect(valueOf(db, 'select count(*) from _ship_bodies')).toBe(0);

  const lost = readRows(db);
  for (const { address, env: variables } of targets) {
    const bodies = await readBodies(address, variables);
    expect(bodies.map(({ body }) => digest(body)).toSorted()).toEqual(digestsOf(answers));
    expect(bodies.map((fact) => fact.digest)).toEqual(bodies.map(({ body }) => digest(body)));

    const restored = join(tempDir(), 'restored.db');
    const summary = await runJson<{ bodies: number }>(['restore', '--from', address, '--db', restored, '--quiet'], {
      env: variables,
    });
    expect(summary.bodies).toBe(answers.length);
    expect(rowsOf<{ hash: string }>(restored, 'select hash from raw_pages order by 1').map(({ hash }) => hash)).toEqual(
      digestsOf(answers),
    );
    expect(readRows(restored)).toEqual(lost);
    await runSuccessfully(['rebuild', '--db', restored, '--quiet']);
    expect(readRows(restored)).toEqual(lost);
    // It ships on with bodies.
    expect(valueOf(restored, 'select bodies_since is not null from _ship_targets')).toBe(1);
  }

  const [{ address: lake }] = targets as [(typeof targets)[number]];
  const { stdout: views } = await runSuccessfully(['ship', 'views', lake]);
  const read = `select count(*), count(distinct digest), bool_and(sha256(body) = digest),
    bool_and(decode(body) like '{%' or decode(body) like '[%') from bodies`;
  const different = new Set(digestsOf(answers)).size;
  expect(await askLake([], read, views)).toEqual([[answers.length, different, true, true]]);
}, 300_000);

test('bodies that expire or are pruned before they are shipped are shipped, and a later target gets those that are left', async () => {
  const { answers, db, crawl, env } = await start();
  const [first, later, without] = [tempDir(), tempDir(), tempDir()];
  await runSuccessfully(['ship', 'add', first, '--bodies', '--db', db]);
  await runSuccessfully(['ship', 'add', without, '--db', db]);
  await runSuccessfully(['ship', 'run', first, '--once', '--db', db, '--quiet']);
  await crawl();
  const before = answers.length;
  {
    await using store = openStore(db);
    for (let deleted = 1; deleted > 0;) deleted = await store.write.expireBodies(Date.now() + 1e9, 100);
  }
  // The newest one stays, so that its id is not used again.
  expect(valueOf(db, 'select count(*) from raw_pages')).toBe(1);
  await runSuccessfully(['crawl', 'profile', followedBy(world, 3).handle, '--quiet'], { env });
  await runSuccessfully(['ship', 'add', later, '--bodies', '--db', db]);
  for (const target of [first, later, without])
    await runSuccessfully(['ship', 'run', target, '--once', '--db', db, '--quiet']);
  const shipped = async (lake: string): Promise<string[]> =>
    (await readBodies(lake)).map((fact) => fact.digest).toSorted();
  expect(await shipped(first)).toEqual(digestsOf(answers));
  expect(await shipped(later)).toEqual(digestsOf(answers.slice(before - 1)));
  expect(await shipped(without)).toEqual([]);
  expect(valueOf(db, 'select count(*) from _ship_bodies')).toBe(0);
});

test('bodies can be asked for and refused later, also while a target is shipped to', async () => {
  const { answers, db, env } = await start();
  const people = peopleOf(world, 3);
  const crawlNext = () => runSuccessfully(['crawl', 'profile', people.pop()!.handle, '--no-raw', '--quiet'], { env });
  const lake = tempDir();
  const add = async (...options: string[]): Promise<string> =>
    (await runSuccessfully(['ship', 'add', lake, '--db', db, ...options])).stderr;
  expect(await add()).toContain('facts are recorded');
  await runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  await crawlNext();
  const before = answers.length;
  const said = await add('--bodies', '--ship-backlog', '2GB');
  expect(said).toContain('facts and bodies of pages are recorded');
  expect(said).toMatch(/bodies from before \S+ are not shipped/);
  await crawlNext();
  const between = answers.slice(before);
  // What is not given stays.
  expect(await add()).toContain('2.0 GB');
  expect(valueOf(db, 'select bodies_since is not null from _ship_targets')).toBe(1);
  await runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  await add('--no-bodies');
  await crawlNext();
  await runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  expect((await readBodies(lake)).map((fact) => fact.digest).toSorted()).toEqual(digestsOf(between));
  const { targets } = await runJson<{ targets: { bodiesSince: string | null }[] }>(['ship', '--json', '--db', db]);
  expect(targets[0]!.bodiesSince).toBeNull();
});

test('nothing of a forgotten person is left in bodies, and every body of others stays', async () => {
  const { answers, db, env, id: owner, crawl } = await start();
  const lake = tempDir();
  await runSuccessfully(['ship', 'add', lake, '--bodies', '--db', db]);
  await crawl();
  const [person] = rowsOf<{ id: string; handle: string }>(
    world.file,
    `select r.rest_id as id, r.screen_name as handle from follows f join users r on r.id = f.follower_id
     join users e on e.id = f.followee_id join tweets t on t.author_id = r.id where e.rest_id = ? group by r.id
     order by count(*) desc limit 1`,
    owner,
  ) as [{ id: string; handle: string }];
  const crawlPerson = async (): Promise<void> => {
    for (const kind of ['profile', 'followers', 'timeline'])
      await runSuccessfully(['crawl', kind, person.handle, '--quiet'], { env });
  };
  await crawlPerson();
  const ship = () => runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  await ship();
  // What waits when the person is forgotten.
  await crawlPerson();
  await crawl();
  const tweets = rowsOf<{ id: string }>(
    world.file,
    'select t.rest_id as id from tweets t join users u on u.id = t.author_id where u.rest_id = ?',
    person.id,
  ).map((tweet) => tweet.id);
  const names = [person.id, ...tweets].join('|');
  const naming = new RegExp(`(?<!\\w)(?:${names}|${person.handle})(?!\\w)`, 'i');
  const isNaming = ({ path, body }: Pick<Answer, 'path' | 'body'>): boolean =>
    naming.test(decodeURIComponent(path)) || naming.test(body.toString());
  const others = digestsOf(answers.filter((answer) => !isNaming(answer)));
  expect(others.length).toBeGreaterThan(3);
  expect(answers.length - others.length).toBeGreaterThan(5);
  const countNaming = async (): Promise<number> =>
    (await readBodies(lake)).filter(({ parameters, headers, body }) =>
      naming.test(`${parameters} ${headers} ${Buffer.from(body).toString()}`),
    ).length;
  expect(await countNaming()).toBeGreaterThan(3);

  await runSuccessfully(['forget', `id:${person.id}`, '--mentions', 'redact', '--yes', '--quiet', '--db', db]);
  // What waited is gone before it is shipped.
  const waiting = rowsOf<StoredBody>(db, 'select encoding, body from _ship_bodies').map(decompressBodySync);
  expect(waiting.length).toBeGreaterThan(0);
  expect(waiting.filter((body) => naming.test(body.toString()))).toEqual([]);
  await ship();
  const { stdout: views } = await runSuccessfully(['ship', 'views', lake]);
  const shown = await askLake([], 'select decode(body), parameters from bodies', views);
  expect(shown.length).toBeGreaterThan(3);
  const field = new RegExp(`(?<!\\w)(?:${names})(?!\\w)|"${person.handle}"`, 'i');
  expect(shown.filter((row) => field.test(row.join(' ')))).toEqual([]);

  await runSuccessfully(['ship', 'purge', lake, '--quiet']);
  expect(await countNaming()).toBe(0);
  const left = (await readBodies(lake)).map((fact) => fact.digest).toSorted();
  // Those that waited went with the others of their steps.
  expect(left.filter((one) => !others.includes(one))).toEqual([]);
  expect(new Set(left)).toEqual(new Set(others));
}, 300_000);
