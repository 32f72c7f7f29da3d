import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { onTestFinished } from 'vitest';
import { FACT_TABLE_NAMES } from '../../src/ship/facts/fact-tables.ts';

/**
 * Runs a statement of DuckDB, in which the tables are those of the lakes, or what `views` create. Integers are numbers, timestamps
 * milliseconds.
 */
export async function askLake(lakes: string | readonly string[], sql: string, views?: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => connection.closeSync());
  await connection.run("set timezone = 'UTC'");
  for (const table of FACT_TABLE_NAMES) {
    const folders = [lakes].flat().filter((lake) => existsSync(join(lake, table)));
    if (folders.length === 0) continue;
    const files = folders.map((lake) => `'${join(lake, table, '*', '*.parquet')}'`).join(', ');
    await connection.run(`create view ${table} as select * from read_parquet([${files}], hive_partitioning = true)`);
  }
  if (views !== undefined) await connection.run(views);
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowsJS().map((row) => row.map(toPlain));
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Date ? value.getTime() : value;
}
