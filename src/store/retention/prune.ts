import { setTimeout as sleep, setImmediate as nextTurn } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { prepareBodyRemoval } from '../erasure/remove-bodies.ts';
import { addRowCounts, type RowCounts, countTweetRows } from '../erasure/remove-tweets.ts';
import { prunes } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { readBodyTimes } from './body-times.ts';
import { prepareAccountRemoval } from './prune-accounts.ts';
import { selectBodies, measureBodies } from './prune-bodies.ts';
import { prepareEdgeRemoval, countEdges } from './prune-edges.ts';
import type { PruneCounts, PruneOptions, PruneProgress, PruneRequest } from './prune-request.ts';
import { createPruneScope } from './prune-scope.ts';
import { runInTransaction } from './prune-transaction.ts';
import { prepareAuthorKeys, preparePrunedTweets, selectTweets } from './prune-tweets.ts';

/** What a batch has removed. */
interface RemovedBatch {
  readonly rows: RowCounts;
  readonly bodyBytes?: number;
}

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
  const accounts = request.scope === 'job' ? prepareAccountRemoval(db, scope.limit) : undefined;
  const findAuthors = prepareAuthorKeys(db);
  let total: PruneCounts = { rows: {}, bodyBytes: 0 };
  const stamp = () => ({ id: record.id, at: now() });
  const removeAccounts = (userIds: readonly number[]): RowCounts => accounts?.removeUnused(userIds, stamp()) ?? {};

  function removeTweetsAndAuthors(ids: readonly number[]): RowCounts {
    const authors = accounts === undefined ? [] : findAuthors(ids);
    return addRowCounts(removeTweets(ids, stamp()), removeAccounts(authors));
  }

  /** Removes a batch with its record. */
  async function removeBatch(step: PruneProgress['step'], remove: () => RemovedBatch): Promise<void> {
    signal.throwIfAborted();
    runInTransaction(db, () => {
      const { rows, bodyBytes = 0 } = remove();
      total = { rows: addRowCounts(total.rows, rows), bodyBytes: total.bodyBytes + bodyBytes };
      record.update(total);
    });
    const done = Object.values(total.rows).reduce((sum, rows) => sum + rows, 0);
    onProgress?.({ step, done, total: null });
    await sleep(pauseMs);
  }

  /** Accounts are removed with the last row that refers to them. */
  async function pruneEdgesAndAccounts(): Promise<void> {
    const edges = prepareEdgeRemoval(db, scope.limit);
    await removeBatch('removing edges', () => ({ rows: edges.removeSnapshots(stamp()) }));
    for (const table of ['follows', 'follow_history'] as const) {
      for (let isLast = false; !isLast;) {
        await removeBatch('removing edges', () => {
          const removed = edges.removeEdges(table, stamp());
          isLast = removed === undefined;
          return { rows: removed ? addRowCounts(removed.rows, removeAccounts(removed.userIds)) : {} };
        });
      }
    }
    for (let ids = accounts!.nextTargets(0); ids.length > 0; ids = accounts!.nextTargets(ids.at(-1)!))
      await removeBatch('removing accounts', () => ({ rows: removeAccounts(ids) }));
  }

  for await (const ids of selectBodies(db, request, scope)) {
    if (ids.length === 0) continue;
    await removeBatch('removing bodies', () => {
      const { bodies, bytes } = removeBodies(ids);
      return { rows: { raw_pages: bodies }, bodyBytes: bytes };
    });
  }
  if (request.scope !== 'bodies') {
    for (const ids of selectTweets(db, scope))
      await removeBatch('removing tweets', () => ({ rows: removeTweetsAndAuthors(ids) }));
  }
  if (request.scope === 'job') await pruneEdgesAndAccounts();
  runInTransaction(db, () => record.finish(now()));
  return total;
}

/** What a prune would remove. */
export interface PrunePreview extends PruneCounts {
  /** For a job, the number of tweets of its lists that stay, since other crawls show them, too. */
  readonly sharedTweets: number | undefined;
}

/** Counts what a request would remove. The file does not change: the connection may be read-only. */
export async function previewPrune(db: Db, request: PruneRequest, options: PruneOptions): Promise<PrunePreview> {
  const scope = createPruneScope(db, request);
  const hasTweets = request.scope !== 'bodies';
  if (hasTweets) await readBodyTimes(db, { ...options, isPreview: true });
  const { bodies, bytes } = await measureBodies(db, selectBodies(db, request, scope));
  if (!hasTweets) return { rows: countBodies(bodies), bodyBytes: bytes, sharedTweets: undefined };
  db.$client.exec('drop table if exists temp.prune_tweets; create temp table prune_tweets (id integer primary key)');
  const select = db.$client.prepare('insert into temp.prune_tweets select value from json_each(?)');
  for (const ids of selectTweets(db, scope)) {
    options.signal.throwIfAborted();
    select.run(JSON.stringify(ids));
    await nextTurn();
  }
  const { sharedTweets: shared, limit } = scope;
  return {
    rows: [
      countTweetRows(db, 'select id from temp.prune_tweets'),
      request.scope === 'job' ? countEdges(db, limit) : {},
    ].reduce(addRowCounts, countBodies(bodies)),
    bodyBytes: bytes,
    sharedTweets: shared === undefined ? undefined : countSelected(selectTweets(db, { limit, tweets: shared })),
  };
}

const countBodies = (bodies: number): RowCounts => (bodies === 0 ? {} : { raw_pages: bodies });

function countSelected(batches: Iterable<readonly number[]>): number {
  let count = 0;
  for (const ids of batches) count += ids.length;
  return count;
}

/** The row of `_prunes` of a prune. Its methods run inside the caller's transaction. */
export interface PruneRecord {
  readonly id: number;
  update(removed: PruneCounts): void;
  finish(at: number): void;
}

/** Records the start of a prune. */
function startPruneRecord(db: Db, request: PruneRequest, at: number): PruneRecord {
  const { scope, jobName = null, olderThan, isRetention = false } = request;
  const row = { scope, jobName, olderThan, isRetention, startedAt: at };
  const { id } = runInTransaction(db, () => db.insert(prunes).values(row).returning({ id: prunes.id }).get());
  const isThis = eq(prunes.id, id);
  return {
    id,
    update({ rows, bodyBytes }) {
      db.update(prunes)
        .set({ removed: JSON.stringify(rows), bodyBytes })
        .where(isThis)
        .run();
    },
    finish(finishedAt) {
      db.update(prunes).set({ finishedAt }).where(isThis).run();
    },
  };
}
