import { prepareStepBodies } from '../erasure/remove-bodies.ts';
import { prepareStoredResponses } from '../rebuild/stored-responses.ts';
import type { Db } from '../sqlite/database.ts';
import { BODY_TIMES, parseTweets, prepareTweetTimes } from './body-times.ts';
import type { PruneRequest } from './prune-request.ts';
import type { PruneScope } from './prune-scope.ts';

/** Bodies that are removed in one transaction. */
const BATCH_SIZE = 32;

/** Yields the ids of the bodies that a request removes, in batches. `readBodyTimes` must have run. */
export async function* selectBodies(
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
export async function measureBodies(
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
