import { hash } from 'node:crypto';
import { copyFileSync, constants, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { TrawlError } from '../../errors.ts';
import { describeStorageError } from '../sqlite/database-errors.ts';
import { MIGRATIONS_FOLDER, openDatabase, readMigrationTimes, readSchemaVersion } from '../sqlite/database.ts';
import { readDiskSpace } from '../sqlite/disk-space.ts';
import { openConnection } from '../sqlite/driver.ts';
import { LOCK_TIMEOUT_MS, lockExclusively } from '../sqlite/exclusive-lock.ts';
import { createPrivateFile } from '../sqlite/private-file.ts';
import { createSecret, moveKeys } from './move-keys.ts';
import { FORMER_INDEX_NAMES, REMADE_TABLES, TABLE_RENAMES, VALUE_RENAMES } from './renames.ts';
import { prepareUserObjects, quoteName, readSchema, type SchemaObject } from './user-objects.ts';

/** The last tables of trawl 0.1, by the time of their migration. */
const LAST_OF_0_1 = 1_795_329_586_995;
/** Space for the rollback journal: only small tables are rewritten. */
const JOURNAL_BYTES = 50e6;

export interface UpgradeOptions {
  readonly path: string;
  /** A file that the store is copied to first. */
  readonly backup?: string | undefined;
  readonly onProgress: (what: string) => void;
  readonly readDisk?: typeof readDiskSpace;
}

export interface UpgradeSummary {
  /** Views, tables and triggers of the user that refer to something that was renamed, and do not work any more. */
  readonly broken: readonly string[];
  /** Triggers among them that were removed, since they would make writes fail. */
  readonly removed: readonly string[];
}

/** The bytes that an upgrade needs beside the store, and those that its backup needs. */
export const upgradeSpace = (path: string): { readonly journal: number; readonly backup: number } => ({
  journal: JOURNAL_BYTES,
  backup: statSync(path).size,
});

/**
 * Whether a store has the tables of trawl 0.1. @throws TrawlError if its tables are older, since only 0.1 can migrate them.
 */
export function isUpgradable(client: Database.Database, path: string): boolean {
  const version = readSchemaVersion(client);
  if (version === undefined || version > LAST_OF_0_1) return false;
  if (version === LAST_OF_0_1) return true;
  throw new TrawlError(`${path} has tables from before trawl 0.1 was finished`, {
    hint: 'Open it once with the last version of trawl 0.1, which brings its tables up to date; then upgrade it.',
  });
}

/**
 * Renames the tables and columns of a store of trawl 0.1, in its file and in one transaction: a process that is killed
 * leaves the old store. No row of a large table is rewritten. Keys of the twin move to the twin's file.
 * @throws TrawlError if the store is in use, the disk is too small, or the tables are of another version.
 */
export function upgradeStore({ path, backup, onProgress, readDisk = readDiskSpace }: UpgradeOptions): UpgradeSummary {
  requireSpace(path, backup, readDisk);
  const client = openConnection(path, { fileMustExist: true, timeout: LOCK_TIMEOUT_MS });
  try {
    if (!isUpgradable(client, path)) return { broken: [], removed: [] };
    client.pragma('foreign_keys = off');
    lockExclusively(client, path);
    if (backup !== undefined) copyTo(path, backup, onProgress);
    createSecret(client);
    client.unsafeMode(true);
    const summary = client.transaction(() => upgrade(client, path, onProgress)).exclusive();
    client.pragma('locking_mode = normal');
    client.pragma('journal_mode = wal');
    client.close();
    // Runs the later migrations.
    openDatabase(path).$client.close();
    return summary;
  } catch (error) {
    throw describeStorageError(error, path) ?? error;
  } finally {
    client.close();
  }
}

function requireSpace(path: string, backup: string | undefined, readDisk: typeof readDiskSpace): void {
  const needed = upgradeSpace(path);
  const check = (at: string, bytes: number, what: string): void => {
    const { free } = readDisk(at);
    if (free >= bytes) return;
    const megabytes = (n: number) => `${Math.ceil(n / 1e6)} MB`;
    throw new TrawlError(`not enough space for ${what}: ${megabytes(bytes)} needed, ${megabytes(free)} free`, {
      hint: 'Nothing was changed. Free space, or name a backup on another disk.',
    });
  };
  check(path, needed.journal, 'the upgrade');
  if (backup === undefined) return;
  if (existsSync(backup)) throw new TrawlError(`${backup} exists already`, { hint: 'Name a new file.' });
  check(backup, needed.backup + needed.journal, 'the backup');
}

/** Copies the locked store, which has no write-ahead log. */
function copyTo(path: string, backup: string, onProgress: UpgradeOptions['onProgress']): void {
  onProgress(`copying to ${backup}`);
  try {
    createPrivateFile(backup);
    copyFileSync(path, backup, constants.COPYFILE_FICLONE);
  } catch (error) {
    rmSync(backup, { force: true });
    throw error;
  }
}

function upgrade(client: Database.Database, path: string, onProgress: UpgradeOptions['onProgress']): UpgradeSummary {
  // The schema that the first migration makes.
  const baseline = readFileSync(join(MIGRATIONS_FOLDER, '0000_baseline.sql'), 'utf8');
  const reference = openConnection(':memory:');
  reference.exec(baseline);
  const wanted = readSchema(reference);
  const userObjects = prepareUserObjects(client, namesBefore(wanted));
  for (const { type, name } of userObjects.storeObjects) {
    if (type === 'view' || type === 'trigger') client.exec(`drop ${type} ${quoteName(name)}`);
  }
  for (const { from, to, columns } of TABLE_RENAMES) {
    onProgress(`renaming ${from}`);
    for (const [before, now] of Object.entries(columns))
      userObjects.alter(`alter table ${quoteName(from)} rename column ${quoteName(before)} to ${quoteName(now)}`);
    if (from !== to) userObjects.alter(`alter table ${quoteName(from)} rename to ${quoteName(to)}`);
  }
  for (const [table, statements] of Object.entries(REMADE_TABLES)) {
    client.exec(wanted.find(({ name }) => name === table)!.sql);
    for (const statement of statements) userObjects.alter(statement);
  }
  for (const statement of VALUE_RENAMES) client.exec(statement);
  moveKeys(client, path);
  userObjects.alter('drop table api_keys');
  onProgress('creating indexes, views and triggers');
  adoptDeclarations(client, reference, wanted);
  for (const { type, name, sql } of wanted) {
    const isMissing = client.prepare('select 1 from sqlite_schema where name = ?').get(name) === undefined;
    if (isMissing && (type === 'view' || type === 'trigger' || type === 'index')) client.exec(sql);
  }
  client.exec('delete from __drizzle_migrations');
  client
    .prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)')
    .run(hash('sha256', baseline, 'hex'), readMigrationTimes()[0]);
  reference.close();
  return userObjects.restore();
}

/** The names that objects of the wanted schema have in a store of trawl 0.1, and the names that are no longer used. */
function namesBefore(wanted: readonly SchemaObject[]): Set<string> {
  const tables = Object.fromEntries(TABLE_RENAMES.map(({ from, to }) => [to, from]));
  const before = { ...tables, ...FORMER_INDEX_NAMES };
  return new Set([...wanted.map(({ name }) => before[name] ?? name), ...REMOVED_OBJECTS]);
}

const REMOVED_OBJECTS = [
  ...['run_days', 'run_days_run', 'fields_by_day', 'endpoint_facts', 'longest_pages', 'api_keys'],
  ...['api_keys_hash_unique', 'v_absent_tweets', 'v_searched', '__drizzle_migrations'],
];

/**
 * Gives tables and indexes the declarations of a new store, foreign keys included, where their columns are the same:
 * SQLite has no statement for that, and the rows stay as they are
 * (https://www.sqlite.org/lang_altertable.html#otheralter). A table to which the user added columns keeps its own.
 */
function adoptDeclarations(
  client: Database.Database,
  reference: Database.Database,
  wanted: readonly SchemaObject[],
): void {
  const columnsOf = (db: Database.Database, pragma: string, name: string): string =>
    JSON.stringify(db.prepare(`select * from pragma_${pragma}(?)`).raw().all(name));
  const adopted = wanted.flatMap((row) => {
    const current = FORMER_INDEX_NAMES[row.name] ?? row.name;
    if (row.type !== 'table' && row.type !== 'index') return [];
    const pragma = row.type === 'table' ? 'table_xinfo' : 'index_xinfo';
    return columnsOf(client, pragma, current) === columnsOf(reference, pragma, row.name) ? [{ ...row, current }] : [];
  });
  client.pragma('writable_schema = on');
  const update = client.prepare('update sqlite_schema set name = ?, sql = ? where type = ? and name = ?');
  for (const { type, name, sql, current } of adopted) update.run(name, sql, type, current);
  const version = client.pragma('schema_version', { simple: true }) as number;
  client.pragma(`schema_version = ${version + 1}`);
  client.pragma('writable_schema = reset');
}
