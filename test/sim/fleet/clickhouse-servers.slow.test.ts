import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { tempFile } from '../../support/temp.ts';
import { openStorePool } from '../stores.ts';
import { CLUSTER, LAYOUTS } from './clickhouse-engine.ts';
import { openClickHouseServers } from './clickhouse-servers.ts';
import { hasChdb } from './clickhouse.ts';
import { compareFleet } from './compare-fleet.ts';

/** Seeds whose crawls are compared. 500 by the hosted workflow. */
const SEEDS = 20;
const COMPOSE = join(import.meta.dirname, '../../../docker-compose.scale.yml');

/** The shards of the cluster in the compose file. */
function readShards(): readonly object[] {
  const { configs } = parse(readFileSync(COMPOSE, 'utf8'), { merge: true }) as {
    readonly configs: Readonly<Record<string, { readonly content: string }>>;
  };
  const { remote_servers: clusters } = parse(configs['clickhouse-cluster']!.content) as {
    readonly remote_servers: Readonly<Record<string, { readonly shard: readonly object[] }>>;
  };
  return clusters[CLUSTER]!.shard;
}

/** Starts ClickHouse in a process that answers HTTP, and is all shards of the cluster. Returns its address. */
async function startChdb(): Promise<string> {
  const shards = readShards().map(() => '<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>');
  const config = tempFile('config.xml');
  const cluster = `<remote_servers><${CLUSTER}>${shards.join('')}</${CLUSTER}></remote_servers>`;
  // A shard with the port of this process is read without a connection.
  writeFileSync(config, `<clickhouse><tcp_port>9000</tcp_port>${cluster}</clickhouse>`);
  const child = spawn(process.execPath, ['--import=tsx', join(import.meta.dirname, 'serve-chdb.ts'), config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('chdb has ended');
}

/** No server of ClickHouse can be installed here: chdb answers the requests for both. */
describe.skipIf(!hasChdb())('fact tables on two servers of ClickHouse', { timeout: 600_000 }, () => {
  test.each([
    ['all facts', 'sharded', 2],
    ['a part of the facts', 'divided', 1],
  ] as const)('with %s on each have views that equal those of one store', async (_, layout, timesShown) => {
    const url = await startChdb();
    await using engine = await openClickHouseServers(
      readShards().map(() => url),
      LAYOUTS[layout],
    );
    using pool = await openStorePool();
    const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1);
    const { differences, rows, facts } = await compareFleet(seeds, pool, [engine]);
    expect(differences).toEqual([]);
    expect(facts).toBeGreaterThan(50 * SEEDS);
    expect(Math.min(rows['v_users']!, rows['v_tweets']!, rows['v_follows']!)).toBeGreaterThan(0);
    const stored = await engine.read(`trawl_${process.pid}.user_sightings_rows`, ['count(*)']);
    const shown = await engine.read(`trawl_${process.pid}.user_sightings group by 1`, ['shardNum()', 'count(*)']);
    expect(new Set(shown.map(([shard]) => shard))).toEqual(new Set([1, 2]));
    const counts = shown.map(([, count]) => count as number);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(timesShown * (stored[0]![0] as number));
    await expect(engine.read('missing', ['1'])).rejects.toThrow(/Unknown table[^]*select 1 from missing/);
  });
});
