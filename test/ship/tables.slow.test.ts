import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { buildChildEnvironment } from '../../src/config.ts';
import { hasChdb } from '../sim/fleet/clickhouse.ts';
import { compareFleet } from '../sim/fleet/compare-fleet.ts';
import { openDuckDb } from '../sim/fleet/duckdb.ts';
import { openStorePool } from '../sim/stores.ts';
import { newStore } from '../store/support.ts';
import { runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { askLake } from './lake.ts';
import { addLake, storePages } from './shipped-store.ts';

/** Seeds whose crawls are compared. */
const SEEDS = [
  [1, 2, 3, 4, 5, 6],
  [7, 8, 9, 10, 11, 12],
];

test('tables of DuckDB have the rows of one store with all facts, also when they are created again', async () => {
  using pool = await openStorePool();
  await using engine = await openDuckDb(true);
  for (const seeds of SEEDS) {
    const { differences, rows } = await compareFleet(seeds, pool, [engine]);
    expect(differences).toEqual([]);
    expect(Math.min(rows['v_users']!, rows['v_tweets']!, rows['v_follows']!)).toBeGreaterThan(0);
  }
});

/** A lake with the facts of a store. */
async function shipStore(): Promise<string> {
  const lake = tempDir();
  const store = newStore();
  addLake(store.path, lake);
  await storePages(store, '1', 100);
  await storePages(store, '2', 200);
  await storePages(store, '1', 300);
  await runSuccessfully(['ship', 'run', '--once', '--db', store.path]);
  return lake;
}

const QUERIES = [
  'select rest_id, screen_name, name, followers_count, verified, first_seen_at, last_seen_at from v_users order by rest_id',
  'select * from follow_periods order by 1, 2, 3',
  'select follower_rest_id, follower, followee_rest_id, first_seen_at from v_current_follows order by 1, 3',
  'select rest_id, field, old_value, new_value, changed_at from v_user_changes order by 1, 2, 5',
  'select kind, target_rest_id, is_complete, stored from v_completeness order by 1, 2',
];

test('a statement that fails leaves the earlier tables, with their time', async () => {
  const lake = await shipStore();
  const { stdout } = await runSuccessfully(['ship', 'views', lake, '--tables']);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  const read = async (): Promise<unknown[]> => {
    const results = await Promise.all(
      [...QUERIES, 'select created_at from tables_created'].map((query) => connection.runAndReadAll(query)),
    );
    return results.map((result) => result.getRowsJS());
  };
  const startedAt = Date.now();
  await connection.run(stdout);
  const before = await read();
  const [[createdAt]] = before.at(-1) as [[string]];
  expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(startedAt);
  expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
  expect((before as unknown[][]).map((rows) => rows.length > 0)).not.toContain(false);

  const failing = stdout.replace(/create or replace table v_completeness as\n/, '$&select missing from nowhere; ');
  expect(failing).not.toBe(stdout);
  await expect(connection.run(failing)).rejects.toThrow('nowhere');
  await connection.run('rollback');
  expect(await read()).toEqual(before);
});

test.skipIf(!hasChdb())('ClickHouse creates tables with the rows of those of DuckDB', async () => {
  const lake = await shipStore();
  const { stdout: statements } = await runSuccessfully(['ship', 'views', lake, '--engine', 'clickhouse', '--tables']);
  const file = join(tempDir(), 'queries.json');
  const twice = `${statements};${statements}`.split(/;\n*/).filter((text) => text.trim() !== '');
  writeFileSync(file, JSON.stringify({ statements: twice, queries: QUERIES }));
  const args = ['--import=tsx', join(import.meta.dirname, 's3/ask-chdb.ts'), file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: buildChildEnvironment() });
  const { stdout: own } = await runSuccessfully(['ship', 'views', lake, '--tables']);
  expect(JSON.parse(stdout)).toEqual(await Promise.all(QUERIES.map((query) => askLake([], query, own))));
});
