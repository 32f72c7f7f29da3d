import { existsSync } from 'node:fs';
import { TrawlError } from '../errors.ts';
import { type Db, openReadOnly } from '../store/database.ts';

/** @throws TrawlError when there is no such file: whoever asks about a store does not want a new, empty one. */
function requireStore(path: string): void {
  if (existsSync(path)) return;
  throw new TrawlError(`there is no database ${path}`, {
    hint: 'Crawl something first, or name another file with --db or TRAWL_DB.',
  });
}

/** Runs `fn` on a store that exists, opened for reading only. @throws TrawlError when it is none. */
export async function readStore<T>(path: string, fn: (db: Db) => T | Promise<T>): Promise<T> {
  requireStore(path);
  const db = openReadOnly(path);
  try {
    requireTables(db, path);
    return await fn(db);
  } finally {
    db.$client.close();
  }
}

function requireTables({ $client }: Db, path: string): void {
  let found: unknown;
  let cause: unknown;
  try {
    found = $client.prepare("select 1 from sqlite_schema where name = 'crawls'").get();
  } catch (error) {
    cause = error;
  }
  if (found !== undefined) return;
  throw new TrawlError(`${path} is not a database of trawl`, {
    hint: 'Name another file with --db or TRAWL_DB.',
    cause,
  });
}
