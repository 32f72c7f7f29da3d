import { createHash } from 'node:crypto';
import type { Db } from '#store/sqlite/database.ts';
import type { OutboxEntry } from './ship-targets.ts';

/**
 * Digests of histories. A database that was restored from a backup, or copied, gives numbers of entries again: the times of
 * these entries tell both histories apart. Facts are left out, since an erasure changes those that wait.
 */
type DatedEntry = Pick<OutboxEntry, 'id' | 'recordedAt' | 'crawlId'>;

/** Returns the digest of a history with one more entry. */
export const extendDigest = (digest: string, { id, recordedAt, crawlId }: DatedEntry): string =>
  createHash('sha256').update(`${digest} ${id} ${recordedAt} ${crawlId}`).digest('hex');

/** Returns the digest of the entries up to `to`, given that up to an earlier one; undefined if this database lacks them. */
export function digestEntries(
  { $client }: Db,
  from: { readonly entry: number; readonly digest: string },
  to: number,
): string | undefined {
  const rows = $client
    .prepare<[number, number], DatedEntry>(
      'select id, recorded_at as recordedAt, crawl_id as crawlId from _ship_outbox where id > ? and id <= ? order by id',
    )
    .iterate(from.entry, to);
  let { entry, digest } = from;
  for (const row of rows) {
    digest = extendDigest(digest, row);
    entry = row.id;
  }
  return entry === to ? digest : undefined;
}
