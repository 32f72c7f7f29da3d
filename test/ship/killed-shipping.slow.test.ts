import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { addShipTarget, removeShipTarget } from '#store/outbox/ship-targets.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { openStore } from '#store/store.ts';
import { runSuccessfully } from '../support/cli.ts';
import { choosePoints, countKills, killTrawl, listOperations } from '../support/kills/killed-trawl.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { countFacts } from './count-facts.ts';
import { downloadLake, startS3Server } from './s3/s3-server.ts';
import { addLake, storePages } from './shipped-store.ts';

const KILLS = countKills(2);
const limit = pLimit(2);

const ship = (path: string): string[] => ['lake', 'ship', '--once', '--quiet', '--db', path];

/** A store with pages, a target, and pages after the target's snapshot. */
async function createStore(): Promise<string> {
  const path = tempFile('mine.db');
  await using store = openStore(path);
  await storePages(store, '1', 100);
  await storePages(store, '2', 200);
  return path;
}

/** A copy of a store that ships to a lake of its own. */
function copyFor(source: string, lake: string): string {
  const path = tempFile('mine.db');
  copyFileSync(source, path);
  using db = openDatabase(path);
  addShipTarget(db, { address: lake, at: 1 });
  return path;
}

function readBacklog(path: string): unknown {
  const client = openConnection(path, { readonly: true });
  try {
    return client.prepare('select count(*) from _ship_outbox').pluck().get();
  } finally {
    client.close();
  }
}

async function addPages(path: string, at: number): Promise<void> {
  await using store = openStore(path);
  await storePages(store, '1', at);
}

/** Places for lakes, which are read as folders. */
const FOLDERS = async () => ({
  env: {},
  createLake: tempDir,
  read: async (lake: string) => lake,
  record: [/^before rename .*_stores/, /^after rename .*_stores/, /^before run\s+update _ship_targets/],
});
async function openBuckets(): ReturnType<typeof FOLDERS> {
  const { env } = await startS3Server();
  let lakes = 0;
  return {
    env,
    createLake: () => `s3://lake/${(lakes += 1)}`,
    read: (lake) => downloadLake(lake, env),
    record: [/^before write PUT .*_stores/, /^after write PUT .*_stores/],
  };
}

test.each([
  ['the snapshot', 'a folder', FOLDERS],
  ['entries', 'a folder', FOLDERS],
  ['entries', 'object storage', openBuckets],
] as const)(
  'after a kill at any operation on %s in %s, nothing is lost and nothing is twice',
  async (what, _, openPlaces) => {
    const { env, createLake, read, record } = await openPlaces();
    const source = await createStore();
    const prepare = async (lake: string): Promise<string> => {
      const path = copyFor(source, lake);
      if (what === 'entries') {
        await runSuccessfully(ship(path), { env });
        await addPages(path, 300);
      }
      return path;
    };
    const shipMore = async (path: string, lake: string): Promise<string> => {
      // The files of the next run have other names: those of the killed one are not overwritten.
      if (what === 'entries') await addPages(path, 400);
      await runSuccessfully(ship(path), { env });
      expect(readBacklog(path)).toBe(0);
      return await read(lake);
    };
    const whole = createLake();
    const path = await prepare(whole);
    const operations = await listOperations(ship(path), env);
    expect(operations.length).toBeGreaterThan(20);
    const expected = countFacts(await shipMore(path, whole));

    const kill = async (point: number): Promise<void> => {
      const lake = createLake();
      const killed = await prepare(lake);
      await killTrawl(ship(killed), point, env);
      const found = await shipMore(killed, lake);
      expect(countFacts(found), `after a kill at operation ${point}: ${operations[point - 1]}`).toEqual(expected);
      expect(readdirSync(join(found, '_stores')).filter((name) => !name.endsWith('.json'))).toEqual([]);
    };
    await Promise.all(choosePoints(operations, KILLS, record).map((point) => limit(() => kill(point))));
  },
  300_000,
);

test('a dead target is released', async () => {
  const path = await createStore();
  addLake(path, '/gone');
  await addPages(path, 300);
  expect(readBacklog(path)).toBeGreaterThan(3);
  using db = openDatabase(path);
  removeShipTarget(db, '/gone');
  expect(readBacklog(path)).toBe(0);
});
