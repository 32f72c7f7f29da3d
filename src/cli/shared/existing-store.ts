import { TrawlError } from '../../errors.ts';
import { databaseTrouble, notOurs } from '../../store/sqlite/database-errors.ts';
import { ageOf, type Db, laterVersion, openReadOnly } from '../../store/sqlite/database.ts';

/** Runs `fn` on a store that exists, opened for reading only. @throws TrawlError when it is none, or of another version. */
export async function readStore<T>(path: string, fn: (db: Db) => T | Promise<T>): Promise<T> {
  const db = openReadOnly(path);
  try {
    requireTables(db, path);
    requireAge(db, path);
    return await fn(db);
  } catch (error) {
    throw databaseTrouble(error, path) ?? error;
  } finally {
    db.$client.close();
  }
}

/** @throws TrawlError when there is no such store: opening it to write would make one, or one of another program's file. */
export function requireStore(path: string): void {
  const db = openReadOnly(path);
  try {
    requireTables(db, path);
  } catch (error) {
    throw databaseTrouble(error, path) ?? error;
  } finally {
    db.$client.close();
  }
}

function requireTables({ $client }: Db, path: string): void {
  if ($client.prepare("select 1 from sqlite_schema where name = 'crawls'").get() !== undefined) return;
  throw notOurs(path);
}

/** Who only looks changes no tables, and they may be many gigabytes. */
function requireAge(db: Db, path: string): void {
  const age = ageOf(db.$client);
  if (age === 'newer') throw laterVersion(path);
  if (age === 'older') {
    throw new TrawlError(`${path} was made by an earlier version of trawl`, {
      hint: 'Make a backup; then whatever writes to it, such as `trawl work`, brings its tables up to date first.',
    });
  }
}
