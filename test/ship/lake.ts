import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { onTestFinished } from 'vitest';
import { FACT_TABLE_NAMES } from '../../src/ship/facts/fact-tables.ts';

/** Returns the rows of a statement of DuckDB. Integers are numbers, timestamps milliseconds. */
export type AskLake = (sql: string) => Promise<unknown[][]>;

/** Opens lakes with DuckDB. The tables are those of all lakes, or what `views` create. */
export async function openLakes(lakes: readonly string[], views?: string): Promise<AskLake> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => connection.closeSync());
  await connection.run("set timezone = 'UTC'");
  for (const table of FACT_TABLE_NAMES) {
    const folders = lakes.filter((lake) => existsSync(join(lake, table)));
    if (folders.length === 0) continue;
    const files = folders.map((lake) => `'${join(lake, table, '*', '*.parquet')}'`).join(', ');
    await connection.run(`create view ${table} as select * from read_parquet([${files}], hive_partitioning = true)`);
  }
  if (views !== undefined) await connection.run(views);
  return async (sql) => {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowsJS().map((row) => row.map(toPlain));
  };
}

/** Opens lakes, and runs one statement. */
export async function askLake(lakes: string | readonly string[], sql: string, views?: string): Promise<unknown[][]> {
  const ask = await openLakes([lakes].flat(), views);
  return await ask(sql);
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Date ? value.getTime() : value;
}
