import { createHash } from 'node:crypto';
import { TrawlError } from '#base/errors.ts';
import type { Db } from '#store/sqlite/database.ts';

/** A target of shipping, with what waits for it. */
export interface ShipTarget {
  readonly id: number;
  readonly address: string;
  readonly addedAt: number;
  readonly maxBacklogBytes: number;
  /** The last entry that the target has; null before its snapshot. */
  readonly shippedEntry: number | null;
  readonly shippedAt: number | null;
  /** The digest of that entry; of the snapshot while it is shipped. */
  readonly shippedDigest: string | null;
  /** The entries that wait, their bytes, and since when they or the snapshot wait; null if nothing does. */
  readonly waitingEntries: number;
  readonly waitingBytes: number;
  readonly waitingSince: number | null;
}

/** Entries are numbered without holes and deleted from the oldest one on: nothing needs to be counted. */
const TARGETS = `
  select t.id, t.address, t.added_at as addedAt, t.max_backlog_bytes as maxBacklogBytes,
    t.shipped_entry as shippedEntry, t.shipped_at as shippedAt, t.shipped_digest as shippedDigest,
    coalesce(e.last - max(coalesce(t.shipped_entry, 0), e.first - 1), 0) as waitingEntries,
    max(0, coalesce((select total_bytes from _ship_outbox where id = e.last), t.shipped_bytes) - t.shipped_bytes) as waitingBytes,
    iif(t.shipped_entry is null, t.added_at,
      (select recorded_at from _ship_outbox where id > t.shipped_entry order by id limit 1)) as waitingSince
  from _ship_targets t, (select (select min(id) from _ship_outbox) as first, (select max(id) from _ship_outbox) as last) e
  order by t.id`;

/** Returns all targets, in the order in which they were added. */
export const readShipTargets = ({ $client }: Db): ShipTarget[] => $client.prepare<[], ShipTarget>(TARGETS).all();

/** Returns a target. @throws TrawlError if it was removed */
export function readShipTarget(db: Db, id: number): ShipTarget {
  const target = readShipTargets(db).find((each) => each.id === id);
  if (!target) throw new TrawlError('the target was removed while facts were shipped there');
  return target;
}

/** A backlog that has reached its maximum. */
export interface FullShipBacklog {
  readonly address: string;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** Prepares the check of the backlogs, which reads one row for each target and the latest entry. */
export function prepareFullBacklog({ $client }: Db): () => FullShipBacklog | undefined {
  const find = $client.prepare<[], FullShipBacklog>(`
    select t.address, e.total_bytes - t.shipped_bytes as bytes, t.max_backlog_bytes as maxBytes
    from _ship_targets t join (select total_bytes from _ship_outbox order by id desc limit 1) e
    where e.total_bytes - t.shipped_bytes >= t.max_backlog_bytes`);
  return () => find.get();
}

export interface NewShipTarget {
  readonly address: string;
  readonly at: number;
  /** Without it, that of the target stays; 10 GB for a new one. */
  readonly maxBacklogBytes?: number | undefined;
}

/** The limit of a backlog if nobody sets one. */
const DEFAULT_BACKLOG_BYTES = 10e9;

/** Adds a target, or changes one. Returns whether it is new. */
export function addShipTarget({ $client }: Db, target: NewShipTarget): boolean {
  const values = { ...target, maxBacklogBytes: target.maxBacklogBytes ?? null };
  return $client.transaction(() => {
    const change = $client.prepare(
      `update _ship_targets set max_backlog_bytes = coalesce(@maxBacklogBytes, max_backlog_bytes)
       where address = @address`,
    );
    if (change.run(values).changes > 0) return false;
    $client
      .prepare(
        `insert into _ship_targets (address, added_at, max_backlog_bytes, shipped_bytes)
         values (@address, @at, coalesce(@maxBacklogBytes, ${DEFAULT_BACKLOG_BYTES}),
           coalesce((select total_bytes from _ship_outbox order by id desc limit 1),
             (select max(shipped_bytes) from _ship_targets), 0))`,
      )
      .run(values);
    return true;
  })();
}

/** Removes a target, and the entries that waited only for it. Returns whether there was one. */
export const removeShipTarget = ({ $client }: Db, address: string): boolean =>
  $client.transaction(() => {
    const { changes } = $client.prepare('delete from _ship_targets where address = ?').run(address);
    releaseEntries($client);
    return changes > 0;
  })();

/** Records the digest of a snapshot, before the target gets it. */
export const recordSnapshot = ({ $client }: Db, id: number, digest: string): void =>
  void $client.prepare('update _ship_targets set shipped_digest = ? where id = ?').run(digest, id);

/** Records that a target has all entries up to one, and deletes those that no target needs. @param digest of the last one */
export const recordShipped = (
  { $client }: Db,
  id: number,
  { entry, digest, at }: { readonly entry: number; readonly digest: string | undefined; readonly at: number },
): void =>
  $client.transaction(() => {
    $client
      .prepare(
        `update _ship_targets set shipped_entry = @entry, shipped_at = @at, shipped_digest = @digest,
           shipped_bytes = coalesce((select total_bytes from _ship_outbox where id <= @entry order by id desc limit 1), shipped_bytes)
         where id = @id`,
      )
      .run({ id, entry, at, digest: digest ?? null });
    releaseEntries($client);
  })();

/** A target without its snapshot needs no entry from before it. */
function releaseEntries(client: Db['$client']): void {
  client.exec(`delete from _ship_outbox where not exists (select 1 from _ship_targets where shipped_entry is null)
    and id <= coalesce((select min(shipped_entry) from _ship_targets), 9e15)`);
}

/** An entry of the outbox. */
export interface OutboxEntry {
  readonly id: number;
  readonly recordedAt: number;
  readonly crawlId: number | null;
  readonly facts: string;
}

/** Returns some entries after one, in order. */
export const readEntries = ({ $client }: Db, after: number, count: number): OutboxEntry[] =>
  $client
    .prepare<[number, number], OutboxEntry>(
      'select id, recorded_at as recordedAt, crawl_id as crawlId, facts from _ship_outbox where id > ? order by id limit ?',
    )
    .all(after, count);

/**
 * Returns the digest of an entry. A database that was restored from a backup, or copied, gives numbers of entries again: the times of
 * these entries tell both histories apart. Facts are left out, since an erasure changes those that wait.
 */
export const digestEntry = ({ id, recordedAt, crawlId }: OutboxEntry): string =>
  createHash('sha256').update(`${id} ${recordedAt} ${crawlId}`).digest('hex');

/** Returns the number of the latest entry, shipped or not; 0 before the first. */
export const readLastEntry = ({ $client }: Db): number =>
  $client
    .prepare<[], number>("select coalesce((select seq from sqlite_sequence where name = '_ship_outbox'), 0)")
    .pluck()
    .get()!;

/** Lets new entries begin after one that was shipped before. */
export const startEntriesAfter = (db: Db, entry: number): void =>
  db.$client
    .transaction(() => {
      const next = Math.max(entry, readLastEntry(db));
      db.$client.prepare("delete from sqlite_sequence where name = '_ship_outbox'").run();
      db.$client.prepare("insert into sqlite_sequence (name, seq) values ('_ship_outbox', ?)").run(next);
    })
    // It reads before it writes: a page that commits in between would make it fail.
    .immediate();
