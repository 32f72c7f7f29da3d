import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeError, UsageError } from '../../base/errors.ts';
import { finishErasures } from '../../store/erasure/erase-accounts.ts';
import { DEFAULT_BACKLOG_BYTES, startEntriesAfter } from '../../store/outbox/ship-targets.ts';
import { type Db, openDatabase } from '../../store/sqlite/database.ts';
import type { LakeContent } from '../files/lake-content.ts';
import type { ShippedStore } from '../files/lake.ts';
import { readShippedEntries } from './read-shipped-entries.ts';
import { prepareReplay } from './replay-entries.ts';
import { restoreCrawls } from './restore-crawls.ts';
import { restoreSnapshot } from './restore-snapshot.ts';

export interface RestoreOptions {
  /** The new file. It must not exist. */
  readonly path: string;
  /** A folder beside it of this process, where it is written until it is complete. */
  readonly temporary: string;
  readonly address: string;
  readonly record: ShippedStore;
  readonly content: LakeContent;
  /** Crawls pause when more bytes of facts wait for the target; 10 GB by default. */
  readonly maxBacklogBytes: number | undefined;
  /** Milliseconds UTC. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called with the last entry that is restored. */
  readonly onProgress: (entry: number) => void;
}

export interface RestoreSummary {
  readonly entries: number;
  /** Crawls that begin at the top again. */
  readonly unfinished: number;
  readonly rows: Readonly<Record<string, number>>;
}

/** Entries in one transaction. */
const BATCH = 200;
const COUNTED = ['users', 'tweets', 'follows', 'crawls', 'requests'];

/**
 * Restores a store from the facts that it has shipped to a target: the rows of the last snapshot, and then each entry, by the
 * operation that crawls commit with. The store keeps its id, and ships on after the last entry. The file gets its name
 * when it is complete; a killed restore leaves nothing under that name.
 * @throws UsageError if the file exists, or cannot be created
 */
export async function restoreStore(options: RestoreOptions): Promise<RestoreSummary> {
  const { path, temporary, now, signal, onProgress } = options;
  // A killed process may have had the same id, as in a container.
  rmSync(temporary, { recursive: true, force: true });
  try {
    mkdirSync(temporary, { mode: 0o700 });
  } catch (cause) {
    throw new UsageError(`cannot create ${path}: ${describeError(cause)}`, { cause });
  }
  const file = join(temporary, 'store.db');
  try {
    const summary = await writeStore(file, options);
    await finishErasures({
      path: file,
      now,
      signal,
      onProgress: () => onProgress(options.record.entry),
      areItemsCounted: true,
    });
    giveName(file, path);
    return summary;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Gives the file its name, unless one has appeared meanwhile. */
function giveName(file: string, path: string): void {
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
  try {
    linkSync(file, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new UsageError(`${path} exists`, { hint: 'Name another file with --db.', cause });
  }
}

async function writeStore(file: string, options: RestoreOptions): Promise<RestoreSummary> {
  const { record, content, signal, onProgress } = options;
  using db = openDatabase(file);
  const { $client } = db;
  const { store } = record;
  const from = record.snapshots.at(-1)?.entry ?? 0;
  // The file is complete or does not count: it is synchronised once, at the end.
  for (const pragma of ['journal_mode = delete', 'synchronous = off']) $client.pragma(pragma);
  const index = $client
    .prepare<[], string>("select sql from sqlite_schema where name = 'crawls_unfinished'")
    .pluck()
    .get()!;
  $client.exec('drop index crawls_unfinished; begin');
  const crawls = await restoreCrawls(db, { content, store, from });
  await restoreSnapshot(db, { content, store, entry: from, scratch: join(dirname(file), 'scratch.db'), signal });
  const { replay } = prepareReplay(db, crawls.isKnown);
  let entries = 0;
  for await (const entry of readShippedEntries(content, store, from + 1)) {
    replay(entry);
    entries += 1;
    if (entries % BATCH > 0) continue;
    $client.exec('commit; begin');
    onProgress(entry.entry);
    signal.throwIfAborted();
    await nextTurn();
  }
  crawls.finish();
  identify(db, options);
  $client.exec(`${index}; commit`);
  const count = (table: string): number => $client.prepare<[], number>(`select count(*) from ${table}`).pluck().get()!;
  return {
    entries,
    unfinished: crawls.unfinished,
    rows: Object.fromEntries(COUNTED.map((table) => [table, count(table)])),
  };
}

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
