import { expect, onTestFinished, test, vi } from 'vitest';
import { FACT_TABLE_NAMES } from '../../../src/ship/facts/fact-tables.ts';
import { openConnection } from '../../../src/store/sqlite/driver.ts';
import { openStore } from '../../../src/store/store.ts';
import { peopleOf, rowsOf, type Service, serve, withWorld, writeTargets } from '../../e2e/support.ts';
import { COMPARED_VIEWS, listComparedColumns, writeEngineRows } from '../../sim/fleet/compared-views.ts';
import { runJson, runSuccessfully } from '../../support/cli.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { commandsOf, type CrawlHost, type HostCommands, startHost } from './crawl-host.ts';
import {
  openFacts,
  type SharedRedis,
  type SharedTarget,
  type ShippedFacts,
  startCluster,
  startObjectStorage,
  startPostgresServers,
  startSentinels,
} from './scene-parts.ts';

const world = withWorld(60, 11);
const PARTS = ['1/3', '2/3', '3/3'];
const TARGETS = 12;
/** Profiles of all targets: otherwise only a database that does not know an account requests its profile. */
const KINDS = ['profile', 'followers'];

interface Scene {
  readonly redis: string;
  readonly startRedis: () => Promise<SharedRedis>;
  readonly target: string;
  readonly startTarget: (db: string) => Promise<SharedTarget>;
  readonly commands: (address: string) => HostCommands;
  /**
   * What happens before the n-th request to the service is answered. The host is killed so many requests before or after Redis
   * that there is a master: none of them is sent without one.
   */
  readonly at: Readonly<Record<'targetIsAway' | 'targetReturns' | 'masterIsKilled' | 'hostIsKilled', number>>;
}

const SCENES: readonly Scene[] = [
  {
    redis: 'three Sentinels',
    startRedis: startSentinels,
    target: 'three PostgreSQL servers',
    startTarget: startPostgresServers,
    commands: (address) => ({
      work: ['work', '--exit-when-idle'],
      ship: ['ship', 'run', address],
    }),
    at: {
      targetIsAway: 8,
      targetReturns: 20,
      masterIsKilled: 25,
      hostIsKilled: 50,
    },
  },
  {
    redis: 'a Redis Cluster of three masters',
    startRedis: startCluster,
    target: 'an S3 server',
    startTarget: startObjectStorage,
    commands: (address) => ({
      work: ['work', '--exit-when-idle', '--ship', address],
      ship: undefined,
    }),
    at: {
      targetIsAway: 8,
      hostIsKilled: 12,
      targetReturns: 20,
      masterIsKilled: 40,
    },
  },
];

/** What `trawl ship status` says about a target. */
interface TargetStatus {
  readonly address: string;
  readonly waitingEntries: number;
  readonly lagSeconds: number;
  readonly error: string | null;
}

async function readStatus({ db, env }: Pick<CrawlHost, 'db' | 'env'>, address: string): Promise<TargetStatus> {
  const { targets } = await runJson<{ targets: TargetStatus[] }>(['ship', 'status', '--db', db], { env });
  return targets.find((target) => target.address === address)!;
}

const isCrawling = (path: string): boolean =>
  rowsOf(path, 'select 1 from crawls where started_at is not null').length > 0;

/** What a command says while a target is away. */
const IS_AWAY = /could not connect to server "pg\d"|the target does not answer/;

test.each(SCENES)(
  'three hosts share $redis and $target: whatever is killed, facts wait, and none is lost or twice',
  { timeout: 300_000 },
  async ({ startRedis, startTarget, commands, at }) => {
    const databases = PARTS.map(() => tempFile('mine.db'));
    for (const path of databases) await openStore(path)[Symbol.asyncDispose]();
    const redis = await startRedis();
    const target = await startTarget(databases[0]!);
    const { address } = target;
    const hosts: CrawlHost[] = [];
    const countWaiting = async (): Promise<number> => {
      const all = await Promise.all(hosts.map((host) => readStatus(host, address)));
      return all.reduce((sum, { waitingEntries }) => sum + waitingEntries, 0);
    };
    let waitedBefore = NaN;
    const happens: Record<keyof typeof at, () => Promise<unknown>> = {
      async targetIsAway() {
        await target.takeAway();
        waitedBefore = await countWaiting();
      },
      async targetReturns() {
        const listLines = () => hosts.flatMap(commandsOf).flatMap(({ lines }) => lines);
        await expect.poll(() => listLines().join('\n')).toMatch(IS_AWAY);
        await expect.poll(countWaiting).toBeGreaterThan(waitedBefore);
        await target.bringBack();
      },
      masterIsKilled: async () => await redis.killMaster(service),
      hostIsKilled: async () => commandsOf(hosts[2]!).forEach(({ kill }) => kill('SIGKILL')),
    };
    let happened: Promise<unknown> = Promise.resolve();
    const service: Service = await serve(world, {
      pageSize: 5,
      async onAsked({ n }) {
        // Requests wait until all hosts crawl: a worker does not start without Redis.
        await vi.waitFor(() => expect(databases.every(isCrawling)).toBe(true), { timeout: 120_000 });
        const [name] = Object.entries(at).find(([, request]) => request === n) ?? [];
        if (name) happened = happened.then(happens[name as keyof typeof at]);
        await happened;
      },
    });

    const targets = writeTargets(peopleOf(world, TARGETS).map(({ handle }) => handle));
    const lakes = databases.map(() => tempDir());
    const env = { ...service.env, ...target.env, REDIS_URL: redis.url };
    for (const [i, db] of databases.entries()) {
      // A second target, with all facts of the first one.
      for (const each of [address, lakes[i]!]) {
        await runSuccessfully(['ship', 'add', each, '--db', db], { env });
        await runSuccessfully(['ship', 'run', each, '--once', '--db', db], { env });
      }
      for (const kind of KINDS) {
        const args = ['enqueue', kind, '--from-file', targets, '--part', PARTS[i]!, '--yes', '--db', db];
        await runSuccessfully(args, { env });
      }
    }
    for (const db of databases) hosts.push(startHost(db, { ...env, TRAWL_DB: db }, commands(address)));
    const codes = await Promise.all(hosts.map(({ worker }) => worker.ended));
    expect(codes[2]).toContain(null);
    await happened;
    expect(service.asked.length).toBeGreaterThan(Math.max(...Object.values(at)));
    await expect.poll(countWaiting).toBe(0);
    for (const [i, { db, shipping }] of hosts.entries()) {
      shipping?.kill('SIGTERM');
      await shipping?.ended;
      await runSuccessfully(['ship', 'run', lakes[i]!, '--once', '--db', db]);
    }
    const states = databases.flatMap((db) => rowsOf<{ state: string }>(db, 'select state from crawls'));
    expect(states).toEqual(Array.from({ length: KINDS.length * TARGETS }, () => ({ state: 'complete' })));

    const shipped = await target.open();
    const readOwnFacts = await openFacts(lakes);
    for (const table of FACT_TABLE_NAMES.filter((name) => name !== 'snapshots')) {
      const facts = toSorted(await readOwnFacts(table));
      expect([table, toSorted(await shipped.readFacts(table))]).toEqual([table, facts]);
    }
    await compareWithOneStore(shipped, targets, service);
    await compareTimes(shipped, databases);
  },
);

const toSorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

/** Columns that differ between crawls of the same lists: times of crawls, and requests that were sent again after a kill. */
const IS_OF_CRAWL =
  /(?:_seen_at|valid_from)$|^(?:started_at|finished_at|complete_as_of|last_summary_at|profile_at|requests)$/;

/** Compares the views of what was shipped with those of one store that crawls everything, but for times. */
async function compareWithOneStore({ readView }: ShippedFacts, targets: string, { env }: Service): Promise<void> {
  for (const kind of KINDS) await runSuccessfully(['crawl', kind, '--from-file', targets, '--yes'], { env });
  const one = openConnection(env.TRAWL_DB, { readonly: true });
  onTestFinished(() => void one.close());
  for (const view of Object.keys(COMPARED_VIEWS)) {
    const columns = listComparedColumns(one, view).filter((name) => !IS_OF_CRAWL.test(name));
    const rows = one
      .prepare<[], unknown[]>(`select ${columns.join(', ')} from ${view}`)
      .raw()
      .all();
    const found = writeEngineRows(view, columns, await readView(view, columns));
    expect([view, found.toSorted()]).toEqual([view, writeEngineRows(view, columns, rows).toSorted()]);
  }
}

/** Compares the times at which accounts and edges were seen first and last with those of the databases. */
async function compareTimes({ readView }: ShippedFacts, databases: readonly string[]): Promise<void> {
  const all = openConnection(':memory:');
  onTestFinished(() => void all.close());
  for (const [i, db] of databases.entries()) all.prepare(`attach ? as host_${i}`).run(db);
  for (const [view, key] of [
    ['v_users', 'rest_id'],
    ['v_follows', 'follower_rest_id, followee_rest_id'],
  ] as const) {
    const union = databases.map((_, i) => `select * from host_${i}.${view}`).join(' union all ');
    const rows = all
      .prepare<[], unknown[]>(`select ${key}, min(first_seen_at), max(last_seen_at) from (${union}) group by ${key}`)
      .raw()
      .all();
    expect(rows.length).toBeGreaterThan(0);
    const found = await readView(view, [...key.split(', '), 'first_seen_at', 'last_seen_at']);
    expect([view, toSorted(found)]).toEqual([view, toSorted(rows)]);
  }
}
