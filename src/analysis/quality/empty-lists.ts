import type { Db } from '#store/sqlite/database.ts';

/** A list of an account that was once crawled and empty, with its last such crawl. Later crawls may have found items. */
export interface EmptyList {
  readonly kind: string;
  readonly crawlId: number;
  readonly finishedAt: number;
}

/** The lists of an account that were once crawled and empty, by kind. */
export const findEmptyLists = ({ $client }: Db, restId: string): EmptyList[] =>
  $client
    .prepare<[string], EmptyList>(
      // SQLite takes the id from the row with the maximum.
      `select kind, id as crawlId, max(finished_at) as finishedAt from crawls indexed by crawls_no_tweets
       where target_rest_id = ? and reason = 'no_tweets' and state = 'complete' group by kind order by kind`,
    )
    .all(restId);
