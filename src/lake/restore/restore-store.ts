import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeError, UsageError } from '#base/errors.ts';
import type { LakeContent } from '#lake/files/lake-content.ts';
import type { ShippedStore } from '#lake/files/lake.ts';
import { prepareCoverage } from '#store/coverage/coverage.ts';
import { finishErasures } from '#store/erasure/erase-accounts.ts';
import { DEFAULT_BACKLOG_BYTES, startEntriesAfter } from '#store/outbox/ship-targets.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { syncFile } from '#store/sqlite/replacement.ts';
import { prepareCrawlRows } from './crawl-rows.ts';
import { replayEntries, type ReplayOptions } from './replay-entries.ts';
import { restoreSnapshot } from './restore-snapshot.ts';

export interface NewStoreOptions extends Pick<ReplayOptions, 'signal' | 'onProgress'> {
  /** The new file. It must not exist. */
  readonly path: string;
  /** A folder beside it of this process, where it is written until it is complete. */
  readonly temporary: string;
  readonly content: LakeContent;
  /** Milliseconds UTC. */
  readonly now: () => number;
}

export interface RestoreOptions extends NewStoreOptions {
  readonly address: string;
  readonly record: ShippedStore;
  /** Crawls pause when more bytes of facts wait for the target; 10 GB by default. */
  readonly maxBacklogBytes: number | undefined;
}

export interface RestoreSummary {
  readonly entries: number;
  /** Crawls that their stores had not finished. After a restore, they begin at the top again. */
  readonly unfinished: number;
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Restores a store from the facts that it has shipped to a target. The store keeps its id, and ships on after the last entry.
 * @throws UsageError if the file exists, or cannot be created
 */
export const restoreStore = (options: RestoreOptions): Promise<RestoreSummary> =>
  createStore(options, async (db, scratch) => {
    const { content, record } = options;
    const { store } = record;
    const from = findSnapshot(record);
    const crawls = prepareCrawlRows(db, prepareCoverage(db), false);
    await restoreSnapshot(db, { ...options, sources: [{ content, store, from }], crawls, scratch });
    const entries = await replayEntries(db, { ...options, sources: [{ content, store, from: from + 1 }], crawls });
    const unfinished = crawls.queue();
    identify(db, options);
    return { entries, unfinished, rows: countStoredRows(db) };
  });

/** The entry of the last snapshot of a store. */
export const findSnapshot = ({ snapshots }: ShippedStore): number => snapshots.at(-1)?.entry ?? 0;

/**
 * Creates a store. The file gets its name when it is complete; what is killed leaves nothing under that name.
 * @param fill stores its rows, in transactions. `scratch`: a path for another new file
 * @param giveFileName by default, to a file that does not exist
 */
export async function createStore(
  { path, temporary, now, signal }: Omit<NewStoreOptions, 'content' | 'onProgress'>,
  fill: (db: Db, scratch: string) => Promise<RestoreSummary>,
  giveFileName: (file: string, path: string) => void = giveName,
): Promise<RestoreSummary> {
  // A killed process may have had the same id, as in a container.
  rmSync(temporary, { recursive: true, force: true });
  try {
    mkdirSync(temporary, { mode: 0o700 });
  } catch (cause) {
    throw new UsageError(`cannot create ${path}: ${describeError(cause)}`, { cause });
  }
  const file = join(temporary, 'store.db');
  try {
    const summary = await writeStore(file, fill);
    await finishErasures({
      path: file,
      now,
      signal,
      onProgress: () => undefined,
      areItemsCounted: true,
    });
    giveFileName(file, path);
    return summary;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function writeStore(file: string, fill: Parameters<typeof createStore>[1]): Promise<RestoreSummary> {
  using db = openDatabase(file);
  const { $client } = db;
  // The file is complete or does not count: it is synchronised once, at the end.
  for (const pragma of ['journal_mode = delete', 'synchronous = off']) $client.pragma(pragma);
  $client.exec('begin');
  const summary = await fill(db, join(dirname(file), 'scratch.db'));
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

export const countStoredRows = ({ $client }: Db): RestoreSummary['rows'] =>
  Object.fromEntries(
    COUNTED.map((table) => [table, $client.prepare<[], number>(`select count(*) from ${table}`).pluck().get()!]),
  );

/** Gives a new file the identity of the lost store, and the target that it ships on to. */
function identify(db: Db, { address, record, maxBacklogBytes, now }: RestoreOptions): void {
  const { $client } = db;
  $client.prepare("insert or replace into _settings (key, value) values ('store_id', ?)").run(record.store);
  $client
    .prepare(
      `insert into _ship_targets (address, added_at, max_backlog_bytes, shipped_entry, shipped_at, shipped_digest, shipped_bytes)
       values (?, ?, ?, ?, ?, ?, 0)`,
    )
    .run(
      address,
      now(),
      maxBacklogBytes ?? DEFAULT_BACKLOG_BYTES,
      record.entry,
      Date.parse(record.sealedAt),
      record.digest,
    );
  startEntriesAfter(db, record.entry);
}
