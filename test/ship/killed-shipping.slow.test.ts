import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { addShipTarget, removeShipTarget } from '../../src/store/outbox/ship-targets.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { openStore } from '../../src/store/store.ts';
import { runSuccessfully } from '../support/cli.ts';
import { choosePoints, killTrawl, listOperations } from '../support/kills/killed-trawl.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { countFacts } from './count-facts.ts';
import { addLake, storePages } from './shipped-store.ts';

/** Kills of each kind: `SHIP_KILLS=26 npx vitest run test/ship/killed-shipping` makes 52. */
const KILLS = Number(process.env['SHIP_KILLS'] ?? 4); // oxlint-disable-line node/no-process-env -- a choice of who runs it
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

async function addPages(path: string): Promise<void> {
  await using store = openStore(path);
  await storePages(store, '1', 300);
}

test.each(['the snapshot', 'entries'])(
  'after a kill at any operation on %s, nothing is lost and nothing is twice',
  async (what) => {
    const source = await createStore();
    const prepare = async (lake: string): Promise<string> => {
      const path = copyFor(source, lake);
      if (what === 'entries') {
        await runSuccessfully(ship(path));
        await addPages(path);
      }
      return path;
    };
    const whole = tempDir();
    const operations = await listOperations(ship(await prepare(whole)));
    expect(operations.length).toBeGreaterThan(20);
    const expected = await countFacts(whole);

    const kill = async (point: number): Promise<void> => {
      const operation = `after a kill at operation ${point}: ${operations[point - 1]}`;
      const lake = tempDir();
      const path = await prepare(lake);
      await killTrawl(ship(path), point);
      await runSuccessfully(ship(path));
      expect(await countFacts(lake), operation).toEqual(expected);
      expect(readBacklog(path), operation).toBe(0);
      expect(readdirSync(join(lake, '_stores')).filter((name) => !name.endsWith('.json'))).toEqual([]);
    };
    const record = [/^before rename .*_stores/, /^after rename .*_stores/, /^before run\s+update _ship_targets/];
    await Promise.all(choosePoints(operations, KILLS, record).map((point) => limit(() => kill(point))));
  },
  300_000,
);

test('a dead target is released', async () => {
  const path = await createStore();
  addLake(path, '/gone');
  await addPages(path);
  expect(readBacklog(path)).toBeGreaterThan(3);
  using db = openDatabase(path);
  removeShipTarget(db, '/gone');
  expect(readBacklog(path)).toBe(0);
});
