import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Clock, MINUTE, SECOND } from '#base/clock.ts';
import { TargetUnavailableError, TrawlError } from '#base/errors.ts';
import { toIso } from '#base/units.ts';
import type { S3Variables } from '#files/s3/s3-settings.ts';
import { createDueEraser } from '#store/erasure/imported-erasures.ts';
import {
  digestEntry,
  type OutboxEntry,
  readEntries,
  readLastEntry,
  readShipTarget,
  recordShipped,
  recordSnapshot,
  type ShipTarget,
  startEntriesAfter,
} from '#store/outbox/ship-targets.ts';
import { type Db, openReadOnly } from '#store/sqlite/database.ts';
import { applyErasures } from './apply-erasures.ts';
import { openFactBatch } from './files/lake-batch.ts';
import { type Lake, type LakeWriter, type ShippedStore } from './files/lake.ts';
import { openLake } from './files/open-lake.ts';
import { isMergedFrom } from './merge/merged-stores.ts';
import { writeSnapshot } from './write-snapshot.ts';

/** Files are sealed at this age at the latest; without entries, the record of the store is renewed then. */
const SEAL_AGE_MS = 15 * MINUTE;
/** Entries that are read together. */
const READ_ENTRIES = 64;
/** How often new entries are looked for. */
const POLL_MS = SECOND;
/** How long to wait for a target that does not answer: twice as long each time. */
const FIRST_RETRY_MS = SECOND;
const LAST_RETRY_MS = 60 * SECOND;

export interface ShipOptions {
  /** The store, open for writing. */
  readonly db: Db;
  readonly path: string;
  /** The id of the store. */
  readonly store: string;
  readonly target: ShipTarget;
  readonly variables: S3Variables;
  readonly clock: Clock;
  /** Ends shipping after what has arrived is sealed. */
  readonly signal: AbortSignal;
  /** Ends shipping when nothing waits, or the target does not answer. */
  readonly isOnce: boolean;
  readonly onProgress?: ((progress: ShipProgress) => void) | undefined;
  /** Called when the target does not answer. It is tried again in `ms`. */
  readonly onRetry?: ((error: TargetUnavailableError, ms: number) => void) | undefined;
}

/** What a run of shipping has sealed so far. */
export interface ShipProgress {
  readonly entries: number;
  /** Whether it began with a snapshot of the rows of the store. */
  readonly hasSnapshot: boolean;
}

/**
 * Ships a store to a target until the signal: first a snapshot of its rows, if the target has none, then entries in their
 * order. The facts of a batch appear in the target together with its last entry; then the batch's entries are released. A process
 * that is killed anywhere leaves nothing that counts, and the next one ships its entries again. A target that does not
 * answer is tried again until the signal.
 * @throws TargetUnavailableError with `isOnce`
 * @throws TrawlError if the target lacks entries that were released
 */
export async function shipFacts(options: ShipOptions): Promise<ShipProgress> {
  const { path, target, store, variables, clock, signal, isOnce, onProgress, onRetry } = options;
  const lake = await openLake(target.address, variables);
  let progress: ShipProgress = { entries: 0, hasSnapshot: false };
  let retryMs = FIRST_RETRY_MS;
  const addProgress = (entries: number, isSnapshot = false): void => {
    progress = { entries: progress.entries + entries, hasSnapshot: progress.hasSnapshot || isSnapshot };
    retryMs = FIRST_RETRY_MS;
    onProgress?.(progress);
  };
  for (;;) {
    try {
      using writer = await lake.openWriter(store, `${path}.shipping-${target.id}`);
      await shipTo({ lake, writer }, options, addProgress);
      return progress;
    } catch (error) {
      if (isOnce || !(error instanceof TargetUnavailableError)) throw error;
      if (!signal.aborted) onRetry?.(error, retryMs);
    }
    await clock.sleep(retryMs, signal).catch(() => undefined);
    if (signal.aborted) return progress;
    retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
  }
}

type AddProgress = (entries: number, isSnapshot?: boolean) => void;

interface OpenLake {
  readonly lake: Lake;
  readonly writer: LakeWriter;
}

/**
 * Applies the erasures of the lake. Returns what the record of the store says of them: nothing new while rows of these accounts are
 * left beside a worker, and what erases their facts then.
 */
async function readErasures({ lake }: OpenLake, { db, path, clock }: ShipOptions) {
  const applied = await applyErasures(db, lake, clock.now());
  return { record: applied && { applied }, erase: createDueEraser(path) };
}

/** Ships to an open lake until the signal, or until nothing waits. */
async function shipTo(open: OpenLake, options: ShipOptions, addProgress: AddProgress): Promise<void> {
  const { db, store, target, clock, signal, isOnce } = options;
  const { lake, writer } = open;
  let erasures = await readErasures(open, options);
  let shipped = await findShipped(open, options, erasures, addProgress);

  /**
   * Whether the target still has what was shipped last. Otherwise a request of a killed process has arrived late, or another copy of
   * the store has shipped: then shipping goes on from what the target has now.
   */
  async function isCurrent(): Promise<boolean> {
    if ((await lake.readStore(store))?.digest === shipped.digest) return true;
    shipped = await findShipped(open, options, erasures, addProgress);
    return false;
  }

  /** Ends at once when shipping is stopped: then what has arrived is sealed. */
  const waitForEntries = (): Promise<void> => clock.sleep(POLL_MS, signal).catch(() => undefined);

  async function shipBatch(first: OutboxEntry): Promise<void> {
    erasures = await readErasures(open, options);
    await using batch = openFactBatch({ writer, store, first: first.id, erase: erasures.erase });
    const openedAt = clock.now();
    const isDue = (): boolean => batch.isFull || clock.now() - openedAt >= SEAL_AGE_MS || signal.aborted;
    let { entry: last, digest } = shipped;
    let { recordedAt } = first;
    let count = 0;
    while (!isDue()) {
      const entries = readEntries(db, last, READ_ENTRIES);
      for (const entry of entries) {
        if (batch.isFull) break;
        await batch.add(entry.id, entry.crawlId, entry.facts);
        digest = digestEntry(entry);
        last = entry.id;
        recordedAt = entry.recordedAt;
        count += 1;
      }
      if (entries.length > 0) continue;
      if (isOnce) break;
      await waitForEntries();
    }
    if (last === shipped.entry || !(await isCurrent())) return;
    const at = clock.now();
    const until = isOnce ? undefined : toIso(recordedAt);
    shipped = await batch.seal({ ...shipped, ...erasures.record, entry: last, sealedAt: toIso(at), until, digest });
    recordShipped(db, target.id, { entry: last, digest, at });
    addProgress(count);
  }

  /** Renews the record of the store. */
  async function renew(until?: string): Promise<void> {
    erasures = await readErasures(open, options);
    if (await isCurrent()) shipped = await writer.publish([], { ...shipped, ...erasures.record, until });
  }

  while (!signal.aborted) {
    const at = clock.now();
    const [first] = readEntries(db, shipped.entry, 1);
    if (first) await shipBatch(first);
    else if (isOnce) break;
    else if (at - Date.parse(shipped.until ?? shipped.sealedAt) >= SEAL_AGE_MS) await renew(toIso(at));
    else await waitForEntries();
  }
  const isRecorded = isDeepStrictEqual({ ...shipped, ...erasures.record }, shipped);
  if (shipped.until !== undefined || !isRecorded) await renew();
}

/** Returns what the target has of the store, after writing a snapshot if it has none. */
async function findShipped(
  { lake, writer }: OpenLake,
  { db, path, store, target: { id, address }, clock, signal }: ShipOptions,
  erasures: Awaited<ReturnType<typeof readErasures>>,
  addProgress: AddProgress,
): Promise<ShippedStore> {
  const target = readShipTarget(db, id);
  const { shippedEntry } = target;
  const inTarget = await lake.readStore(store);
  if (shippedEntry !== null && (inTarget?.entry ?? -1) < shippedEntry)
    throw missingEntriesError(address, store, shippedEntry);
  if (inTarget && hasShipped(db, target, inTarget)) {
    // The process was killed before it released what it had sealed.
    if (inTarget.entry !== shippedEntry)
      recordShipped(db, id, { entry: inTarget.entry, digest: inTarget.digest, at: clock.now() });
    return inTarget;
  }
  if (shippedEntry !== null) throw otherHistoryError(address, store);
  // A target that the store has shipped to before keeps its facts: new entries follow them.
  startEntriesAfter(db, (inTarget?.entry ?? 0) + 1);
  using snapshot = openReadOnly(path);
  snapshot.$client.exec('begin');
  const isMerged = isMergedFrom(snapshot, await lake.readStores());
  const [first] = isMerged ? readEntries(snapshot, 0, 1) : [];
  const entry = first ? first.id - 1 : readLastEntry(snapshot);
  const takenAt = clock.now();
  await using batch = openFactBatch({ writer, store, first: entry, erase: erasures.erase });
  await writeSnapshot({ db: snapshot, batch, entry, takenAt, isMerged, signal });
  const at = toIso(takenAt);
  const snapshots = [...(inTarget?.snapshots ?? []), { entry, takenAt: at }];
  const digest = randomUUID();
  const { files = 0, erasures: erased = [] } = inTarget ?? {};
  recordSnapshot(db, id, digest);
  const own = { store, entry, sealedAt: at, snapshots, digest, files, erasures: erased };
  const record = await batch.seal({ ...own, ...erasures.record });
  recordShipped(db, id, { entry, digest, at: clock.now() });
  addProgress(0, true);
  return record;
}

/** Whether this database has shipped what the target has of its store, or has the same entries: no other copy of it has since. */
const hasShipped = (db: Db, target: ShipTarget, { entry, digest }: ShippedStore): boolean =>
  digest === target.shippedDigest ||
  (target.shippedEntry !== null && readEntries(db, entry - 1, 1).map(digestEntry)[0] === digest);

const missingEntriesError = (address: string, store: string, entry: number): TrawlError =>
  new TrawlError(`${address} lacks entries of the store ${store} up to ${entry}, which were shipped there`, {
    hint: 'Restore the lake from a copy, or begin again with a snapshot: `trawl lake remove` and `trawl lake add`.',
  });

const otherHistoryError = (address: string, store: string): TrawlError =>
  new TrawlError(`${address} has entries of the store ${store} that this database lacks`, {
    hint:
      'It was restored from a backup, or copied. Continue with the database that shipped last, or merge the lake into a new one (`trawl lake merge`). ' +
      'To continue with this one, begin again with a snapshot: `trawl lake remove` and `trawl lake add`.',
  });
