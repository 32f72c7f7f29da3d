import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { parse } from 'csv-parse/sync';
import { type FileMetaData, parquetMetadata, parquetRead } from 'hyparquet';
import { onTestFinished } from 'vitest';
import { openConnection } from '#store/sqlite/driver.ts';
import { quoteName } from '#store/sqlite/quote-name.ts';

/** A Parquet file, read by a library that did not write it. */
export interface ParquetTable {
  readonly metadata: FileMetaData;
  readonly columns: readonly string[];
  /** Integers are bigints, timestamps dates, bytes without a text type arrays. */
  readonly rows: readonly unknown[][];
}

export async function readParquet(content: Uint8Array): Promise<ParquetTable> {
  const zstd = await Zstd.load();
  const file = new Uint8Array(content).buffer;
  const metadata = parquetMetadata(file);
  let rows: unknown[][] = [];
  await parquetRead({
    file,
    metadata,
    utf8: false,
    compressors: { ZSTD: (bytes) => zstd.decompress(bytes) },
    onComplete: (found) => (rows = found),
  });
  return { metadata, columns: metadata.schema.slice(1).map(({ name }) => name), rows };
}

/** Returns the rows of a statement of SQLite. */
export type AskTables = (sql: string) => unknown[][];

/**
 * Opens a database in memory with tables of CSV and Parquet files, which ends with the test. Values of CSV are texts, empty ones
 * null. Booleans become 0 or 1, and timestamps milliseconds.
 * @param files the files of each table, which have the same columns
 */
export async function openTables(files: Readonly<Record<string, readonly string[]>>): Promise<AskTables> {
  const client = openConnection(':memory:');
  onTestFinished(() => void client.close());
  for (const [table, paths] of Object.entries(files)) {
    for (const [i, path] of paths.entries()) {
      const { columns, rows } = extname(path) === '.csv' ? readCsv(path) : await readParquet(readFileSync(path));
      if (i === 0) client.exec(`create table ${quoteName(table)} (${columns.map(quoteName).join(', ')})`);
      const insert = client.prepare(`insert into ${quoteName(table)} values (${columns.map(() => '?').join(', ')})`);
      client.transaction(() => rows.forEach((row) => insert.run(row.map(toStored))))();
    }
  }
  return (sql) => client.prepare<[], unknown[]>(sql).raw().all();
}

function readCsv(path: string): { readonly columns: string[]; readonly rows: unknown[][] } {
  const [columns = [], ...rows] = parse(readFileSync(path), { bom: true }) as string[][];
  return { columns, rows: rows.map((row) => row.map((value) => (value === '' ? null : value))) };
}

function toStored(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
}
