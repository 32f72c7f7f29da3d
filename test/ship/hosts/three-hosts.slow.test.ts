import { expect, onTestFinished, test, vi } from 'vitest';
import {
  COMMON_COLUMNS,
  FACT_TABLE_NAMES,
  FACT_TABLES,
  type FactTableName,
} from '../../../src/ship/facts/fact-tables.ts';
import { openConnection } from '../../../src/store/sqlite/driver.ts';
import { openStore } from '../../../src/store/store.ts';
import { peopleOf, rowsOf, type Service, serve, valueOf, withWorld, writeTargets } from '../../e2e/support.ts';
import { COMPARED_VIEWS, listComparedColumns, writeEngineRows } from '../../sim/fleet/compared-views.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { GROUP, startSentinelGroup } from '../../support/redis-topology.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { type AskLake, openLakes } from '../lake.ts';
import { downloadLake, startS3Server } from '../s3/s3-server.ts';
import { type CrawlHost, startHost } from './crawl-host.ts';

const world = withWorld(60, 11);
const PARTS = ['1/3', '2/3', '3/3'];
const TARGETS = 9;
/** Profiles of all targets: otherwise only a database that does not know an account requests its profile. */
const KINDS = ['profile', 'followers'];
const LAKE = 's3://lake/of/all';

/**
 * What happens before the n-th request to the service is answered. The host is killed so many requests before the primary that
 * there is one: no request is sent without one.
 */
const AT = { targetIsAway: 6, hostIsKilled: 10, targetReturns: 16, primaryIsKilled: 26 };

/** The number of entries that wait to be shipped to the lake. */
const countWaiting = (path: string): number =>
  valueOf(
    path,
    'select count(*) from _ship_outbox where id > (select shipped_entry from _ship_targets where address = ?)',
    LAKE,
  );

const isCrawling = (path: string): boolean =>
  rowsOf(path, 'select 1 from crawls where started_at is not null').length > 0;

/** Returns all rows of a fact table. A table that nothing was written to has no files. */
const readFacts = async (ask: AskLake, table: FactTableName): Promise<string[]> =>
  toSorted(
    await ask(
      `select ${Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns }).join(', ')} from ${table}`,
    ).catch(() => []),
  );

test(
  'three hosts share three Sentinels and a lake in S3: whatever is killed, facts wait, and none is lost or twice',
  { timeout: 300_000 },
  async () => {
    const databases = PARTS.map(() => tempFile('mine.db'));
    for (const path of databases) await openStore(path)[Symbol.asyncDispose]();
    const [group, s3] = await Promise.all([startSentinelGroup(), startS3Server()]);
    const hosts: CrawlHost[] = [];
    const countAllWaiting = (): number => databases.reduce((sum, db) => sum + countWaiting(db), 0);
    let waitedBefore = NaN;
    const happens: Record<keyof typeof AT, () => Promise<unknown>> = {
      async targetIsAway() {
        await s3.stop();
        waitedBefore = countAllWaiting();
      },
      async targetReturns() {
        await expect.poll(() => hosts.flatMap(({ lines }) => lines).join('\n')).toContain('the target does not answer');
        await expect.poll(countAllWaiting).toBeGreaterThan(waitedBefore);
        await s3.start();
      },
      primaryIsKilled: group.killPrimary,
      hostIsKilled: async () => hosts[2]!.kill(),
    };
    let happened: Promise<unknown> = Promise.resolve();
    const service = await serve(world, {
      pageSize: 5,
      async onAsked({ n }) {
        // Requests wait until all hosts crawl: a worker does not start without Redis.
        await vi.waitFor(() => expect(databases.every(isCrawling)).toBe(true), { timeout: 120_000 });
        const [name] = Object.entries(AT).find(([, request]) => request === n) ?? [];
        if (name) happened = happened.then(happens[name as keyof typeof AT]);
        await happened;
      },
    });

    const targets = writeTargets(peopleOf(world, TARGETS).map(({ handle }) => handle));
    // A second target of each host, with all facts of the first one.
    const lakes = databases.map(() => tempDir());
    const env = { ...service.env, ...s3.env, REDIS_URL: `redis+sentinel://${group.hosts}/${GROUP}` };
    const prepare = async (db: string, i: number): Promise<void> => {
      const run = (...args: string[]) => runSuccessfully([...args, '--db', db], { env });
      for (const address of [LAKE, lakes[i]!]) {
        await run('ship', 'add', address);
        await run('ship', 'run', address, '--once');
      }
      for (const kind of KINDS) await run('enqueue', kind, '--from-file', targets, '--part', PARTS[i]!, '--yes');
    };
    await Promise.all(databases.map(prepare));
    for (const db of databases)
      hosts.push(startHost(['work', '--exit-when-idle', '--ship', LAKE], { ...env, TRAWL_DB: db }));
    const codes = await Promise.all(hosts.map(({ ended }) => ended));
    expect(codes[2]).toContain(null);
    await happened;
    expect(service.asked.length).toBeGreaterThan(Math.max(...Object.values(AT)));
    await expect.poll(countAllWaiting).toBe(0);
    await Promise.all(databases.map((db, i) => runSuccessfully(['ship', 'run', lakes[i]!, '--once', '--db', db])));
    const states = databases.flatMap((db) => rowsOf<{ state: string }>(db, 'select state from crawls'));
    expect(states).toEqual(Array.from({ length: KINDS.length * TARGETS }, () => ({ state: 'complete' })));

    // DuckDB cannot load its client of S3 here.
    const copy = await downloadLake(LAKE, s3.env);
    const [shipped, own] = [await openLakes([copy]), await openLakes(lakes)];
    for (const table of FACT_TABLE_NAMES.filter((name) => name !== 'snapshots'))
      expect([table, await readFacts(shipped, table)]).toEqual([table, await readFacts(own, table)]);
    const views = await openLakes([], (await runSuccessfully(['ship', 'views', copy])).stdout);
    await compareWithOneStore(views, targets, service);
    await compareTimes(views, databases);
  },
);

const toSorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

/** Columns that differ between crawls of the same lists: times of crawls, and requests that were sent again after a kill. */
const IS_OF_CRAWL =
  /(?:_seen_at|valid_from)$|^(?:started_at|finished_at|complete_as_of|last_summary_at|profile_at|requests)$/;

/** Compares the views of what was shipped with those of one store that crawls everything, but for times. */
async function compareWithOneStore(ask: AskLake, targets: string, { env }: Service): Promise<void> {
  for (const kind of KINDS) await runSuccessfully(['crawl', kind, '--from-file', targets, '--yes'], { env });
  const one = openConnection(env.TRAWL_DB, { readonly: true });
  onTestFinished(() => void one.close());
  for (const view of Object.keys(COMPARED_VIEWS)) {
    const columns = listComparedColumns(one, view).filter((name) => !IS_OF_CRAWL.test(name));
    const rows = one
      .prepare<[], unknown[]>(`select ${columns.join(', ')} from ${view}`)
      .raw()
      .all();
    const found = writeEngineRows(view, columns, await ask(`select ${columns.join(', ')} from ${view}`));
    expect([view, found.toSorted()]).toEqual([view, writeEngineRows(view, columns, rows).toSorted()]);
  }
}

/** Compares the times at which accounts and edges were seen first and last with those of the databases. */
async function compareTimes(ask: AskLake, databases: readonly string[]): Promise<void> {
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
    const found = await ask(`select ${key}, first_seen_at, last_seen_at from ${view}`);
    expect([view, toSorted(found)]).toEqual([view, toSorted(rows)]);
  }
}
