import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, UsageError } from '#base/errors.ts';
import { temporarySuffix } from '#base/temporary-files.ts';
import type { ShippedStore } from '#lake/files/lake.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { syncFile } from '#store/sqlite/replacement.ts';

export interface MergedRows {
  readonly entries: number;
  /** Crawls that their stores had not finished. */
  readonly unfinished: number;
  readonly rows: Readonly<Record<string, number>>;
}

/** The entry of the last snapshot of a store. */
export const findSnapshot = ({ snapshots }: ShippedStore): number => snapshots.at(-1)?.entry ?? 0;

/**
 * Creates a store. The file gets its name when it is complete; what is killed leaves nothing under that name.
 * @param fill stores its rows, in transactions. `scratch`: a path for another new file
 * @param giveFileName by default, to a file that does not exist
 */
export async function createStore(
  path: string,
  fill: (db: Db, scratch: string) => Promise<MergedRows>,
  giveFileName: (file: string, path: string) => void = giveName,
): Promise<MergedRows> {
  const folder = `${path}${temporarySuffix(process.pid)}`;
  // A killed process may have had the same id, as in a container.
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  remove();
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    throw new UsageError(`cannot create ${path}: ${describeError(cause)}`, { cause });
  }
  try {
    const file = join(folder, 'store.db');
    const summary = await writeStore(file, fill);
    giveFileName(file, path);
    return summary;
  } finally {
    remove();
  }
}

async function writeStore(file: string, fill: Parameters<typeof createStore>[1]): Promise<MergedRows> {
  using db = openDatabase(file);
  const { $client } = db;
  // The file is complete or does not count: it is synchronised once, at the end.
  for (const pragma of ['journal_mode = delete', 'synchronous = off']) $client.pragma(pragma);
  $client.exec('begin');
  const summary = await fill(db, `${file}-scratch`);
  $client.exec('commit');
  return summary;
}

/** Gives the file its name, unless one has appeared meanwhile. */
function giveName(file: string, path: string): void {
  syncFile(file);
  try {
    linkSync(file, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new UsageError(`${path} exists`, { hint: 'Name another file with --db.', cause });
  }
}

const COUNTED = ['users', 'tweets', 'follows', 'crawls', 'requests'];

export const countStoredRows = ({ $client }: Db): MergedRows['rows'] =>
  Object.fromEntries(
    COUNTED.map((table) => [table, $client.prepare<[], number>(`select count(*) from ${table}`).pluck().get()!]),
  );
