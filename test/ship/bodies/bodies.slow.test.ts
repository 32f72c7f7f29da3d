import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decompressBodySync, type StoredBody } from '../../../src/raw-bodies.ts';
import { readFacts } from '../../../src/ship/restore/read-shipped-entries.ts';
import { loadTargetKind } from '../../../src/ship/targets/target-kinds.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { openStore } from '../../../src/store/store.ts';
import { followedBy, rowsOf, serve, valueOf, withWorld } from '../../e2e/support.ts';
import { runCli, runJson, runSuccessfully } from '../../support/cli.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { askLake } from '../lake.ts';
import { readRows } from '../restored-rows.ts';
import { TARGETS } from '../targets.ts';
import { type Answer, startRecordingProxy } from './recording-proxy.ts';

/** Bodies of real crawls, compared with what the service answered. */

/** Kills: `SHIP_KILLS=100 npx vitest run test/ship/bodies/bodies.slow.test.ts` makes 100. */
const KILLS = Number(process.env['SHIP_KILLS'] ?? 4); // oxlint-disable-line node/no-process-env -- a choice of who runs it

const world = withWorld(80, 11);

/** A service that keeps its answers, and an empty store. */
async function start() {
  const { url, key, db } = await serve(world, { pageSize: 3 });
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

test.each(TARGETS)(
  'every answer of the service arrives in %s, is restored and can be parsed again',
  async (_, startTarget) => {
    const { answers, env, db, crawl } = await start();
    const { address, env: variables } = await startTarget();
    const run = (...args: string[]) => runSuccessfully([...args, '--quiet'], { env: { ...env, ...variables } });
    await runSuccessfully(['ship', 'add', address, '--bodies', '--db', db], { env: variables });
    await run('ship', 'run', '--once');
    await crawl('--no-raw');
    expect(valueOf(db, 'select count(*) from raw_pages')).toBe(0);
    expect(answers.some(({ status }) => status === 404)).toBe(true);
    expect(answers.length).toBeGreaterThan(5);
    expect(valueOf(db, 'select count(*) from _ship_bodies')).toBe(answers.length);
    await run('ship', 'run', '--once');
    expect(valueOf(db, 'select count(*) from _ship_bodies')).toBe(0);

    const bodies = await readBodies(address, variables);
    expect(bodies.map(({ body }) => digest(body)).toSorted()).toEqual(digestsOf(answers));
    expect(bodies.map((fact) => fact.digest)).toEqual(bodies.map(({ body }) => digest(body)));

    const restored = join(tempDir(), 'restored.db');
    const summary = await runJson<{ bodies: number }>(
      ['restore', '--from', address, '--db', restored, '--json', '--quiet'],
      { env: variables },
    );
    expect(summary.bodies).toBe(answers.length);
    expect(rowsOf<{ hash: string }>(restored, 'select hash from raw_pages order by 1').map(({ hash }) => hash)).toEqual(
      digestsOf(answers),
    );
    const lost = readRows(db);
    expect(readRows(restored)).toEqual(lost);
    await runSuccessfully(['rebuild', '--db', restored, '--quiet']);
    expect(readRows(restored)).toEqual(lost);
    // It ships on with bodies.
    expect(valueOf(restored, 'select bodies_since is not null from _ship_targets')).toBe(1);
  },
  300_000,
);

test('DuckDB reads bodies and their JSON, and computes their digests', async () => {
  const { answers, db, crawl } = await start();
  const lake = tempDir();
  await runSuccessfully(['ship', 'add', lake, '--bodies', '--db', db]);
  await crawl();
  await runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  const { stdout: views } = await runSuccessfully(['ship', 'views', lake]);
  const found = await askViews(
    lake,
    views,
    'select count(*), count(distinct digest), bool_and(sha256(body) = digest) from bodies',
  );
  expect(found).toEqual([[answers.length, new Set(digestsOf(answers)).size, true]]);
  const text = await askViews(
    lake,
    views,
    "select count(*) from bodies where decode(body) like '{%' or decode(body) like '[%'",
  );
  expect(text).toEqual([[answers.length]]);
});

const askViews = (lake: string, views: string, sql: string) => askLake([], sql, views.replaceAll('$lake', lake));

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
  const { answers, db, crawl } = await start();
  const lake = tempDir();
  const add = async (...options: string[]): Promise<string> =>
    (await runSuccessfully(['ship', 'add', lake, '--db', db, ...options])).stderr;
  expect(await add()).toContain('facts are recorded');
  await runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  await crawl('--no-raw');
  const before = answers.length;
  const said = await add('--bodies', '--ship-backlog', '2GB');
  expect(said).toContain('facts and bodies of pages are recorded');
  expect(said).toMatch(/bodies from before \S+ are not shipped/);
  await crawl('--no-raw');
  const between = answers.slice(before);
  // What is not given stays.
  expect(await add()).toContain('2.0 GB');
  expect(valueOf(db, 'select bodies_since is not null from _ship_targets')).toBe(1);
  await runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  await add('--no-bodies');
  await crawl('--no-raw');
  await runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  expect((await readBodies(lake)).map((fact) => fact.digest).toSorted()).toEqual(digestsOf(between));
  const { targets } = await runJson<{ targets: { bodiesSince: string | null }[] }>(['ship', '--json', '--db', db]);
  expect(targets[0]!.bodiesSince).toBeNull();
});

test('a run that is killed at any operation ships every body once', async () => {
  const { answers, db, crawl } = await start();
  const empty = tempDir();
  await runSuccessfully(['ship', 'add', empty, '--bodies', '--db', db]);
  await runSuccessfully(['ship', 'run', '--once', '--db', db, '--quiet']);
  await crawl('--no-raw');
  /** Copies the store and its lake. */
  const copy = (): { readonly path: string; readonly lake: string } => {
    const [path, lake] = [tempFile('mine.db'), tempDir()];
    copyFileSync(db, path);
    cpSync(empty, lake, { recursive: true });
    using moved = openDatabase(path);
    moved.$client.prepare('update _ship_targets set address = ?').run(lake);
    return { path, lake };
  };
  const ship = (path: string, killedAt?: number) =>
    spawnSync(
      process.execPath,
      [
        '--import=tsx',
        join(import.meta.dirname, '../killed-shipping.ts'),
        path,
        ...(killedAt ? [String(killedAt)] : []),
      ],
      { encoding: 'utf8' },
    );
  const { stdout, stderr } = ship(copy().path);
  const { length: operations } = JSON.parse(stdout || '[]') as string[];
  expect(operations, stderr).toBeGreaterThan(5);
  for (let i = 1; i <= KILLS; i += 1) {
    const point = Math.ceil((i * operations) / KILLS);
    const { path, lake } = copy();
    expect([point, ship(path, point).signal]).toEqual([point, 'SIGKILL']);
    await runSuccessfully(['ship', 'run', '--once', '--db', path, '--quiet']);
    const found = (await readBodies(lake)).map((fact) => fact.digest).toSorted();
    expect(found, `after a kill at operation ${point} of ${operations}`).toEqual(digestsOf(answers));
    expect(valueOf(path, 'select count(*) from _ship_bodies')).toBe(0);
  }
}, 300_000);

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
