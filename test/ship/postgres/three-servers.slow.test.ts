import { expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { compareFleet } from '../../sim/fleet/compare-fleet.ts';
import { openStorePool } from '../../sim/stores.ts';
import { newStore } from '../../store/support.ts';
import { failure, runCli } from '../../support/cli.ts';
import { storePages } from '../shipped-store.ts';
import { openServerEngine } from './server-engine.ts';
import { addTarget, askFacts, countFacts, EDGES, edgesOf, readBacklog, shipOnce } from './support.ts';
import { startThreeServers } from './three-servers.ts';

/** Seeds whose crawls are compared. */
const SEEDS = 12;

/** All edges of several stores. */
const allEdges = (stores: readonly Store[]): unknown[] =>
  stores.flatMap(edgesOf).toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
const byText = (rows: readonly unknown[]): unknown[] => rows.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));

test('fact tables that are spread over three servers have all facts once, also after one of the servers was killed', async () => {
  const [one, other] = [newStore(), newStore()];
  const [coordinator, ...others] = await startThreeServers(
    async (address) => void (await addTarget(one.path, address)),
  );
  await addTarget(other.path, coordinator.address);
  for (const [store, owners] of [
    [one, ['1', '2', '3', '4']],
    [other, ['5', '6', '7', '8', '9']],
  ] as const) {
    for (const owner of owners) await storePages(store, owner, 100);
    await shipOnce(store.path);
    for (const owner of owners) await storePages(store, owner, 300);
    await shipOnce(store.path);
  }
  expect(byText(await askFacts(coordinator, EDGES))).toEqual(allEdges([one, other]));
  // Each server has a part, and all are asked at the same time.
  const parts = await Promise.all([
    askFacts(coordinator, 'select count(*) from user_sightings_0'),
    ...others.map((server) => askFacts(server, 'select count(*) from user_sightings')),
  ]);
  const [[total]] = (await askFacts(coordinator, 'select count(*) from user_sightings')) as [[number]];
  const counts = parts.map((rows) => rows[0]![0] as number);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
  const plan = await askFacts(coordinator, 'explain select * from user_sightings');
  expect(plan.filter(([line]) => String(line).includes('Async Foreign Scan'))).toHaveLength(2);

  // A server that has committed before the coordinator did not: its facts do not count.
  const before = await countFacts(coordinator);
  const [[store, last]] = (await askFacts(coordinator, 'select store, entry from _stores order by 1 limit 1')) as [
    [string, number],
  ];
  await others[0]!.ask(
    `insert into trawl.user_sightings (store, entry, rest_id, seen_at, detail_level) values ($1, $2, '1', now(), 'summary')`,
    [store, last + 1],
  );
  expect(await countFacts(coordinator)).not.toEqual(before);
  for (const each of [one, other]) await shipOnce(each.path);
  expect(await countFacts(coordinator)).toEqual(before);

  await others[1]!.kill();
  await storePages(one, '1', 500);
  expect(await runCli(['ship', 'run', '--once', '--db', one.path])).toEqual(
    failure(1, `cannot use ${coordinator.address}: could not connect to server "pg2"`),
  );
  expect(readBacklog(one)).not.toBe(0);
  await others[1]!.start();
  await shipOnce(one.path);
  expect(byText(await askFacts(coordinator, EDGES))).toEqual(allEdges([one, other]));
});

test('views through the coordinator equal those of one store with all facts', async () => {
  const { path } = newStore();
  const [coordinator] = await startThreeServers(async (address) => void (await addTarget(path, address)));
  const engine = await openServerEngine(coordinator);
  using pool = await openStorePool();
  const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1);
  const { differences, rows, facts } = await compareFleet(seeds, pool, [engine]);
  expect(differences).toEqual([]);
  expect(facts).toBeGreaterThan(50 * SEEDS);
  expect(rows).toMatchObject({ v_users: expect.any(Number), v_follows: expect.any(Number) });
  expect(Math.min(rows['v_users']!, rows['v_tweets']!, rows['v_follows']!)).toBeGreaterThan(0);
});
