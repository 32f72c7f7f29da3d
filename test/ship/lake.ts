import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { openConnection } from '#store/sqlite/driver.ts';

/** Runs a statement of SQLite, and returns its rows. */
export type AskLake = (sql: string) => unknown[][];

/** Returns the files of facts of a lake. */
export const listFactFiles = (lake: string): string[] =>
  existsSync(join(lake, 'facts'))
    ? (readdirSync(join(lake, 'facts'), { recursive: true }) as string[])
        .filter((name) => name.endsWith('.jsonl.br'))
        .map((name) => join(lake, 'facts', name))
    : [];

type Line = [entry: number, crawl: number | null, facts: Record<string, unknown[][]>];

/** Reads a file of facts by what its first line says of it. */
function readFactFile(file: string) {
  const [head, ...lines] = brotliDecompressSync(readFileSync(file)).toString().trimEnd().split('\n').slice(0, -1);
  const { store, columns } = JSON.parse(head!) as { store: string; columns: Record<string, string[]> };
  return { store, columns, lines: lines.map((line) => JSON.parse(line) as Line) };
}

/** Opens the facts of a lake as tables of SQLite, until the test ends. */
export function openLake(lake: string): AskLake {
  const client = openConnection(':memory:');
  onTestFinished(() => void client.close());
  for (const { store, columns, lines } of listFactFiles(lake).map(readFactFile)) {
    for (const [table, names] of Object.entries(columns))
      client.exec(`create table if not exists ${table} (store, entry, crawl_id, ${names.join(', ')})`);
    for (const [entry, crawl, facts] of lines) {
      for (const [table, rows] of Object.entries(facts)) {
        const names = columns[table]!;
        const insert = client.prepare(`insert into ${table} values (?, ?, ?, ${names.map(() => '?').join(', ')})`);
        for (const row of rows) insert.run(store, entry, crawl, ...names.map((_, i) => toStored(row[i])));
      }
    }
  }
  return (sql) => client.prepare<[], unknown[]>(sql).raw().all();
}

const toStored = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : (value ?? null));

/** Opens a lake, and runs one statement of SQLite. */
export const askLake = (lake: string, sql: string): unknown[][] => openLake(lake)(sql);
