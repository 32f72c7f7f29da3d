import { existsSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UsageError } from '../../errors.ts';
import { settings } from '../../store/schema/tables.ts';
import { type Db, openDatabase } from '../../store/sqlite/database.ts';

/** A row of `settings` in every database that a demo made. Without it, a file of the same name is the user's. */
const MARK = { key: 'made_by', value: 'trawl demo' } as const;

/** What SQLite and the twin keep beside a database. */
const BESIDE = ['-wal', '-shm', '-journal', '-quota', '-quota-wal', '-quota-shm', '-quota-journal'];

/** Opens a new database of a demo, marked as such. */
export function openDemoDatabase(file: string): Db {
  const db = openDatabase(file);
  db.insert(settings).values(MARK).onConflictDoNothing().run();
  return db;
}

/**
 * Removes the databases that an earlier demo made. @throws UsageError when one of the files was not made by a demo:
 * then nothing is removed.
 */
export function removeDemoFiles(files: readonly string[]): void {
  for (const file of files) {
    const found = [file, ...BESIDE.map((suffix) => file + suffix)].find((path) => existsSync(path));
    if (found !== undefined && !isOfDemo(file)) {
      throw new UsageError(`${found} exists and was not made by a demo of this version: nothing is replaced`, {
        hint: 'Name another folder with --dir, or move that file away.',
      });
    }
  }
  for (const file of files) for (const suffix of ['', ...BESIDE]) rmSync(file + suffix, { force: true });
}

function isOfDemo(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true });
    return client.prepare('select value from settings where key = ?').pluck().get(MARK.key) === MARK.value;
  } catch {
    // Not a database, or without such a table.
    return false;
  } finally {
    client?.close();
  }
}
