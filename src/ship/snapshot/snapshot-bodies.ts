import { decompressBody } from '../../raw-bodies.ts';
import type { RawPage } from '../../store/schema/messages.ts';
import type { NewSnapshot } from './write-snapshot.ts';

/** Writes the bodies that a store still has as facts of one entry. */
export async function writeSnapshotBodies({ db, batch, store, entry, signal }: NewSnapshot): Promise<void> {
  const select = db.$client.prepare<[], RawPage & { readonly crawlId: number }>(
    `select crawl_id as crawlId, fetched_at as fetchedAt, endpoint, parameters, status, headers, hash, encoding, body
     from raw_pages order by id`,
  );
  let number = 0;
  for (const page of select.iterate()) {
    const { crawlId, fetchedAt, endpoint, parameters, status, headers, hash } = page;
    const fact = [fetchedAt, number, endpoint, parameters, status, headers, hash, await decompressBody(page)];
    await batch.add('bodies', [store, entry, crawlId], [fact]);
    number += 1;
    signal.throwIfAborted();
  }
}
