import { existsSync, rmSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { UsageError } from '../../base/errors.ts';
import { settings } from '../../store/schema/tables.ts';
import { type OpenDb, openDatabase } from '../../store/sqlite/database.ts';
import { openConnection } from '../../store/sqlite/driver.ts';

/** A row of `_settings` that marks the databases of a demo. A file without it belongs to the user. */
const MARK = { key: 'made_by', value: 'trawl demo' } as const;

/** Suffixes of the files that SQLite and the twin keep beside a database. */
const SUFFIXES = ['-wal', '-shm', '-journal', '-quota', '-quota-wal', '-quota-shm', '-quota-journal'];

/** Creates a marked database of a demo. */
export function openDemoDatabase(file: string): OpenDb {
  const db = openDatabase(file);
  db.insert(settings).values(MARK).onConflictDoNothing().run();
  return db;
}

/**
 * Removes the databases of an earlier demo. @throws UsageError if one of the files was not created by a demo:
 * then nothing is removed.
 */
export function removeDemoFiles(files: readonly string[]): void {
  for (const file of files) {
    const found = [file, ...SUFFIXES.map((suffix) => file + suffix)].find((path) => existsSync(path));
    if (found !== undefined && !isOfDemo(file)) {
      throw new UsageError(`${found} exists and was not created by a demo of this version: nothing was replaced`, {
        hint: 'Choose another folder with --dir, or move that file away.',
      });
    }
  }
  for (const file of files) for (const suffix of ['', ...SUFFIXES]) rmSync(file + suffix, { force: true });
}

function isOfDemo(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  let client: Database.Database | undefined;
  try {
    client = openConnection(file, { readonly: true, fileMustExist: true });
    return client.prepare('select value from _settings where key = ?').pluck().get(MARK.key) === MARK.value;
  } catch {
    // Not a database, or without such a table.
    return false;
  } finally {
    client?.close();
  }
}
