import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTables } from '../../../src/ship/views/create-tables.ts';
import { findInPostgres } from '../../../src/ship/views/fact-places.ts';
import { compareFleet } from '../../sim/fleet/compare-fleet.ts';
import { openStorePool } from '../../sim/stores.ts';
import { newStore } from '../../store/support.ts';
import { startPostgres } from '../../support/postgres.ts';
import { storePages } from '../shipped-store.ts';
import { openServerEngine, runStatements } from './server-engine.ts';
import { addTarget, shipOnce } from './support.ts';

/** Seeds whose crawls are compared. */
const SEEDS = [
  [1, 2, 3, 4, 5, 6],
  [7, 8, 9, 10, 11, 12],
];

test('tables have the rows of one store with all facts, also when they are created again', async () => {
  const server = await startPostgres();
  await addTarget(newStore().path, server.address);
  const engine = await openServerEngine(server, true);
  using pool = await openStorePool();
  for (const seeds of SEEDS) {
    const { differences, rows } = await compareFleet(seeds, pool, [engine]);
    expect(differences).toEqual([]);
    expect(Math.min(rows['v_users']!, rows['v_tweets']!, rows['v_follows']!)).toBeGreaterThan(0);
  }
});

test('earlier tables can be read while new ones are created', async () => {
  const server = await startPostgres();
  const store = newStore();
  await addTarget(store.path, server.address);
  const statements = createTables('postgres', findInPostgres('trawl'));
  const countEdges = async (): Promise<unknown> =>
    await server.ask(`set lock_timeout = '60s'; select count(*)::integer from trawl_tables.v_current_follows`);
  await storePages(store, '1', 100);
  await shipOnce(store.path);
  await runStatements(server, statements);
  expect(await countEdges()).toEqual([[9]]);

  await storePages(store, '2', 200);
  await shipOnce(store.path);
  const client = new Client({ connectionString: server.address });
  onTestFinished(async () => await client.end());
  await client.connect();
  const replaced = statements.findIndex((statement) => statement.startsWith('drop table'));
  for (const statement of statements.slice(0, replaced)) await client.query(statement);
  expect(await countEdges()).toEqual([[9]]);
  for (const statement of statements.slice(replaced)) await client.query(statement);
  expect(await countEdges()).toEqual([[18]]);
  // Its search path has the new tables, and views of facts.
  const { rows } = await client.query(
    'select count(*)::integer as n from v_users where rest_id in (select rest_id from user_sightings)',
  );
  expect(rows).toEqual([{ n: 20 }]);
  expect(await server.ask(`select nspname from pg_namespace where nspname like 'trawl%' order by 1`)).toEqual([
    ['trawl'],
    ['trawl_tables'],
    ['trawl_views'],
  ]);
});
