import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type Database from 'better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { TrawlError } from '#base/errors.ts';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import { findTemporaryFiles } from '#base/temporary-files.ts';
import { describeStorageError, foreignFileError, fullDiskError } from './database-errors.ts';
import { canWriteBeside } from './disk-space.ts';
import { openConnection } from './driver.ts';
import { createDrizzle, type Drizzle, type OwnedDrizzle } from './drizzle.ts';
import { identifyFile } from './file-watch.ts';
import { createPrivateFile } from './private-file.ts';

/** A connection to a store's SQLite file. */
export type Db = Drizzle;
/** A connection that its owner closes: `using db = openDatabase(file)`. */
export type OpenDb = OwnedDrizzle;
/** The pages of a log of 64 MB: a page that is written repeatedly is copied to the file less often. */
export const CHECKPOINT_PAGES = 16_000;

export const MIGRATIONS_FOLDER = join(PACKAGE_ROOT, 'migrations');

/**
 * Opens a store, creates its file if it is missing (readable by its owner only), and migrates its tables. Tries again if a
 * rebuild replaces the file meanwhile. @throws TrawlError if the file cannot be opened, created or read as a store
 */
export function openDatabase(path: string, attempts = 2): OpenDb {
  const file = resolve(path);
  let client: Database.Database | undefined;
  refuseFolder(path);
  refuseUnfinishedMerge(path);
  let opened: string | undefined;
  try {
    createPrivateFile(file);
    opened = identifyFile(file);
    client = openConnection(file, { timeout: 10_000 });
    refuseForeign(client);
    const age = compareSchemaVersion(client);
    if (age === 'newer') throw laterVersionError(path);
    if (age === 'before') throw earlierVersionError(path);
    client.pragma('journal_mode = WAL');
    client.pragma('synchronous = NORMAL');
    client.pragma('foreign_keys = OFF');
    client.pragma('trusted_schema = OFF');
    client.pragma('cache_size = -16384');
    client.pragma('temp_store = MEMORY');
    client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    const db = createDrizzle(client);
    if (age === 'older') migrateOnce(db, file);
    // What names a forgotten account for a moment, such as a target under a new handle, must not stay in free pages.
    if (client.prepare('select 1 from _tombstones').get() !== undefined) client.pragma('secure_delete = on');
    return db;
  } catch (error) {
    client?.close();
    if (attempts > 1 && opened !== undefined && opened !== identifyFile(file)) return openDatabase(path, attempts - 1);
    throw unusable(path, error);
  }
}

/** The maximum that SQLite maps of a file. */
const MAPPED_BYTES = 2 ** 31 - 65_536;

/**
 * Opens an existing store for reading only. Statements have the function `sha256`. `isMapped`: whether the file may be mapped
 * into memory.
 * @throws TrawlError if the file is missing or cannot be read
 */
export function openReadOnly(
  path: string,
  { isMapped = true }: { readonly isMapped?: boolean | undefined } = {},
): OpenDb {
  if (!existsSync(path)) {
    throw new TrawlError(`there is no database ${path}`, {
      hint: 'Name another file with --db or TRAWL_DB; the first crawl creates one.',
    });
  }
  refuseFolder(path);
  try {
    const client = openConnection(resolve(path), { readonly: true, fileMustExist: true, timeout: 10_000 });
    client.pragma('trusted_schema = OFF');
    // Reading mapped pages without a copy saves a third of the time for a large store.
    if (isMapped) client.pragma(`mmap_size = ${MAPPED_BYTES}`);
    client.function('sha256', { deterministic: true, directOnly: true }, sha256);
    return createDrizzle(client);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** The SQL function: the SHA-256 of a text (UTF-8) in lower-case hexadecimal digits; null for any other value. */
const sha256 = (value: unknown): string | null =>
  typeof value === 'string' ? createHash('sha256').update(value).digest('hex') : null;

/** @throws TrawlError if a file has no tables of a store */
export function requireTables({ $client }: Db, path: string): void {
  const tables = $client.prepare("select 1 from sqlite_schema where name = 'crawls'").get();
  if (tables === undefined) throw foreignFileError(path);
}

/** @throws TrawlError if a store is of another version. Reading does not migrate it: a store may have many gigabytes. */
export function requireCurrentVersion({ $client }: Db, path: string): void {
  const version = compareSchemaVersion($client);
  if (version === 'newer') throw laterVersionError(path);
  if (version === 'before') throw earlierVersionError(path);
  if (version === 'older') {
    throw new TrawlError(`${path} was created by an earlier version of trawl`, {
      hint: 'Make a backup first.',
      command: { name: 'work', result: 'migrates it, as does any other command that writes' },
    });
  }
}

/** Returns the time of the latest migration of a store; undefined if there is none. */
function readSchemaVersion(client: Database.Database): number | undefined {
  const hasAny = client.prepare("select 1 from sqlite_schema where name = '__drizzle_migrations'").get() !== undefined;
  if (!hasAny) return undefined;
  return (
    client.prepare<[], number | null>('select max(created_at) from __drizzle_migrations').pluck().get() ?? undefined
  );
}

/** Returns the times of this version's migrations, oldest first. */
function readMigrationTimes(): number[] {
  const journal = readFileSync(join(MIGRATIONS_FOLDER, 'meta', '_journal.json'), 'utf8');
  const { entries } = JSON.parse(journal) as { readonly entries: readonly { readonly when: number }[] };
  return entries.map(({ when }) => when);
}

/**
 * Compares the tables of a store with those of this version: `older`, `current` or `newer`, or from `before` the first
 * migration, which cannot be migrated.
 */
function compareSchemaVersion(client: Database.Database): 'before' | 'older' | 'current' | 'newer' {
  const version = readSchemaVersion(client);
  const times = readMigrationTimes();
  if (version === undefined) return 'older';
  if (version < times[0]!) return 'before';
  if (version === times.at(-1)) return 'current';
  return version < times.at(-1)! ? 'older' : 'newer';
}

function refuseFolder(path: string): void {
  if (!existsSync(path) || !statSync(path).isDirectory()) return;
  throw new TrawlError(`${path} is a folder, not a database`, { hint: 'Name a file in it with --db or TRAWL_DB.' });
}

/** A merge could not give its file this name at its end if an empty store had it. @throws TrawlError */
export function refuseUnfinishedMerge(path: string): void {
  if (existsSync(path)) return;
  const merge = findTemporaryFiles(resolve(path)).find(({ isFolder }) => isFolder);
  if (!merge) return;
  throw new TrawlError(`${path} is not merged yet`, {
    hint: `Wait for \`trawl lake merge\`, or run it again if it was killed. For an empty database, remove ${merge.path}.`,
  });
}

/** @throws if the file has tables of another program */
function refuseForeign(client: Database.Database): void {
  const tables = client.prepare("select name from sqlite_master where type = 'table'").pluck().all();
  if (tables.length > 0 && !tables.includes('__drizzle_migrations')) throw new Error('it belongs to another program');
}

/** Migrates the tables. If two processes open a new store at once, one fails and then has nothing left to do. */
function migrateOnce(db: Db, path: string): void {
  try {
    migrate(db, { migrationsFolder: MIGRATIONS_FOLDER });
  } catch {
    try {
      migrate(db, { migrationsFolder: MIGRATIONS_FOLDER });
    } catch (error) {
      // On a full disk, SQLite ends the transaction itself: the ROLLBACK of Drizzle fails, and hides the reason.
      throw canWriteBeside(path) ? error : fullDiskError(path, error);
    }
  }
}

/** The error for a store with tables of a later version. */
const laterVersionError = (path: string): TrawlError =>
  new TrawlError(`${path} was made by a later version of trawl`, {
    hint: 'Update trawl to use it, or name another file with --db. Downgrading is not supported.',
  });

/** The error for a store from before the first migration, which is that of 0.2. */
const earlierVersionError = (path: string): TrawlError =>
  new TrawlError(`${path} was made by a development version of trawl before 0.2, and has an incompatible schema`, {
    hint: 'Name another file with --db or TRAWL_DB, and crawl again. The file was not changed.',
  });

function unusable(path: string, cause: unknown): TrawlError {
  if (cause instanceof TrawlError) return cause;
  const trouble = describeStorageError(cause, path);
  if (trouble) return trouble;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TrawlError(`cannot open the database ${path}: ${why}`, {
    hint: 'Name another file with --db or TRAWL_DB, or correct its folder or permissions.',
    cause,
  });
}
