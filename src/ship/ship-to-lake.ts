import { type Clock, dayOf, MINUTE } from '../clock.ts';
import { TrawlError } from '../errors.ts';
import {
  type OutboxEntry,
  readEntries,
  readLastEntry,
  recordShipped,
  type ShipTarget,
  startEntriesAfter,
} from '../store/outbox/targets.ts';
import { type Db, openReadOnly } from '../store/sqlite/database.ts';
import type { Fact, Facts, FactTableName } from './facts/fact-tables.ts';
import { openLakeBatch, type LakeBatch } from './lake/lake-batch.ts';
import { readLakeStore, removeUnsealed, writeLakeStore } from './lake/lake-folder.ts';
import { writeSnapshot } from './snapshot/write-snapshot.ts';

/** Entries that are read together. */
const READ_ENTRIES = 64;
/** Files are sealed at this age at the latest. */
const SEAL_AGE_MS = 15 * MINUTE;
/** How often new entries are looked for. */
const POLL_MS = 1000;

export interface ShipOptions {
  /** The store, open for writing. */
  readonly db: Db;
  readonly path: string;
  /** The id of the store. */
  readonly store: string;
  readonly target: ShipTarget;
  readonly clock: Clock;
  /** Ends shipping after what has arrived is sealed. */
  readonly signal: AbortSignal;
  /** Ends shipping when nothing waits. */
  readonly isOnce: boolean;
  readonly onProgress?: ((progress: ShipProgress) => void) | undefined;
}

/** What a run of shipping has sealed so far. */
export interface ShipProgress {
  readonly entries: number;
  readonly facts: number;
}

/**
 * Ships a store to a lake until the signal: first a snapshot of its rows, if the target has none, then entries in their
 * order. A batch of files is written, named, and recorded in the lake; then its entries are released. A process that is killed
 * anywhere leaves files that do not count, and the next one ships their entries again.
 * @throws TrawlError if the lake lacks entries that were released
 */
export async function shipToLake(options: ShipOptions): Promise<ShipProgress> {
  const { db, store, target, clock, signal, isOnce, onProgress } = options;
  const { id, address: lake } = target;
  let progress: ShipProgress = { entries: 0, facts: 0 };
  removeUnsealed(lake, store);
  let shipped = await findShippedEntry(options, addProgress);

  function addProgress(entries: number, facts: number): void {
    progress = { entries: progress.entries + entries, facts: progress.facts + facts };
    onProgress?.(progress);
  }

  /** Ends at once when shipping is stopped: then what has arrived is sealed. */
  const waitForEntries = (): Promise<void> => clock.sleep(POLL_MS, signal).catch(() => undefined);

  async function shipBatch(first: OutboxEntry): Promise<void> {
    const day = dayOf(first.recordedAt);
    await using batch = openLakeBatch({ lake, store, first: first.id, day });
    const openedAt = clock.now();
    const isDue = (): boolean => batch.isFull || clock.now() - openedAt >= SEAL_AGE_MS || signal.aborted;
    let last = shipped;
    let count = 0;
    for (let isOpen = true; isOpen && !isDue();) {
      const entries = readEntries(db, last, READ_ENTRIES);
      for (const entry of entries) {
        if (dayOf(entry.recordedAt) !== day || batch.isFull) {
          isOpen = false;
          break;
        }
        await addEntry(batch, store, entry);
        last = entry.id;
        count += 1;
      }
      if (entries.length > 0) continue;
      if (isOnce) break;
      await waitForEntries();
    }
    if (last === shipped) return;
    await batch.seal(last);
    const at = clock.now();
    const { snapshots } = readLakeStore(lake, store)!;
    await writeLakeStore(lake, { store, entry: last, sealedAt: new Date(at).toISOString(), snapshots });
    recordShipped(db, id, { entry: last, at });
    shipped = last;
    addProgress(count, batch.facts);
  }

  while (!signal.aborted) {
    const [first] = readEntries(db, shipped, 1);
    if (first) await shipBatch(first);
    else if (isOnce) break;
    else await waitForEntries();
  }
  return progress;
}

async function addEntry(batch: LakeBatch, store: string, { id, crawlId, facts }: OutboxEntry): Promise<void> {
  for (const [table, rows] of Object.entries(JSON.parse(facts) as Facts) as [FactTableName, readonly Fact[]][])
    for (const row of rows) await batch.add(table, [store, id, crawlId, ...row]);
}

/** Returns the last entry that the lake has, after writing a snapshot if it has none. */
async function findShippedEntry(
  { db, path, store, target, clock, signal }: ShipOptions,
  addProgress: (entries: number, facts: number) => void,
): Promise<number> {
  const { id, address: lake, shippedEntry, addedAt } = target;
  const inLake = readLakeStore(lake, store);
  if (shippedEntry !== null && (inLake?.entry ?? -1) < shippedEntry)
    throw missingEntriesError(lake, store, shippedEntry);
  if (inLake && (shippedEntry !== null || inLake.snapshots.some(({ takenAt }) => Date.parse(takenAt) >= addedAt))) {
    // The process was killed before it released what it had sealed.
    if (inLake.entry !== shippedEntry) recordShipped(db, id, { entry: inLake.entry, at: clock.now() });
    return inLake.entry;
  }
  // A lake that the store has shipped to before keeps its files: new entries follow them.
  startEntriesAfter(db, (inLake?.entry ?? 0) + 1);
  using snapshot = openReadOnly(path);
  snapshot.$client.exec('begin');
  const entry = readLastEntry(snapshot);
  const takenAt = clock.now();
  await using batch = openLakeBatch({ lake, store, first: entry, day: dayOf(takenAt) });
  await writeSnapshot({ db: snapshot, batch, store, entry, takenAt, signal });
  await batch.seal(entry);
  const at = new Date(takenAt).toISOString();
  const snapshots = [...(inLake?.snapshots ?? []), { entry, takenAt: at }];
  await writeLakeStore(lake, { store, entry, sealedAt: at, snapshots });
  recordShipped(db, id, { entry, at: clock.now() });
  addProgress(0, batch.facts);
  return entry;
}

const missingEntriesError = (lake: string, store: string, entry: number): TrawlError =>
  new TrawlError(`${lake} lacks entries of the store ${store} up to ${entry}, which were shipped there`, {
    hint: 'Restore the folder, or begin again with a snapshot: `trawl ship remove` and `trawl ship add`.',
  });
