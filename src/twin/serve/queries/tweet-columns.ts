import { sql } from 'drizzle-orm';
import { type media, tweets, users } from '#store/schema/tables.ts';

export type ServedMedia = Pick<typeof media.$inferSelect, 'type' | 'url' | 'width' | 'height'>;

/** The columns of every query of tweets. Media are JSON, so that a page is one statement. */
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

export const authorColumns = {
  restId: users.restId,
  name: users.name,
  screenName: users.screenName,
  profileImageUrl: users.profileImageUrl,
};

export type AuthorRow = Pick<typeof users.$inferSelect, keyof typeof authorColumns>;

export const authoredColumns = { ...tweetColumns, author: authorColumns };

/** A tweet with its author; null if the author is unknown. */
export type AuthoredRow = ServedTweet & { readonly author: AuthorRow | null };

/** The sort key of a tweet in a list by time. */
export type TimedRow = Pick<ServedTweet, 'id' | 'restId' | 'createdAt'>;
