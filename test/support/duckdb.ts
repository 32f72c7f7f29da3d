import { loadEngine } from './engines.ts';

interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{
        run(sql: string): Promise<unknown>;
        runAndReadAll(sql: string): Promise<{ getRowsJS(): unknown[][] }>;
        closeSync(): void;
      }>;
      closeSync(): void;
    }>;
  };
}

/** Runs statements of DuckDB with paths from a folder. Returns the rows of the last one; integers are bigints. */
export async function askDuckDb(folder: string, ...statements: readonly string[]): Promise<unknown[][]> {
  const { DuckDBInstance } = loadEngine('@duckdb/node-api') as DuckDb;
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`set file_search_path = '${folder}'`);
    for (const statement of statements.slice(0, -1)) await connection.run(statement);
    return (await connection.runAndReadAll(statements.at(-1)!)).getRowsJS();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
