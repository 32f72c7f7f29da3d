import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { openStore } from '../../../src/store/store.ts';
import { runJson, runSuccessfully } from '../../support/cli.ts';
import { startPostgres } from '../../support/postgres.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { askLake } from '../lake.ts';
import { askFacts } from '../postgres/support.ts';
import { forgetPerson, OWN_TRACES, storePerson } from '../purged-lake.ts';
import { readRows } from '../restored-rows.ts';
import { storePages } from '../shipped-store.ts';

/** Targets that an earlier version wrote: without the table `bodies`, the column `response_roles` of `steps`, and digests. */

interface EarlierTarget {
  readonly address: string;
  /** Removes what earlier versions did not write. */
  removeLater(): Promise<unknown>;
}

function createLake(): EarlierTarget {
  const lake = tempDir();
  return { address: lake, removeLater: () => removeFromLake(lake) };
}

async function removeFromLake(lake: string): Promise<void> {
  rmSync(join(lake, 'bodies'), { recursive: true, force: true });
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  for (const name of readdirSync(join(lake, 'steps'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.parquet')) continue;
    const path = join(lake, 'steps', name);
    await connection.run(
      `copy (select columns(name -> name <> 'response_roles') from read_parquet('${path}', hive_partitioning = false))
       to '${path}.earlier' (format parquet, compression zstd)`,
    );
    renameSync(`${path}.earlier`, path);
  }
  connection.closeSync();
  for (const name of readdirSync(join(lake, '_stores'))) {
    const path = join(lake, '_stores', name);
    const { digest: _, ...record } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify(record));
  }
}

async function createSchema(): Promise<EarlierTarget> {
  const server = await startPostgres();
  return {
    address: server.address,
    removeLater: () =>
      askFacts(
        server,
        'drop table bodies; alter table steps drop column response_roles; alter table _stores drop column digest',
      ),
  };
}

/** Creates a store that has shipped pages and a person to a target of an earlier version. */
async function shipEarlier({ address, removeLater }: EarlierTarget): Promise<string> {
  const path = tempFile('mine.db');
  await openStore(path)[Symbol.asyncDispose]();
  await runSuccessfully(['ship', 'add', address, '--db', path]);
  await ship(path);
  await storeMore(path, 100);
  await storePerson(path, 1000);
  await ship(path);
  await removeLater();
  using db = openDatabase(path);
  db.$client.exec('update _ship_targets set shipped_digest = null');
  return path;
}

const ship = (path: string) => runSuccessfully(['ship', 'run', '--once', '--quiet', '--db', path]);

async function storeMore(path: string, at: number): Promise<void> {
  await using store = openStore(path);
  await storePages(store, '1', at);
}

async function restore(address: string): Promise<string> {
  const path = join(tempDir(), 'restored.db');
  await runSuccessfully(['restore', '--from', address, '--db', path, '--quiet']);
  return path;
}

test.each([
  ['a lake', createLake],
  ['PostgreSQL', createSchema],
] as const)('from %s of an earlier version a store is restored, ships on, and people are purged', async (_, create) => {
  const target = await create();
  const { address } = target;
  const path = await shipEarlier(target);
  expect(readRows(await restore(address))).toEqual(readRows(path));

  await storeMore(path, 3000);
  await ship(path);
  const restored = await restore(address);
  expect(readRows(restored)).toEqual(readRows(path));
  // Either may ship on, but not both.
  await storeMore(restored, 4000);
  await ship(restored);

  await forgetPerson(restored, 'redact');
  await ship(restored);
  await target.removeLater();
  expect(await runJson(['ship', 'purge', address, '--quiet'])).toMatchObject({
    tables: expect.arrayContaining([expect.objectContaining({ table: 'crawls' })]) as unknown[],
  });
  const rows = readRows(await restore(address));
  expect(OWN_TRACES.filter((trace) => JSON.stringify(rows).includes(trace))).toEqual([]);
  for (const name of ['users', 'tweets', 'periods', 'tombstones', 'requests'])
    expect(rows[name], name).toEqual(readRows(restored)[name]);
});

test('DuckDB reads all views of a lake of an earlier version, before and after more is shipped', async () => {
  const target = createLake();
  const path = await shipEarlier(target);
  const ask = async (sql: string): Promise<unknown[][]> => {
    const { stdout: views } = await runSuccessfully(['ship', 'views', target.address]);
    return await askLake([], sql, views);
  };
  const facts = `select (select count(*) from v_users), (select count(*) from v_tweets), (select count(*) from v_completeness),
    (select count(*) from steps), (select count(response_roles) from steps), (select count(*) from bodies)`;
  const [[users, tweets, lists, steps, ...others] = []] = await ask(facts);
  const stored = readRows(path);
  expect([users, tweets]).toEqual([stored['users']!.length, stored['tweets']!.length]);
  expect(lists).toBeGreaterThan(0);
  expect(steps).toBeGreaterThan(0);
  expect(others).toEqual([0, 0]);

  await storeMore(path, 3000);
  await ship(path);
  expect(await ask('select count(*), count(response_roles) from steps')).toEqual([[Number(steps) + 4, 4]]);
});
