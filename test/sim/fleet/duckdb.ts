import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { FACT_TABLE_NAMES } from '../../../src/ship/facts/fact-tables.ts';
import { createFactTables, type FleetEngine, SCHEMA, writeCsv } from './fleet-engine.ts';

/** Opens DuckDB in memory. */
export async function openDuckDb(): Promise<FleetEngine> {
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
