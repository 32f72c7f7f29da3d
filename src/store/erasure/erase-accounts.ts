import type Database from 'better-sqlite3';
import { foldHandle } from '#base/text.ts';
import { prepareOutbox } from '#store/outbox/outbox.ts';
import { describeStorageError } from '#store/sqlite/database-errors.ts';
import { type Db, openDatabase, openReadOnly } from '#store/sqlite/database.ts';
import { type readDiskSpace, requireSpace } from '#store/sqlite/disk-space.ts';
import { lockExclusively, measureFiles, openReplacement, StoreInUseError } from '#store/sqlite/replacement.ts';
import { listCountedCrawls } from './erase-crawls.ts';
import { eraseFacts } from './erase-facts.ts';
import { countErasure, eraseRows, type TableCounts } from './erase-rows.ts';
import { identifyHolders } from './imported-erasures.ts';
import { FULL_TEXT_INDEXES, INVENTORY } from './inventory.ts';
import {
  type PendingErasure,
  readErasureState,
  readPendingErasure,
  removePendingErasure,
  setPendingErasure,
  settleErasures,
} from './pending-erasure.ts';
import { type AccountNames, type Identity, collectIdentity } from './selection/erased-identity.ts';
import { findForgotten } from './selection/find-forgotten.ts';
import { selectRows, type PageSearch, selectPages } from './selection/select-pages.ts';
import { recordTombstoneFacts } from './tombstone-facts.ts';
import { applyTombstonesFile, writeTombstonesFile } from './tombstones-file.ts';
import { type MentionsPolicy, recordErasure } from './tombstones.ts';

/**
 * Erases accounts from a store (decision 56). The erasure is recorded first; then all rows change in one transaction, and a
 * compacted copy replaces the file. No other process may have the file open: each could keep pages of it. A killed erasure
 * is finished by the next one, or by the next command that writes.
 */
export interface ErasureOptions extends ErasureProgress {
  readonly path: string;
  readonly accounts: AccountNames;
  readonly mentions: MentionsPolicy;
  /** Milliseconds UTC. */
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly readDisk?: typeof readDiskSpace;
}

interface ErasureProgress {
  /** Called with the present work. */
  readonly onProgress: (what: string) => void;
}

export interface ErasureSummary {
  readonly tables: readonly TableCounts[];
  /** Handles that another stored account has now: mentions of them stay, and crawls of them are not refused. */
  readonly reassignedHandles: readonly string[];
  /** Tables, views and triggers that trawl did not create. */
  readonly ownObjects: OwnObjects;
}

/** The bytes that an erasure needs beside the store: first for the rollback journal, then for the compacted copy. */
export const computeErasureSpace = measureFiles;

/**
 * Erases accounts. @throws TrawlError if the store is in use or the disk is too small; the reason of the signal. The store
 * is unchanged then.
 */
export async function eraseAccounts(options: ErasureOptions): Promise<ErasureSummary> {
  const { path, accounts, mentions, readDisk } = options;
  requireSpace('erasure', {
    path,
    needed: measureFiles(path),
    hint: 'Nothing was changed. Free space, and try again.',
    readDisk,
  });
  await finishErasures(options);
  const summary = await withExclusiveStore(path, async (db) => {
    setPendingErasure(db.$client, { accounts, mentions });
    try {
      return await eraseFromTables(db, { accounts, mentions }, options);
    } catch (error) {
      removePendingErasure(db.$client);
      throw error;
    }
  });
  compactStore(options);
  fileTombstones(path);
  return summary;
}

/** Writes the tombstones of a store to the file beside it. */
function fileTombstones(path: string): void {
  using db = openReadOnly(path);
  writeTombstonesFile(db, path);
}

/**
 * Finishes an erasure that was killed, if there is one, and erases what the store has of accounts whose tombstones were
 * added to it: those of other databases wait while the store is in use. @throws TrawlError if it is in use otherwise
 */
export async function finishErasures(options: Omit<ErasureOptions, 'accounts' | 'mentions'>): Promise<void> {
  const { path } = options;
  const { isUnfinished, isDue, onlyStore } = readErasureState(path);
  if (!isUnfinished && !isDue) {
    if (onlyStore > 0) fileTombstones(path);
    return;
  }
  const erase = async (db: Db): Promise<void> => {
    db.$client.transaction(() => {
      if (applyTombstonesFile(db, path)) recordTombstoneFacts(db, prepareOutbox(db), options.now());
    })();
    if (isDue) identifyHolders(db, options.now());
    const pending = readPendingErasure(db.$client);
    if (pending) await eraseFromTables(db, pending, options);
    for (const forgotten of findForgotten(db)) await eraseFromTables(db, forgotten, options, true);
  };
  try {
    await withExclusiveStore(path, erase);
    compactStore(options);
  } catch (error) {
    if (!isUnfinished && error instanceof StoreInUseError) return;
    throw error;
  }
  fileTombstones(path);
}

/** Counts what an erasure would remove and change. Other processes may use the store meanwhile. */
export async function previewErasure({
  path,
  accounts,
  ...search
}: { readonly path: string; readonly accounts: AccountNames } & PageSearch): Promise<ErasureSummary> {
  using db = openReadOnly(path);
  const { $client } = db;
  $client.exec('begin');
  const identity = collectIdentity($client, accounts);
  await selectPages($client, selectRows($client, identity), search);
  return { ...describeIdentity(db, identity), tables: countErasure($client, search.mentions) };
}

async function eraseFromTables(
  db: Db,
  { accounts, mentions }: PendingErasure,
  { now, signal, onProgress }: Pick<ErasureOptions, 'now' | 'signal' | 'onProgress'>,
  isRecorded = false,
): Promise<ErasureSummary> {
  const { $client } = db;
  $client.pragma('secure_delete = on');
  const identity = collectIdentity($client, accounts);
  const matcher = selectRows($client, identity);
  const showPages = (pages: number, total: number): void => onProgress(`${pages} of ${total} pages searched`);
  await selectPages($client, matcher, { mentions, signal, onProgress: showPages });
  const found = describeIdentity(db, identity);
  const tables = $client.transaction(() => {
    const at = now();
    const counts = eraseRows($client, { mentions, at, onProgress });
    eraseFacts($client, matcher, mentions);
    const outbox = prepareOutbox(db);
    outbox.recordCrawls(listCountedCrawls($client), at);
    if (isRecorded) return counts;
    const unidentified = accounts.handles.filter((handle) => identity.handles.has(foldHandle(handle)));
    const names = { restIds: [...identity.restIds], handles: [...identity.handles], unidentified };
    const id = recordErasure(db, names, { erasedAt: at, mentions });
    const removed = Object.fromEntries(counts.map(({ table, removed: rows }) => [table, rows]));
    $client.prepare('update _erasures set removed = ? where id = ?').run(JSON.stringify(removed), id);
    removePendingErasure($client);
    recordTombstoneFacts(db, outbox, at);
    return counts;
  })();
  return { ...found, tables };
}

const describeIdentity = ({ $client }: Db, { reassignedHandles }: Identity): Omit<ErasureSummary, 'tables'> => ({
  reassignedHandles,
  ownObjects: findOwnObjects($client),
});

/** Replaces the file by a compacted copy: its free pages, and its log, hold what was erased. */
function compactStore({ path, now, onProgress }: Pick<ErasureOptions, 'path' | 'now' | 'onProgress'>): void {
  onProgress('copying the rest to a new file');
  using replacement = openReplacement(path);
  settleErasures(replacement.db, now());
  replacement.swap();
}

/** Runs `fn` on a store that no other process has open. */
async function withExclusiveStore<T>(path: string, fn: (db: Db) => Promise<T>): Promise<T> {
  using db = openDatabase(path);
  lockExclusively(db.$client, path);
  try {
    return await fn(db);
  } catch (error) {
    throw describeStorageError(error, path) ?? error;
  }
}

/** What users added to a store. An erasure does not change it. */
interface OwnObjects {
  readonly tables: readonly string[];
  /** Views, triggers and indexes whose statement names the accounts. */
  readonly naming: readonly string[];
}

const isShadowTable = (name: string): boolean => FULL_TEXT_INDEXES.some((index) => name.startsWith(`${index}_`));

/** Lists the tables of users, and their objects that name the selected accounts. */
function findOwnObjects(client: Database.Database): OwnObjects {
  const tables = client
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!' order by name",
    )
    .pluck()
    .all()
    .filter((name) => !(name in INVENTORY) && !FULL_TEXT_INDEXES.includes(name) && !isShadowTable(name));
  const naming = client
    .prepare<[], string>("select name from sqlite_schema where type <> 'table' and is_named_in(sql) order by name")
    .pluck()
    .all();
  return { tables, naming };
}
