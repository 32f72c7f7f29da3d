import { toIso } from '#base/units.ts';
import type {
  Author,
  AuthoredTweet,
  CursorEntry,
  DetailedAuthor,
  DetailedTweet,
  Group,
  Media,
  NestedReply,
  OwnTweet,
  SizedMedia,
  TimelineTweet,
  UserReference,
} from '#service/contract/resources.ts';
import type { ReplyRow } from './conversation-queries.ts';
import type { ServedGroup } from './list-queries.ts';
import type { ServedUser } from './profile-queries.ts';
import type { TimelineRow } from './timeline-queries.ts';
import type { AuthoredRow, AuthorRow, ServedMedia, ServedTweet } from './tweet-columns.ts';

/**
 * Converts rows to the spec's objects, with the fields that the spec shows.
 *
 * Clients rely on every field having its type. An unknown value is served as the neutral value of its type: empty text,
 * 0, false, and 1970 for a time. An identity has no neutral value: an unknown author, or user of a reply, is left out.
 * The most frequent objects are written by the database: `follow-queries.ts`, `profile-queries.ts`.
 */
const toText = (value: string | null): string => value ?? '';
const toCount = (value: number | null): number => value ?? 0;
const toTime = (value: number | null): string => toIso(value ?? 0);

export const presentReference = (user: ServedUser): UserReference => ({
  id: user.restId,
  rest_id: user.restId,
  name: toText(user.name),
  screen_name: toText(user.screenName),
});

const toMedia = (media: ServedMedia): Media => ({ type: toText(media.type), url: toText(media.url) });
const toSizedMedia = (media: ServedMedia): SizedMedia => ({
  ...toMedia(media),
  width: toCount(media.width),
  height: toCount(media.height),
});

const toTweet = (row: ServedTweet): Omit<OwnTweet, 'has_media'> => ({
  id: row.restId,
  text: toText(row.text),
  created_at: toTime(row.createdAt),
  favorite_count: toCount(row.favoriteCount),
  retweet_count: toCount(row.retweetCount),
  reply_count: toCount(row.replyCount),
  quote_count: toCount(row.quoteCount),
  media: row.media.map(toMedia),
});

/** A tweet of user-tweets, which shows the author above the list. */
export const presentOwnTweet = (row: ServedTweet): OwnTweet => ({
  ...toTweet(row),
  has_media: row.hasMedia ?? row.media.length > 0,
});

/** A tweet of user-tweets-replies; a reply has the fields of the tweet that it answers. */
export const presentTimelineTweet = (row: TimelineRow): TimelineTweet =>
  row.replyTarget === null
    ? toTweet(row)
    : {
        ...toTweet(row),
        ...(row.replyTarget.tweet !== null && { in_reply_to_status_id: row.replyTarget.tweet }),
        ...(row.replyTarget.user !== null && { in_reply_to_user_id: row.replyTarget.user }),
        in_reply_to_screen_name: toText(row.replyTarget.screenName),
      };

/** A tweet of search, community-tweets or list-latest-tweets. */
export const presentAuthoredTweet = (row: AuthoredRow): AuthoredTweet => ({
  ...toTweet(row),
  ...(row.author && { author: toAuthor(row.author) }),
});

/** The tweet of tweet-detail, with the entries of the replies below it. */
export const presentDetailedTweet = <E>(
  row: AuthoredRow,
  replies: readonly E[],
): Omit<DetailedTweet, 'replies'> & { readonly replies: { readonly entries: readonly E[] } } => ({
  ...toTweet(row),
  rest_id: row.restId,
  media: row.media.map(toSizedMedia),
  ...(row.author && { author: toDetailedAuthor(row.author) }),
  replies: { entries: replies },
});

export const presentNestedReply = (row: ReplyRow): NestedReply => ({
  id: row.restId,
  text: toText(row.text),
  created_at: toTime(row.createdAt),
  author: toDetailedAuthor(row.author),
});

const toAuthor = (user: AuthorRow): Author => ({
  id: user.restId,
  name: toText(user.name),
  screen_name: toText(user.screenName),
});

const toDetailedAuthor = (user: AuthorRow): DetailedAuthor => ({
  ...toAuthor(user),
  rest_id: user.restId,
  profile_image_url: toText(user.profileImageUrl),
});

export const presentGroup = (row: ServedGroup): Group => ({
  id: row.restId,
  name: toText(row.name),
  description: toText(row.description),
});

export const presentTweetEntry = <T extends { readonly id: string }>(item: T) => ({
  entryId: `tweet-${item.id}`,
  sortIndex: item.id,
  content: { tweet: item },
});

/** The cursor entry after the item with this id (spec, "Cursor entry"). */
export const presentCursorEntry = (lastId: string, value: string): CursorEntry => ({
  entryId: `cursor-bottom-${lastId}`,
  sortIndex: lastId,
  content: { entryType: 'TimelineTimelineCursor', __typename: 'TimelineTimelineCursor', value, cursorType: 'Bottom' },
});

/** The cursor beside a list (spec, "Cursor object"). */
export const presentCursorObject = (value: string) => ({ value, cursorType: 'Bottom' as const });
