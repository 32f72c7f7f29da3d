import { hashKey, LEDGER_PREFIX } from '../../../src/quota/service-key.ts';
import { FACT_TABLES, type FactTableName, COMMON_COLUMNS } from '../../../src/ship/facts/fact-tables.ts';
import type { Service } from '../../e2e/support.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { GROUP, startRedisCluster, startSentinelGroup } from '../../support/redis-topology.ts';
import { openLakes } from '../lake.ts';
import { openServerEngine } from '../postgres/server-engine.ts';
import { addTarget, askFacts } from '../postgres/support.ts';
import { startThreeServers } from '../postgres/three-servers.ts';
import { downloadLake, startS3Server } from '../s3/s3-server.ts';

/** What three hosts may share, in forms that a scene of three hosts is put together of. */

/** A Redis of several servers. */
export interface SharedRedis {
  readonly url: string;
  /** Kills the server that has the ledger of a service's key. */
  killMaster(service: Service): Promise<void>;
}

/** A target of several hosts. */
export interface SharedTarget {
  readonly address: string;
  /** The variables of its clients. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends what hosts ship to, or a part of it. */
  takeAway(): Promise<void>;
  bringBack(): Promise<void>;
  /** Opens what was shipped. */
  open(): Promise<ShippedFacts>;
}

export interface ShippedFacts {
  /** Returns all rows of a fact table. */
  readFacts(table: FactTableName): Promise<unknown[][]>;
  /** Returns all rows of a view, by the statements of `trawl ship views`. */
  readView(view: string, columns: readonly string[]): Promise<unknown[][]>;
}

/** Selects all facts of a table. */
const selectFacts = (table: FactTableName): string =>
  `select ${Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns }).join(', ')} from ${table}`;

/** Three Sentinels that watch a primary and its replica. */
export async function startSentinels(): Promise<SharedRedis> {
  const group = await startSentinelGroup();
  return { url: `redis+sentinel://${group.hosts}/${GROUP}`, killMaster: group.killPrimary };
}

/** Three masters with a replica each. */
export async function startCluster(): Promise<SharedRedis> {
  const cluster = await startRedisCluster();
  return {
    url: `redis+cluster://${cluster.hosts}`,
    killMaster: async ({ url, key }) =>
      await cluster.killMasterOf(`${LEDGER_PREFIX}:quota:{${hashKey({ apiUrl: url, apiKey: key })}}:v2`),
  };
}

/** Three PostgreSQL servers, of which one that has a third of the facts is taken away. @param db any database */
export async function startPostgresServers(db: string): Promise<SharedTarget> {
  const [coordinator, node] = await startThreeServers(async (address) => void (await addTarget(db, address)));
  return {
    address: coordinator.address,
    env: {},
    takeAway: node!.kill,
    bringBack: node!.start,
    async open() {
      const engine = await openServerEngine(coordinator);
      return {
        readFacts: (table) => askFacts(coordinator, selectFacts(table)),
        readView: engine.read,
      };
    },
  };
}

/** An S3 server, whose objects DuckDB reads from a copy: it cannot load its client of S3 here. */
export async function startObjectStorage(): Promise<SharedTarget> {
  const address = 's3://lake/of/all';
  const server = await startS3Server();
  return {
    address,
    env: server.env,
    takeAway: server.stop,
    bringBack: server.start,
    async open() {
      const copy = await downloadLake(address, server.env);
      const { stdout: statements } = await runSuccessfully(['ship', 'views', copy]);
      const views = await openLakes([], statements);
      return {
        readFacts: await openFacts([copy]),
        readView: (view, columns) => views(`select ${columns.join(', ')} from ${view}`),
      };
    },
  };
}

/** Opens the facts of lakes in folders. */
export async function openFacts(lakes: readonly string[]): Promise<ShippedFacts['readFacts']> {
  const ask = await openLakes(lakes);
  // A table that nothing was written to has no files.
  return (table) => ask(selectFacts(table)).catch(() => []);
}
