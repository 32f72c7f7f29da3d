import { COMMON_COLUMNS, FACT_TABLE_NAMES, FACT_TABLES } from '../../../src/ship/facts/fact-tables.ts';
import type { Store } from '../../../src/store/store.ts';
import { readerOf } from '../../store/support.ts';
import { type CliOptions, type CliResult, runSuccessfully } from '../../support/cli.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';

/** The edges of a store, with their first and last sightings. */
export const edgesOf = (store: Store): unknown[] =>
  readerOf(store)
    .prepare(
      `select r.rest_id, e.rest_id, f.first_seen_at, f.last_seen_at from follows f
       join users r on r.id = f.follower_id join users e on e.id = f.followee_id order by 1, 2`,
    )
    .raw()
    .all();

const epochMs = (time: string): string => `(extract(epoch from ${time}) * 1000)::bigint`;
/** The edges of all stores by their facts. */
export const EDGES = `select member_rest_id, owner_rest_id, ${epochMs('min(seen_at)')},
  ${epochMs('max(coalesce(seen_until_at, seen_at))')} from edge_sightings group by 1, 2 order by 1, 2`;

/** Runs a statement on the fact tables of a schema. */
export const askFacts = async (server: PostgresServer, sql: string, schema = 'trawl'): Promise<unknown[][]> =>
  await server.ask(`set timezone = 'UTC'; set search_path = ${schema}; ${sql}`);

/** The columns that tell facts of one store from each other. The time of a snapshot is that of its run. */
const identify = (table: (typeof FACT_TABLE_NAMES)[number]): string =>
  ['crawl_id', ...Object.keys(FACT_TABLES[table].columns).filter((name) => name !== 'taken_at')].join(', ');

/** The numbers of facts and of different facts of each table and store. */
export const countFacts = async (server: PostgresServer, schema?: string): Promise<unknown[][]> =>
  await askFacts(
    server,
    `select * from (${FACT_TABLE_NAMES.map(
      (table) =>
        `select '${table}' as name, store, count(*), count(distinct (${identify(table)})) from ${table} group by store`,
    ).join(' union all ')}) counts order by 1, 2`,
    schema,
  );

/** The columns of a fact table, with their types. */
export const columnsOf = (table: (typeof FACT_TABLE_NAMES)[number]) => ({
  ...COMMON_COLUMNS,
  ...FACT_TABLES[table].columns,
});

export const addTarget = async (path: string, address: string, options?: CliOptions): Promise<CliResult> =>
  await runSuccessfully(['ship', 'add', address, '--db', path], options);

/** Ships what waits. */
export const shipOnce = async (path: string, options?: CliOptions): Promise<CliResult> =>
  await runSuccessfully(['ship', 'run', '--once', '--db', path], options);

/** The number of entries that wait. */
export const readBacklog = (store: Store): unknown =>
  readerOf(store).prepare('select count(*) from _ship_outbox').pluck().get();
