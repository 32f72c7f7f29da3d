import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGE_ROOT } from '../../../src/package-root.ts';
import {
  COMMON_COLUMNS,
  FACT_TABLE_NAMES,
  FACT_TABLES,
  type FactTableName,
} from '../../../src/ship/facts/fact-tables.ts';
import { createViews } from '../../../src/ship/views/create-views.ts';
import { DIALECTS } from '../../../src/ship/views/dialect.ts';
import { type FleetEngine, SCHEMA, writeCsv } from './fleet-engine.ts';

/** The part of chdb that the tests use: ClickHouse in this process. */
interface Session {
  /** @throws Error with the message of ClickHouse */
  query(statement: string, format?: string): string;
  cleanup(): void;
}

/** Where `npm run chdb:install` puts chdb, which is too large (540 MB) for a dependency. */
const MODULE = join(PACKAGE_ROOT, '.chdb/node_modules/chdb/index.mjs');

export const hasChdb = (): boolean => existsSync(MODULE);

/** Opens a session of ClickHouse. A process has one at a time. */
export async function openChdb(): Promise<Session> {
  const { Session: ChdbSession } = (await import(pathToFileURL(MODULE).href)) as { Session: new () => Session };
  const session = new ChdbSession();
  session.query('set output_format_json_quote_64bit_integers = 0');
  return session;
}

/** Returns the rows of a query. */
export const readRows = (session: Pick<Session, 'query'>, query: string): unknown[][] =>
  session
    .query(query, 'JSONCompactEachRow')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown[]);

const columnsOf = (table: FactTableName): string =>
  Object.entries({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns })
    .map(([name, type]) => `${name} ${DIALECTS.clickhouse.types[type]}`)
    .join(', ');

/** Opens ClickHouse with fact tables in memory and the views of them. */
export async function openClickHouse(): Promise<FleetEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-fleet-'));
  const session = await openChdb();
  session.query(`create database ${SCHEMA}`);
  for (const table of FACT_TABLE_NAMES)
    session.query(`create table ${SCHEMA}.${table} (${columnsOf(table)}) engine = Memory`);
  const place = { prelude: [], source: (table: FactTableName) => `${SCHEMA}.${table}` };
  for (const statement of createViews('clickhouse', place)) session.query(statement);
  return {
    engine: 'clickhouse',
    async load(facts) {
      for (const [table, csv] of writeCsv(facts)) {
        const path = join(folder, `${table}.csv`);
        writeFileSync(path, csv);
        const types = columnsOf(table).replaceAll("'", "''");
        session.query(`insert into ${SCHEMA}.${table} select * from file('${path}', 'CSV', '${types}')
          settings date_time_input_format = 'best_effort', format_csv_null_representation = ''`);
      }
    },
    read: async (view, columns) => readRows(session, `select ${columns.join(', ')} from ${view}`),
    async clear() {
      for (const table of FACT_TABLE_NAMES) session.query(`truncate table ${SCHEMA}.${table}`);
    },
    async [Symbol.asyncDispose]() {
      session.cleanup();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
