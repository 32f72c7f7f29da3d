import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tryShipLock } from '#lake/worker/ship-lock.ts';
import { addShipTarget, readShipTargets } from '#store/outbox/ship-targets.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { countFollowers, followedBy, serve, valueOf, withWorld } from '../e2e/support.ts';
import { failure, runCli, runJson, runProcess, runSuccessfully, spawnCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { askLake } from './lake.ts';

/** Real workers that ship beside crawling. */

const world = withWorld(60, 7);
/** Somebody with followers. */
const followed = () => followedBy(world, 12);

/** A lake of a service that does not answer, and the variables of its clients. */
const AWAY = 's3://none/lake';
const KEYS = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };

/** A store with a queued crawl and a lake as its target. */
async function startQueued() {
  const service = await serve(world, { pageSize: 3 });
  const lake = join(tempDir(), 'lake');
  await runSuccessfully(['enqueue', 'followers', followed().handle, '--yes'], { env: service.env });
  await runSuccessfully(['lake', 'add', lake], { env: service.env });
  return { ...service, env: { ...service.env, ...KEYS }, lake };
}

const lockFiles = (db: string): string[] => readdirSync(dirname(db)).filter((name) => name.includes('.ship-'));
const countMembers = (lake: string): unknown =>
  askLake(
    lake,
    `select count(distinct member_rest_id) from edge_sightings where owner_rest_id = '${followed().id}'`,
  )[0];

test('a worker ships what it crawls, says which facts are left, and leaves no file of the lock', async () => {
  const { db, env, lake } = await startQueued();
  {
    using store = openDatabase(db);
    addShipTarget(store, { address: AWAY, at: 1 });
  }
  const { code, stderr } = await runProcess(['work', '--exit-when-idle'], { env: { ...env, TRAWL_SHIP: 'all' } });
  const lines = stderr.split('\n').filter((line) => /facts are/.test(line));
  expect([code, ...lines]).toEqual([
    0,
    expect.stringContaining(`"target":"${lake}","msg":"all facts are shipped"`),
    expect.stringMatching(/"target":"s3:[^"]+","waiting":[1-9]\d*,"msg":"facts are left: the next run ships them"/),
  ]);
  expect(countMembers(lake)).toEqual([countFollowers(world.file, followed().id)]);
  expect(lockFiles(db)).toEqual([]);
  // Nothing is left for another run.
  expect(await runJson(['lake', 'ship', lake, '--once', '--json', '--quiet'], { env })).toMatchObject({ entries: 0 });
});

test('while a worker ships, nobody else does; a killed worker is followed by another one', async () => {
  const { db, env, lake } = await startQueued();
  const worker = spawnCli(['work', '--ship'], { env });
  await worker.waitForLine(/"msg":"shipping"/);
  // Nobody waits for the lease of a killed worker.
  await worker.waitForLine(/"msg":"crawl ended"/);
  expect(await runCli(['lake', 'ship', '--once'], { env })).toMatchObject(failure(1, 'another process ships'));
  worker.kill('SIGKILL');
  await worker.exited;
  const shipOnce = () => runCli(['lake', 'ship', '--once', '--quiet'], { env });
  await expect.poll(async () => (await shipOnce()).code, { timeout: 30_000 }).toBe(0);
  await runSuccessfully(['work', '--ship', lake, '--exit-when-idle', '--quiet'], { env });
  expect(countMembers(lake)).toEqual([countFollowers(world.file, followed().id)]);
  expect(lockFiles(db)).toEqual([]);
});

test('a worker crawls on while another process ships, or while a target does not answer, and stops cleanly', async () => {
  const { db, env } = await startQueued();
  using store = openDatabase(db);
  addShipTarget(store, { address: AWAY, maxBacklogBytes: 1e9, at: 1 });
  using other = tryShipLock(db, readShipTargets(store)[0]!.id);
  expect(other).toBeDefined();
  const worker = spawnCli(['work', '--ship'], { env });
  await worker.waitForLine(/another process ships to this target: crawls go on/);
  await worker.waitForLine(/the target does not answer and is tried again/);
  await expect
    .poll(() => countFollowers(db, followed().id), { timeout: 30_000 })
    .toBe(countFollowers(world.file, followed().id));
  worker.kill('SIGTERM');
  expect(await worker.exited, worker.lines.join('\n')).toBe(0);
  expect(valueOf(db, 'select count(*) from _ship_outbox')).toBeGreaterThan(3);
});

test('a target that the database does not have is refused', async () => {
  const { env } = await startQueued();
  expect(await runCli(['work', '--ship', '/nowhere', '--exit-when-idle'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('/nowhere is not a target') as string,
  });
});

test('the lock has one holder at a time, and its file goes with it', () => {
  const path = join(tempDir(), 'mine.db');
  const first = tryShipLock(path, 1);
  expect(first).toBeDefined();
  expect(readdirSync(dirname(path))).toEqual(['mine.db.ship-1']);
  first![Symbol.dispose]();
  expect(readdirSync(dirname(path))).toEqual([]);
  using second = tryShipLock(path, 1);
  expect(second).toBeDefined();
});
