import { TrawlError } from '#base/errors.ts';
import { parseStoredResponse, prepareStoredResponses, type StoredResponse } from '#store/rebuild/stored-responses.ts';
import type { TweetRow } from '#store/schema/normalised-rows.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { PruneOptions } from './prune-request.ts';
import { runInTransaction } from './prune-transaction.ts';

/** Bodies that are read at once. */
const BATCH_SIZE = 64;

/** Endpoints whose pages show no tweets. */
const WITHOUT_TWEETS: readonly string[] = ['user-profile', 'followers', 'following'];

/** The times of all bodies that were read, those of a preview included: `raw_page_id`, `oldest_tweet_at`. */
export const BODY_TIMES = '(select * from main._raw_page_times union all select * from temp.prune_times)';

/**
 * Reads the bodies that were not read before, and keeps when the oldest tweet of each was written. Of a body that cannot be
 * read, that is the time of its request.
 * @param isPreview keeps the times in memory, so that the file does not change
 */
export async function readBodyTimes(
  db: Db,
  { signal, onProgress, isPreview }: PruneOptions & { readonly isPreview: boolean },
): Promise<void> {
  const { $client } = db;
  $client.exec(`
    drop table if exists temp.prune_times;
    create temp table prune_times (raw_page_id integer primary key, oldest_tweet_at integer)`);
  if (!isPreview) {
    // Bodies that have expired by TRAWL_RAW_DAYS; the newest one stays, so that none of these ids is used again.
    runInTransaction(db, () =>
      $client.exec('delete from main._raw_page_times where raw_page_id < (select min(id) from raw_pages)'),
    );
  }
  const unread = 'from raw_pages where id > coalesce((select max(raw_page_id) from main._raw_page_times), 0)';
  const total = $client.prepare<[], number>(`select count(*) ${unread}`).pluck().get()!;
  if (total === 0) return;
  const next = $client
    .prepare<[number], number>(`select id ${unread} and id > ? order by id limit ${BATCH_SIZE}`)
    .pluck();
  const insert = $client.prepare(
    `insert or ignore into ${isPreview ? 'temp.prune_times' : 'main._raw_page_times'} select id, ? from raw_pages where id = ?`,
  );
  const readResponse = prepareStoredResponses(db);
  const timeOf = prepareTweetTimes(db);
  let done = 0;
  for (let ids = next.all(0); ids.length > 0; ids = next.all(ids.at(-1)!)) {
    signal.throwIfAborted();
    const responses = await Promise.all(ids.map((id) => readResponse(id)));
    const times = responses.flatMap((response) =>
      response === undefined ? [] : [[findOldest(response, timeOf), response.id] as const],
    );
    const keep = (): void => {
      for (const [oldestAt, id] of times) insert.run(oldestAt, id);
    };
    if (isPreview) keep();
    else runInTransaction(db, keep);
    done += ids.length;
    onProgress?.({ step: 'reading bodies', done, total });
  }
}

/** Returns the tweets that a body shows, or undefined if it cannot be read. */
export function parseTweets(response: StoredResponse): readonly TweetRow[] | undefined {
  if (WITHOUT_TWEETS.includes(response.endpoint) || response.status === 404) return [];
  try {
    return parseStoredResponse(response).rows.tweets;
  } catch (error) {
    if (error instanceof TrawlError) return undefined;
    throw error;
  }
}

function findOldest(response: StoredResponse, timeOf: TweetTimes): number | null {
  const tweets = parseTweets(response);
  if (tweets === undefined) return response.fetchedAt;
  const times = tweets.map((tweet) => timeOf(tweet, response.fetchedAt));
  return times.length === 0 ? null : Math.min(...times);
}

type TweetTimes = (tweet: TweetRow, seenAt: number) => number;

/**
 * Prepares reading by which time the age of a shown tweet counts: when it was written, on the page or as it is stored, or
 * when it was first seen if that is unknown.
 */
export function prepareTweetTimes({ $client }: Db): TweetTimes {
  const stored = $client
    .prepare<[string], number>('select coalesce(created_at, first_seen_at) from tweets where rest_id = ?')
    .pluck();
  return ({ restId, createdAt }, seenAt) => Math.min(createdAt ?? seenAt, stored.get(restId) ?? seenAt);
}
