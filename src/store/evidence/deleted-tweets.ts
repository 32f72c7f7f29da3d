import { sql } from 'drizzle-orm';

/** Whether the tweet of the outer query is known to be deleted (404), and was not seen later (`v_deleted_tweets`). */
export const IS_DELETED = `exists (select 1 from _deletion_evidence
  where tweet_id = tweets.id and confirmed_at is not null and suspected_at > tweets.last_seen_at)`;

export const isDeleted = sql.raw(IS_DELETED);

export const isNotDeleted = sql`not ${isDeleted}`;
