import { setImmediate as nextTurn } from 'node:timers/promises';
import { addRowCounts, countTweetRows, type RowCounts } from '../erasure/remove-tweets.ts';
import type { Db } from '../sqlite/database.ts';
import { readBodyTimes } from './body-times.ts';
import { measureBodies, selectBodies } from './prune-bodies.ts';
import { countEdges } from './prune-edges.ts';
import type { PruneCounts, PruneOptions, PruneRequest } from './prune-request.ts';
import { createPruneScope } from './prune-scope.ts';
import { selectTweets } from './prune-tweets.ts';

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
