import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeShipTarget } from '../../src/store/outbox/targets.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { openStore } from '../../src/store/store.ts';
import { runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { countFacts } from './count-facts.ts';
import { addLake, storePages } from './shipped-store.ts';

const ship = (path: string, killedAt?: number) =>
  spawnSync(
    process.execPath,
    [
      '--import=tsx',
      join(import.meta.dirname, 'killed-shipping.ts'),
      path,
      ...(killedAt === undefined ? [] : [String(killedAt)]),
    ],
    { encoding: 'utf8' },
  );

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
  addLake(path, lake);
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

/** The last operations, and some before them. */
const listPoints = (operations: number): number[] => [
  ...new Set([...[1, 2, 3].map((i) => Math.ceil((i * operations) / 4)), operations - 2, operations - 1, operations]),
];

test.each(['the snapshot', 'entries'] as const)(
  'after a kill at any operation on %s, nothing is lost and nothing is twice',
  async (what) => {
    const source = await createStore();
    const prepare = async (lake: string): Promise<string> => {
      const path = copyFor(source, lake);
      if (what === 'entries') {
        await runSuccessfully(['ship', 'run', '--once', '--db', path]);
        await addPages(path);
      }
      return path;
    };
    const whole = tempDir();
    const { stdout, stderr } = ship(await prepare(whole));
    const { length: operations } = JSON.parse(stdout || '[]') as string[];
    expect(operations, stderr).toBeGreaterThan(5);
    const expected = await countFacts(whole);

    for (const point of listPoints(operations)) {
      const lake = tempDir();
      const path = await prepare(lake);
      const killed = ship(path, point);
      expect([point, killed.signal, killed.stderr]).toEqual([point, 'SIGKILL', '']);
      await runSuccessfully(['ship', 'run', '--once', '--db', path]);
      expect(await countFacts(lake), `after a kill at operation ${point}`).toEqual(expected);
      expect(readBacklog(path)).toBe(0);
      expect(readdirSync(join(lake, '_stores')).filter((name) => !name.endsWith('.json'))).toEqual([]);
    }
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
