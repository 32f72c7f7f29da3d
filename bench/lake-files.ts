import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** The files of a table of a lake. */
export interface LakeTable {
  readonly rows: number;
  readonly bytes: number;
}

/** Returns the rows and the bytes of each table of a lake. */
export async function measureLake(lake: string): Promise<Record<string, LakeTable>> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const found: Record<string, LakeTable> = {};
  try {
    for (const table of readdirSync(lake).filter((name) => !name.startsWith('_'))) {
      const files = readdirSync(join(lake, table), { recursive: true, withFileTypes: true }).filter((each) =>
        each.isFile(),
      );
      const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
      const reader = await connection.runAndReadAll(
        `select sum(num_rows)::double from parquet_file_metadata('${join(lake, table, '*', '*.parquet')}')`,
      );
      found[table] = { rows: Number(reader.getRowsJS()[0]![0]), bytes };
    }
  } finally {
    connection.closeSync();
  }
  return found;
}
