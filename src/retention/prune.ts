import { setTimeout as sleep } from 'node:timers/promises';
import { prepareBodyRemoval } from '../store/erasure/remove-bodies.ts';
import { addRowCounts } from '../store/erasure/remove-tweets.ts';
import type { Db } from '../store/sqlite/database.ts';
import { readBodyTimes } from './body-times.ts';
import { selectBodies } from './prune-bodies.ts';
import { startPruneRecord } from './prune-record.ts';
import type { PruneCounts, PruneOptions, PruneProgress, PruneRequest } from './prune-request.ts';
import { createPruneScope } from './prune-scope.ts';
import { preparePrunedTweets, selectTweets } from './prune-tweets.ts';
import { runInTransaction } from './transaction.ts';

/**
 * Removes what a request selects, and returns what was removed. Each batch is a transaction with its statement in
 * `pruned_ranges`: after a kill, nothing is half removed, and the next prune continues. Bodies go first, so that at no time a
 * rebuild brings back what was removed. Other processes may write meanwhile.
 */
export async function prune(db: Db, request: PruneRequest, options: PruneOptions): Promise<PruneCounts> {
  const { signal, now, onProgress, pauseMs = 0 } = options;
  // Freed parts of pages are overwritten; pages in the write-ahead log and full-text entries by `compactStore`.
  db.$client.pragma('secure_delete = on');
  const record = startPruneRecord(db, request, now());
  const scope = createPruneScope(db, request);
  if (request.scope !== 'bodies') await readBodyTimes(db, { ...options, isPreview: false });
  const removeBodies = prepareBodyRemoval(db);
  const removeTweets = preparePrunedTweets(db);
  let total: PruneCounts = { rows: {}, bodyBytes: 0 };

  /** Removes a batch with its record. */
  async function removeBatch(step: PruneProgress['step'], remove: () => PruneCounts): Promise<void> {
    signal.throwIfAborted();
    runInTransaction(db, () => {
      total = addCounts(total, remove());
      record.update(total);
    });
    const done = Object.values(total.rows).reduce((sum, rows) => sum + rows, 0);
    onProgress?.({ step, done, total: null });
    await sleep(pauseMs);
  }

  for await (const ids of selectBodies(db, request, scope)) {
    if (ids.length === 0) continue;
    await removeBatch('removing bodies', () => {
      const { bodies, bytes } = removeBodies(ids);
      return { rows: { raw_pages: bodies }, bodyBytes: bytes };
    });
  }
  if (request.scope !== 'bodies') {
    for (const ids of selectTweets(db, scope)) {
      await removeBatch('removing tweets', () => ({
        rows: removeTweets(ids, { id: record.id, at: now() }),
        bodyBytes: 0,
      }));
    }
  }
  runInTransaction(db, () => record.finish(now()));
  return total;
}

const addCounts = (a: PruneCounts, b: PruneCounts): PruneCounts => ({
  rows: addRowCounts(a.rows, b.rows),
  bodyBytes: a.bodyBytes + b.bodyBytes,
});
