import { existsSync } from 'node:fs';
import { MINUTE } from '#base/clock.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { removeAbandonedFiles } from '#base/temporary-files.ts';
import type { ShippedStore } from '#lake/files/lake.ts';
import type { LakeWithoutForgotten } from '#lake/purge-lake.ts';
import { tryLock } from '#lake/worker/ship-lock.ts';
import { prepareCoverage } from '#store/coverage/coverage.ts';
import { settleErasures } from '#store/erasure/pending-erasure.ts';
import { addTombstones } from '#store/erasure/tombstones.ts';
import { readShipTargets } from '#store/outbox/ship-targets.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { lockExclusively, replaceFile } from '#store/sqlite/replacement.ts';
import { prepareCrawlRows } from './crawl-rows.ts';
import { countStoredRows, createStore, findSnapshot, type MergedRows } from './create-store.ts';
import { countOwnCrawls, readMergedStores } from './merged-stores.ts';
import type { ShippedFacts } from './read-shipped-entries.ts';
import { replayEntries, type ReplayOptions } from './replay-entries.ts';
import { storeSnapshots } from './store-snapshots.ts';

export interface MergeOptions extends LakeWithoutForgotten, Pick<ReplayOptions, 'signal'> {
  readonly path: string;
  /** Milliseconds UTC. */
  readonly now: () => number;
  readonly onProgress: (entries: number, total: number) => void;
}

export interface MergeSummary extends MergedRows {
  /** Facts up to this time are merged, milliseconds UTC: later ones may lack facts of stores that are being shipped. */
  readonly until: number | undefined;
  /** The file was there. `updated`: it has the entries that it lacked. `anew`: it was replaced. */
  readonly made: 'created' | 'updated' | 'anew';
  /** Why it was made anew. */
  readonly why?: string;
}

/** Why a file cannot be updated. */
const WHY = {
  late: 'facts older than the merged ones have arrived',
  forgotten: 'an account has been forgotten since the last merge',
  snapshot: 'a database with existing rows has begun to ship',
} as const;

/** A store that has not been shipped for so long is not waited for. */
const SILENT_MS = 60 * MINUTE;
/** The longest time from a request to the entry of its page. */
const COMMIT_MS = 2 * MINUTE;

/** Until when no store will ship more facts; undefined if none is being shipped. */
function findUntil(stores: readonly ShippedStore[], now: number): number | undefined {
  const times = stores.flatMap(({ until }) => (until === undefined ? [] : [Date.parse(until)]));
  const awaited = times.filter((time) => now - time < SILENT_MS);
  return awaited.length === 0 ? undefined : Math.min(...awaited) - COMMIT_MS;
}

/**
 * Merges the facts of stores into a new store, as if it had sent all their requests. A store that was made so gets the facts
 * that it lacks if all of them are later than those that it has; otherwise, it is created again. The result depends on the facts alone.
 * A killed merge is continued by the next one.
 * @throws UsageError if the file is another store or cannot be created
 */
export async function mergeStores(options: MergeOptions): Promise<MergeSummary> {
  const { path, content, now } = options;
  removeAbandonedFiles(path);
  const until = findUntil(content.stores, now());
  if (!existsSync(path)) return { ...(await createMerged(options, until)), until, made: 'created' };
  using lock = tryLock(`${path}.merge`);
  if (!lock) throw new TrawlError(`another process merges into ${path}`, { hint: 'Wait until it has ended.' });
  const updated = await updateMerged(options, until);
  if (typeof updated === 'object') return { ...updated, until, made: 'updated' };
  const why = WHY[updated];
  using old = openDatabase(path);
  requireNothingElse(old, path, why);
  lockExclusively(old.$client, path);
  return { ...(await createMerged(options, until, replaceFile)), until, made: 'anew', why };
}

const createMerged = (
  options: MergeOptions,
  until: number | undefined,
  giveName?: Parameters<typeof createStore>[2],
): Promise<MergedRows> =>
  createStore(
    options.path,
    async (db, scratch) => {
      const { content, signal } = options;
      const crawls = prepareCrawlRows(db, prepareCoverage(db));
      const sources = content.stores.map((record) => ({ content, store: record.store, from: findSnapshot(record) }));
      addStores(db, sources);
      // From then on, no page stores these accounts.
      addTombstones(db, options.tombstones);
      settleErasures(db, options.now());
      await storeSnapshots(db, { sources, crawls, scratch, signal });
      return await mergeEntries(db, options, until);
    },
    giveName,
  );

/** Adds the facts that a merged store lacks. If they cannot be added, nothing has changed, and it returns why. */
async function updateMerged(options: MergeOptions, until: number | undefined): Promise<MergedRows | keyof typeof WHY> {
  const { path, content, tombstones } = options;
  using db = openDatabase(path);
  const merged = readMergedStores(db);
  if (merged.length === 0)
    throw new UsageError(`${path} exists, and was not made by a merge`, { hint: 'Name another file with --db.' });
  const entryOf = new Map(merged.map(({ store, entry }) => [store, entry]));
  if (readShipTargets(db).length > 0)
    throw new UsageError(`${path} ships facts of its own`, { hint: 'Merge into another file, named with --db.' });
  if (content.stores.some((record) => findSnapshot(record) > (entryOf.get(record.store) ?? 0))) return 'snapshot';
  db.$client.exec('begin immediate');
  if (addTombstones(db, tombstones)) {
    db.$client.exec('rollback');
    return 'forgotten';
  }
  const added = content.stores.filter(({ store }) => !entryOf.has(store));
  addStores(
    db,
    added.map(({ store }) => ({ store, from: 0 })),
  );
  try {
    const summary = await mergeEntries(db, options, until);
    db.$client.exec('commit');
    return summary;
  } catch (error) {
    if (!(error instanceof LateFactError)) throw error;
    db.$client.exec('rollback');
    return 'late';
  }
}

/** A fact is older than facts that are merged. */
class LateFactError extends Error {}

const readLastAt = ({ $client }: Db): number =>
  $client.prepare<[], number>('select coalesce(max(recorded_at), 0) from _merged_stores').pluck().get()!;

function addStores({ $client }: Db, sources: readonly Pick<ShippedFacts, 'store' | 'from'>[]): void {
  const insert = $client.prepare('insert into _merged_stores (store, entry, recorded_at) values (?, ?, 0)');
  for (const { store, from } of sources) insert.run(store, from);
}

const PLANS = 'select (select count(*) from panels) + (select count(*) from _scheduled_jobs)';

/** @throws UsageError if a merged store has rows of its own */
function requireNothingElse(db: Db, path: string, why: string): void {
  if (countOwnCrawls(db) + db.$client.prepare<[], number>(PLANS).pluck().get()! === 0) return;
  throw new UsageError(`${path} has crawls, panels or scheduled jobs of its own, and cannot be created again`, {
    hint: `That is necessary because ${why}. Merge into another file, named with --db.`,
  });
}

/** Stores the entries that a store lacks, in a transaction that the caller has begun. @throws LateFactError for the first one */
async function mergeEntries(
  db: Db,
  { content, signal, onProgress }: Pick<MergeOptions, 'content' | 'signal' | 'onProgress'>,
  until: number | undefined,
): Promise<MergedRows> {
  const { stores } = content;
  const { $client } = db;
  const entryOf = new Map(readMergedStores(db).map(({ store, entry }) => [store, entry]));
  const total = stores.reduce((sum, { store, entry }) => sum + entry - entryOf.get(store)!, 0);
  const crawls = prepareCrawlRows(db, prepareCoverage(db));
  const advance = $client.prepare('update _merged_stores set entry = @entry, recorded_at = @at where store = @store');
  const before = readLastAt(db);
  crawls.openGaps(before);
  const entries = await replayEntries(db, {
    sources: stores.map(({ store }) => ({ content, store, from: entryOf.get(store)! + 1 })),
    crawls,
    until,
    signal,
    onProgress: (count) => onProgress(count, total),
    onEntry({ store, entry, at }) {
      // They are in the order of their times.
      if (at < before) throw new LateFactError();
      advance.run({ store, entry, at });
    },
  });
  return { entries, unfinished: crawls.closeGaps(readLastAt(db)), rows: countStoredRows(db) };
}
