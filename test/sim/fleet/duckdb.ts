import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { FACT_TABLE_NAMES } from '../../../src/ship/facts/fact-tables.ts';
import { createTables } from '../../../src/ship/views/create-tables.ts';
import { createFactTables, type FleetEngine, SCHEMA, writeCsv } from './fleet-engine.ts';

/** Tables with the rows of views are in a schema of their own, since they have the names of the views. */
const TABLES = {
  prelude: [`create schema if not exists ${SCHEMA}_tables`, `set search_path = ${SCHEMA}_tables`],
  source: (table: string) => `${SCHEMA}.${table}`,
};

/** Opens DuckDB in memory. @param hasTables whether tables with the rows of views are created from all facts that are loaded */
export async function openDuckDb(hasTables = false): Promise<FleetEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-fleet-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run("set timezone = 'UTC'");
  for (const statement of createFactTables('duckdb')) await connection.run(statement);
  return {
    engine: 'duckdb',
    async load(facts) {
      for (const [table, csv] of writeCsv(facts)) {
        const path = join(folder, `${table}.csv`);
        writeFileSync(path, csv);
        await connection.run(
          `copy ${SCHEMA}.${table} from '${path}' (header false, delimiter ',', quote '"', escape '"', nullstr '', allow_quoted_nulls false, parallel false, auto_detect false)`,
        );
      }
      if (hasTables) for (const statement of createTables('duckdb', TABLES)) await connection.run(statement);
    },
    async read(view, columns) {
      const reader = await connection.runAndReadAll(`select ${columns.join(', ')} from ${view}`);
      return reader.getRowsJS().map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value)));
    },
    async clear() {
      for (const table of FACT_TABLE_NAMES) await connection.run(`truncate ${SCHEMA}.${table}`);
    },
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
