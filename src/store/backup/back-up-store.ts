import { createHash } from 'node:crypto';
import { existsSync, linkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { getSystemErrorName } from 'node:util';
import type Database from 'better-sqlite3';
import { describeError, TrawlError, UsageError } from '#base/errors.ts';
import { writeTombstonesFile } from '#store/erasure/tombstones-file.ts';
import { corruptFileError, describeStorageError } from '#store/sqlite/database-errors.ts';
import { type DiskSpace, requireSpace } from '#store/sqlite/disk-space.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { createDrizzle } from '#store/sqlite/drizzle.ts';
import { createPrivateFile } from '#store/sqlite/private-file.ts';

/** Pages per step. Between steps, other work of the process and of the disk runs: decision 69 has the measurements. */
const PAGES_PER_STEP = 200;
const LOCK_TIMEOUT_MS = 10_000;

export interface BackupOptions {
  /** The store. */
  readonly path: string;
  /** The new file. */
  readonly file: string;
  /** Where the copy is until it is complete and checked: a name beside `file` that no other process uses. */
  readonly temporary: string;
  readonly signal: AbortSignal;
  /** Called with the bytes copied so far; then with each table that is checked. */
  readonly onProgress: (progress: { copied: number; total: number } | { checking: string }) => void;
  readonly readDisk?: (path: string) => DiskSpace;
}

export interface BackupSummary {
  readonly bytes: number;
  /** The SHA-256 of the file, in hexadecimal digits. */
  readonly sha256: string;
  /** The rows of each table of the store. */
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Copies a store as it is at one moment to a new file, beside processes that write. The copy gets its name when it is
 * complete, checked and on the disk; before that, a kill leaves only the temporary file. Erasures go with it, as
 * `<file>.tombstones`. @throws TrawlError if the file exists, the space does not suffice or the copy has faults; the reason
 * of the signal
 */
export async function backUpStore(options: BackupOptions): Promise<BackupSummary> {
  const { path, file, temporary } = options;
  refuseExisting(path, file);
  try {
    createPrivateFile(temporary);
    const rows = await copy(options);
    const bytes = await check(options, rows);
    const sha256 = await hashFile(temporary, options.signal);
    publish(temporary, file);
    using copied = openCopy(file, { readonly: true });
    writeTombstonesFile(createDrizzle(copied.client), file);
    return { bytes, sha256, rows };
  } catch (error) {
    throw describeStorageError(error, `the backup of ${path}`) ?? error;
  } finally {
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${temporary}${ending}`, { force: true });
  }
}

/** @throws UsageError if a backup would replace a file */
function refuseExisting(path: string, file: string): void {
  const isStore = existsSync(file) && realpathSync(file) === realpathSync(path);
  if (isStore) throw new UsageError(`${file} is the database itself`, { hint: 'Name a new file.' });
  for (const each of [file, `${file}-wal`, `${file}.tombstones`]) {
    if (existsSync(each))
      throw new UsageError(`${each} exists already, and a backup replaces nothing`, { hint: 'Name a new file.' });
  }
}

/**
 * Copies all pages within one read transaction: without it, each commit of another process begins the copy again. Returns
 * the numbers of rows at that moment.
 */
async function copy({ path, temporary, signal, onProgress, readDisk }: BackupOptions) {
  using source = openCopy(path, { readonly: true });
  const { client } = source;
  client.exec('begin');
  const pageBytes = client.pragma('page_size', { simple: true }) as number;
  const total = pageBytes * (client.pragma('page_count', { simple: true }) as number);
  requireSpace('backup', { path: temporary, needed: total, hint: 'Name a file on another disk.', readDisk });
  const rows = countRows(client);
  await client.backup(temporary, {
    progress({ totalPages, remainingPages }) {
      signal.throwIfAborted();
      onProgress({ copied: pageBytes * (totalPages - remainingPages), total });
      return PAGES_PER_STEP;
    },
  });
  return rows;
}

/** Checks a copy and puts it on the disk, without a write-ahead log. Returns its bytes. @throws TrawlError if it has faults */
async function check(
  { path, temporary, signal, onProgress }: BackupOptions,
  rows: Readonly<Record<string, number>>,
): Promise<number> {
  using copied = openCopy(temporary);
  const { client } = copied;
  client.pragma('journal_mode = delete');
  for (const table of Object.keys(rows)) {
    onProgress({ checking: table });
    // Between two tables, an interrupt is noticed.
    await new Promise((done) => setImmediate(done));
    signal.throwIfAborted();
    const found = client.pragma(`quick_check("${table.replaceAll('"', '""')}")`, { simple: true }) as string;
    if (found !== 'ok')
      throw corruptFileError(path, found.split('\n').find((line) => !line.startsWith('***')) ?? found);
  }
  const copiedRows = countRows(client);
  const different = Object.keys(rows).filter((table) => copiedRows[table] !== rows[table]);
  if (different.length > 0)
    throw corruptFileError(path, `the copy has other numbers of rows in ${different.join(', ')}`);
  return (
    (client.pragma('page_size', { simple: true }) as number) * (client.pragma('page_count', { simple: true }) as number)
  );
}

/** Counts the rows of all tables, also of those of indexes for searching. */
function countRows(client: Database.Database): Record<string, number> {
  const names = client
    .prepare<[], string>(
      "select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow') and name not like 'sqlite_%' order by name",
    )
    .pluck()
    .all();
  const count = (name: string): number =>
    client
      .prepare<[], number>(`select count(*) from "${name.replaceAll('"', '""')}"`)
      .pluck()
      .get()!;
  return Object.fromEntries(names.map((name) => [name, count(name)]));
}

function openCopy(path: string, options: { readonly?: boolean } = {}) {
  const client = openConnection(resolve(path), { ...options, fileMustExist: true, timeout: LOCK_TIMEOUT_MS });
  return { client, [Symbol.dispose]: () => void client.close() };
}

/** Systems of files without hard links report one of these. */
const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Gives the copy its name, unless another process has created that file meanwhile. */
function publish(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (cause) {
    const { errno = 0 } = cause as NodeJS.ErrnoException;
    if (!WITHOUT_LINKS.includes(getSystemErrorName(errno)) || existsSync(file))
      throw new TrawlError(`cannot create ${file}: ${describeError(cause)}`, { cause });
    renameSync(temporary, file);
  }
}

/** Returns the SHA-256 of a file that is on the disk afterwards. @throws the reason of the signal */
async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'r+');
  try {
    await file.sync();
    for await (const chunk of file.createReadStream({ autoClose: false, signal })) hash.update(chunk as Buffer);
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
