import { sql } from 'drizzle-orm';
import { tweets, users } from '../../store/schema/tables.ts';

export interface ServedMedia {
  readonly type: string | null;
  readonly url: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** What every read of tweets selects. The media come along as JSON: one statement per page, whatever it holds. */
export const tweetColumns = {
  id: tweets.id,
  restId: tweets.restId,
  text: tweets.text,
  createdAt: tweets.createdAt,
  favoriteCount: tweets.favoriteCount,
  retweetCount: tweets.retweetCount,
  replyCount: tweets.replyCount,
  quoteCount: tweets.quoteCount,
  hasMedia: tweets.hasMedia,
  media: sql`(select json_group_array(
      json_object('type', type, 'url', url, 'width', width, 'height', height) order by position)
    from media where tweet_id = tweets.id)`.mapWith((json: string) => JSON.parse(json) as ServedMedia[]),
};

export type ServedTweet = Pick<typeof tweets.$inferSelect, Exclude<keyof typeof tweetColumns, 'media'>> & {
  readonly media: readonly ServedMedia[];
};

/** What is shown of an author, from a join of `users`. */
export const authorColumns = {
  restId: users.restId,
  name: users.name,
  screenName: users.screenName,
  profileImageUrl: users.profileImageUrl,
};

export type AuthorRow = Pick<typeof users.$inferSelect, keyof typeof authorColumns>;

/** The service did not say that it is gone (404), or the tweet was seen since (`v_absent_tweets`). */
export const isNotDeleted = sql.raw(`not exists (select 1 from absences
  where tweet_id = tweets.id and confirmed_at is not null and suspected_at > tweets.seen_at)`);

/** For lists of tweets by many hands. */
export const authoredColumns = { ...tweetColumns, author: authorColumns };

/** A tweet and its author; null when the author was never seen. */
export type AuthoredRow = ServedTweet & { readonly author: AuthorRow | null };

/** What puts a tweet at its place in a list by time. */
export type TimedRow = Pick<ServedTweet, 'id' | 'restId' | 'createdAt'>;
