import {
  COMMON_COLUMNS,
  FACT_TABLE_NAMES,
  FACT_TABLES,
  type FactTableName,
} from '../../../src/ship/facts/fact-tables.ts';
import { createViews } from '../../../src/ship/views/create-views.ts';
import { DIALECTS } from '../../../src/ship/views/dialect.ts';
import { type FleetEngine, writeCsv } from './fleet-engine.ts';

/** ClickHouse, in this process or on servers of a cluster. Statements of one session run in their order. */
export interface ClickHouse extends AsyncDisposable {
  /** Runs a statement. Returns what it prints. @throws Error with the message of ClickHouse */
  run(statement: string, format?: string): Promise<string>;
  /** Runs a statement on each server of the cluster. */
  runOnEach(statement: string): Promise<void>;
}

/** Where the rows of a fact table are. */
export interface Layout {
  /** A statement that creates, on each server, what has rows. @param table the database and the table */
  readonly createRows: (table: string, columns: string) => string;
  /** Statements that create the fact table from it. */
  readonly createTable: (table: string) => readonly string[];
  /** What rows are inserted into. */
  readonly target: (table: string) => string;
  /** What has the rows. */
  readonly rows: (table: string) => string;
}

/** The name of the cluster in docker-compose.scale.yml. */
export const CLUSTER = 'shards';

const createDistributed = (table: string, part: string): string => {
  const [database, name] = part.split('.');
  return `create table ${table} as ${part} engine = Distributed('${CLUSTER}', '${database}', '${name}', rand())`;
};

export const LAYOUTS = {
  /** One table. */
  whole: {
    createRows: (table, columns) => `create table ${table} (${columns}) engine = Memory`,
    createTable: () => [],
    target: (table) => table,
    rows: (table) => table,
  },
  /** Each row on one server, at random. */
  sharded: {
    createRows: (table, columns) =>
      `create table if not exists ${table}_rows (${columns}) engine = MergeTree order by tuple()`,
    createTable: (table) => [createDistributed(table, `${table}_rows`)],
    target: (table) => table,
    rows: (table) => `${table}_rows`,
  },
  /** For a cluster whose shards are all this process, and have the same tables: each of two shows a part of the rows. */
  divided: {
    createRows: (table, columns) => `create table if not exists ${table}_rows (${columns}) engine = Memory`,
    createTable: (table) => [
      `create view ${table}_part as select * from ${table}_rows where sipHash64(tuple(*)) % 2 = shardNum() - 1`,
      createDistributed(table, `${table}_part`),
    ],
    target: (table) => `${table}_rows`,
    rows: (table) => `${table}_rows`,
  },
} satisfies Record<string, Layout>;

const SETTINGS = {
  output_format_json_quote_64bit_integers: '0',
  distributed_foreground_insert: '1',
};

const columnsOf = (table: FactTableName): string =>
  Object.entries({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns })
    .map(([name, type]) => `${name} ${DIALECTS.clickhouse.types[type]}`)
    .join(', ');

/** Returns the rows that a query prints as JSONCompactEachRow. */
export const parseRows = (text: string): unknown[][] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown[]);

/** Creates fact tables and the views of them. Disposal drops them. @param schema a database that does not exist yet */
export async function createClickHouseEngine(
  { run, runOnEach, [Symbol.asyncDispose]: dispose }: ClickHouse,
  layout: Layout,
  schema: string,
): Promise<FleetEngine> {
  const nameOf = (table: FactTableName): string => `${schema}.${table}`;
  await runOnEach(`create database if not exists ${schema}`);
  for (const table of FACT_TABLE_NAMES) {
    await runOnEach(layout.createRows(nameOf(table), columnsOf(table)));
    for (const statement of layout.createTable(nameOf(table))) await run(statement);
  }
  await run(`create database ${schema}_views`);
  await run(`use ${schema}_views`);
  for (const [name, value] of Object.entries(SETTINGS)) await run(`set ${name} = ${value}`);
  for (const statement of createViews('clickhouse', { prelude: [], source: nameOf })) await run(statement);
  return {
    engine: 'clickhouse',
    async load(facts) {
      for (const [table, csv] of writeCsv(facts)) {
        await run(`insert into ${layout.target(nameOf(table))}
          settings date_time_input_format = 'best_effort', format_csv_null_representation = '' format CSV\n${csv}`);
      }
    },
    read: async (view, columns) =>
      parseRows(await run(`select ${columns.join(', ')} from ${view}`, 'JSONCompactEachRow')),
    async clear() {
      for (const table of FACT_TABLE_NAMES) await runOnEach(`truncate table ${layout.rows(nameOf(table))}`);
    },
    async [Symbol.asyncDispose]() {
      await run(`drop database ${schema}_views sync`);
      await runOnEach(`drop database if exists ${schema} sync`);
      await dispose();
    },
  };
}
