import { expect, test, vi } from 'vitest';
import { FACT_TABLE_NAMES, type FactTableName } from '../../../src/ship/facts/fact-tables.ts';
import { readShipTargets } from '../../../src/store/outbox/targets.ts';
import { openReadOnly } from '../../../src/store/sqlite/database.ts';
import { openStore } from '../../../src/store/store.ts';
import { peopleOf, rowsOf, serve, withWorld, writeTargets } from '../../e2e/support.ts';
import { type CliProcess, runSuccessfully, spawnCli } from '../../support/cli.ts';
import { GROUP, startSentinelGroup } from '../../support/redis-topology.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { askLake } from '../lake.ts';
import { addTarget, askFacts, columnsOf } from './support.ts';
import { startThreeServers } from './three-servers.ts';

const world = withWorld(60, 11);
const HOSTS = [1, 2, 3];
const TARGETS = 18;

/**
 * When something is killed or started again: before the n-th request to the service is answered. The host is killed so many
 * requests after Redis that there is a new primary: none of them is sent without one.
 */
const AT = { serverIsKilled: 8, serverReturns: 20, redisIsKilled: 25, hostIsKilled: 50 };

/** A crawl host: a folder with a database, a worker and a process that ships. */
interface Host {
  readonly db: string;
  readonly env: Readonly<Record<string, string>>;
  worker: CliProcess;
  shipping: CliProcess;
}

/** The number of entries of a database that wait for a target. */
function readWaiting(path: string, address: string): number {
  using db = openReadOnly(path);
  return readShipTargets(db).find((target) => target.address === address)!.waitingEntries;
}

const isCrawling = (path: string): boolean =>
  rowsOf(path, 'select 1 from crawls where started_at is not null').length > 0;

const toSorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();
const selectAll = (table: FactTableName): string => `select ${Object.keys(columnsOf(table)).join(', ')} from ${table}`;

test(
  'three hosts share Redis and three servers: whatever is killed, facts wait, and none is lost or twice',
  { timeout: 300_000 },
  async () => {
    const group = await startSentinelGroup();
    const databases = HOSTS.map(() => tempFile('mine.db'));
    for (const path of databases) await openStore(path)[Symbol.asyncDispose]();
    const [coordinator, node] = await startThreeServers(
      async (address) => void (await addTarget(databases[0]!, address)),
    );
    const { address } = coordinator;
    const prepared: Pick<Host, 'db' | 'env'>[] = [];
    const hosts: Host[] = [];
    let grown = 0;
    const service = await serve(world, {
      pageSize: 5,
      async onAsked({ n }) {
        // Requests wait until all hosts crawl: a worker does not start without Redis.
        await vi.waitFor(() => expect(databases.every(isCrawling)).toBe(true), { timeout: 120_000 });
        if (n === AT.serverIsKilled) await node!.kill();
        if (n === AT.serverReturns) {
          await Promise.any(hosts.map(({ shipping }) => shipping.waitForLine(/^cannot ship to /)));
          grown = Math.max(...databases.map((path) => readWaiting(path, address)));
          await node!.start();
        }
        if (n === AT.redisIsKilled) await group.killPrimary();
        if (n === AT.hostIsKilled) for (const each of ['worker', 'shipping'] as const) hosts[2]![each].kill('SIGKILL');
      },
    });
    const lakes = new Map(databases.map((path) => [path, tempDir()]));
    const targets = writeTargets(peopleOf(world, TARGETS).map(({ handle }) => handle));
    for (const [i, db] of databases.entries()) {
      const env = { ...service.env, TRAWL_DB: db, REDIS_URL: `redis+sentinel://${group.hosts}/${GROUP}` };
      // A second target, with all facts of the first one.
      await addTarget(db, address);
      await addTarget(db, lakes.get(db)!);
      for (const target of [address, lakes.get(db)!])
        await runSuccessfully(['ship', 'run', target, '--once', '--db', db]);
      await runSuccessfully(['enqueue', 'followers', '--from-file', targets, '--part', `${HOSTS[i]!}/3`, '--yes'], {
        env,
      });
      prepared.push({ db, env });
    }
    for (const { db, env } of prepared)
      hosts.push({ db, env, worker: startWorker(env), shipping: startShipping(db, address) });
    const [, , killed] = hosts;
    await killed!.worker.exited;
    expect(await killed!.shipping.exited).toBeNull();
    killed!.shipping = startShipping(killed!.db, address);
    for (const host of hosts) {
      // The killed one, and one that has lost Redis: whoever runs it starts it again.
      while ((await host.worker.exited) !== 0) host.worker = startWorker(host.env);
    }
    expect(grown).toBeGreaterThan(0);
    for (const { db, shipping } of hosts) {
      await expect.poll(() => readWaiting(db, address)).toBe(0);
      shipping.kill('SIGTERM');
      expect(await shipping.exited, shipping.lines.join('\n')).toBe(0);
      await runSuccessfully(['ship', 'run', lakes.get(db)!, '--once', '--db', db]);
    }
    const crawls = databases.flatMap((db) => rowsOf<{ state: string }>(db, 'select state from crawls'));
    expect(crawls).toEqual(Array.from({ length: TARGETS }, () => ({ state: 'complete' })));
    for (const table of FACT_TABLE_NAMES.filter((name) => name !== 'snapshots')) {
      const folders = [...lakes.values()];
      const facts = toSorted(await askLake(folders, selectAll(table)).catch(() => []));
      expect([table, toSorted(await askFacts(coordinator, selectAll(table)))]).toEqual([table, facts]);
    }
    expect((await askFacts(coordinator, 'select count(*) from edge_sightings'))[0]).not.toEqual([0]);
  },
);

const startWorker = (env: Host['env']): CliProcess => spawnCli(['work', '--exit-when-idle'], { env });
const startShipping = (db: string, address: string): CliProcess => spawnCli(['ship', 'run', address, '--db', db]);
