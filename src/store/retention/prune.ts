import { setTimeout as sleep, setImmediate as nextTurn } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { prepareBodyRemoval, prepareStepBodies } from '#store/erasure/remove-bodies.ts';
import { addRowCounts, type RowCounts, countTweetRows } from '#store/erasure/remove-rows.ts';
import { prepareStoredResponses } from '#store/rebuild/stored-responses.ts';
import { prunes } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { readBodyTimes, BODY_TIMES, parseTweets, prepareTweetTimes } from './body-times.ts';
import { prepareAccountRemoval } from './prune-accounts.ts';
import { prepareEdgeRemoval, countEdges } from './prune-edges.ts';
import type { PruneCounts, PruneOptions, PruneProgress, PruneRequest } from './prune-request.ts';
import { createPruneScope, type PruneScope } from './prune-scope.ts';
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

/** Bodies that are removed in one transaction. */
const BATCH_SIZE = 32;

/** Yields the ids of the bodies that a request removes, in batches. `readBodyTimes` must have run. */
async function* selectBodies(
  db: Db,
  { scope, accountRestIds }: PruneRequest,
  { limit, bodies }: PruneScope,
): AsyncGenerator<readonly number[], void> {
  const showsOldTweet = `r.id in (select raw_page_id from ${BODY_TIMES} where oldest_tweet_at < :limit)`;
  const conditions = {
    bodies: `r.fetched_at < :limit and ${bodies}`,
    // A search or a tweet may show tweets of an account that it does not belong to.
    tweets: `${showsOldTweet} and ${accountRestIds === undefined ? bodies : 'true'}`,
    job: `(r.fetched_at < :limit or ${showsOldTweet}) and ${bodies}`,
  };
  const next = db.$client
    .prepare<[object], number>(
      `select r.id from raw_pages r where r.id > :after and ${conditions[scope]} order by r.id limit ${BATCH_SIZE}`,
    )
    .pluck();
  const showsAccount = scope === 'tweets' && accountRestIds !== undefined ? prepareAuthors(db, limit) : undefined;
  for (let ids = next.all({ limit, after: 0 }); ids.length > 0; ids = next.all({ limit, after: ids.at(-1)! })) {
    if (showsAccount === undefined) {
      yield ids;
      continue;
    }
    const shown = await Promise.all(ids.map(async (id) => ((await showsAccount(id)) ? [id] : [])));
    yield shown.flat();
  }
}

/** Prepares reading whether a body shows an old tweet of the accounts of the request, or cannot be read. */
function prepareAuthors(db: Db, limit: number): (id: number) => Promise<boolean> {
  const readResponse = prepareStoredResponses(db);
  const timeOf = prepareTweetTimes(db);
  const isAccount = db.$client.prepare<[string]>('select 1 from temp.prune_accounts where rest_id = ?');
  return async (id) => {
    const response = await readResponse(id);
    if (response === undefined) return false;
    const tweets = parseTweets(response);
    return (
      tweets === undefined ||
      tweets.some(
        (tweet) =>
          timeOf(tweet, response.fetchedAt) < limit &&
          (tweet.authorRestId == null || isAccount.get(tweet.authorRestId) !== undefined),
      )
    );
  };
}

/** Counts the bodies of a selection with the others of their steps, which are removed with them, and their bytes. */
async function measureBodies(
  { $client }: Db,
  selected: AsyncIterable<readonly number[]>,
): Promise<{ bodies: number; bytes: number }> {
  const bodiesOfStep = prepareStepBodies($client);
  const size = $client.prepare<[number], number>('select length(body) from raw_pages where id = ?').pluck();
  const counted = new Set<number>();
  let bytes = 0;
  for await (const ids of selected) {
    for (const each of ids) {
      const { from, to } = bodiesOfStep(each);
      for (let id = from; id <= to; id++) {
        const length = counted.has(id) ? undefined : size.get(id);
        if (length === undefined) continue;
        counted.add(id);
        bytes += length;
      }
    }
  }
  return { bodies: counted.size, bytes };
}
