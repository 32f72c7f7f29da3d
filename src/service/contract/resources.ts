import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';

/**
 * The spec's resources, field by field (spec, "Resources and their fields"), as the twin serves them. `accepted-resources.ts` has
 * the looser forms that a client accepts.
 */

const text = Type.String();
const integer = Type.Integer();
const boolean = Type.Boolean();
/** ISO 8601, UTC, milliseconds. */
const timestamp = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' });
const url = Type.String();

/** A resource has exactly these properties; all are required unless marked optional. */
const resource = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false });

export const UserProfile = resource({
  type: text,
  userName: text,
  url,
  id: text,
  name: text,
  isBlueVerified: boolean,
  profilePicture: url,
  coverPicture: url,
  description: text,
  location: text,
  followers: integer,
  following: integer,
  canDm: boolean,
  createdAt: timestamp,
  favouritesCount: integer,
  hasCustomTimelines: boolean,
  isTranslator: boolean,
  mediaCount: integer,
  statusesCount: integer,
});
export type UserProfile = Static<typeof UserProfile>;

export const Media = resource({ type: text, url });
export type Media = Static<typeof Media>;

export const SizedMedia = resource({ ...Media.properties, width: integer, height: integer });
export type SizedMedia = Static<typeof SizedMedia>;

export const Author = resource({ id: text, name: text, screen_name: text });
export type Author = Static<typeof Author>;

/** In tweet-detail. */
export const DetailedAuthor = resource({ ...Author.properties, rest_id: text, profile_image_url: url });
export type DetailedAuthor = Static<typeof DetailedAuthor>;

export const entry = <T extends TProperties>(content: T) =>
  Type.Object({ entryId: text, sortIndex: text, content: Type.Object(content) });

const briefTweet = { id: text, text, created_at: timestamp };

/** A reply nested in tweet-detail; its author is always known. */
export const NestedReply = resource({ ...briefTweet, author: DetailedAuthor });
export type NestedReply = Static<typeof NestedReply>;

const tweet = {
  ...briefTweet,
  favorite_count: integer,
  retweet_count: integer,
  reply_count: integer,
  quote_count: integer,
  media: Type.Array(Media),
};

export const OwnTweet = resource({ ...tweet, has_media: boolean });
export type OwnTweet = Static<typeof OwnTweet>;

/** A tweet of user-tweets-replies; the optional fields describe the tweet that it answers. */
export const TimelineTweet = resource({
  ...tweet,
  in_reply_to_status_id: Type.Optional(text),
  in_reply_to_user_id: Type.Optional(text),
  in_reply_to_screen_name: Type.Optional(text),
});
export type TimelineTweet = Static<typeof TimelineTweet>;

/** A tweet of search, community-tweets or list-latest-tweets. */
export const AuthoredTweet = resource({ ...tweet, author: Type.Optional(Author) });
export type AuthoredTweet = Static<typeof AuthoredTweet>;

/** The tweet of tweet-detail, with replies as entries of this shape. */
export const createDetailedTweetSchema = <T extends TSchema>(reply: T) =>
  resource({
    ...tweet,
    rest_id: text,
    media: Type.Array(SizedMedia),
    author: Type.Optional(DetailedAuthor),
    replies: Type.Object({ entries: Type.Array(reply) }),
  });
export const DetailedTweet = createDetailedTweetSchema(entry({ tweet: NestedReply }));
export type DetailedTweet = Static<typeof DetailedTweet>;

/** All fields of a tweet at any endpoint. */
export const Tweet = resource({
  ...OwnTweet.properties,
  ...TimelineTweet.properties,
  ...DetailedTweet.properties,
});

export const UserSummary = resource({
  id: text,
  rest_id: text,
  name: text,
  screen_name: text,
  profile_image_url: url,
  description: text,
  followers_count: integer,
  following_count: integer,
  verified: boolean,
});
export type UserSummary = Static<typeof UserSummary>;

export const UserReference = resource({ id: text, rest_id: text, name: text, screen_name: text });
export type UserReference = Static<typeof UserReference>;

/** A community or a list; both have these fields. */
export const Group = resource({ id: text, name: text, description: text });
export type Group = Static<typeof Group>;

export const SearchMetadata = resource({ query: text, count: integer });

/** The last item of user-tweets' entries (spec, "Cursor entry"). */
export const CursorEntry = Type.Object({
  entryId: Type.String({ pattern: '^cursor-bottom-' }),
  sortIndex: text,
  content: Type.Object({
    entryType: Type.Literal('TimelineTimelineCursor'),
    __typename: Type.Literal('TimelineTimelineCursor'),
    value: text,
    cursorType: Type.Literal('Bottom'),
  }),
});
export type CursorEntry = Static<typeof CursorEntry>;

/** Next to `entries` in followers and following (spec, "Cursor object"). */
export const CursorObject = Type.Object({ value: text, cursorType: Type.Literal('Bottom') });

export const TokenUsage = Type.Object({
  token_type: text,
  app_limit: integer,
  remaining: integer,
  reset_at: timestamp,
  account: Type.Object({ app_id: text, app_name: text, organization: text }),
  request_history: Type.Array(Type.Object({ endpoint: text, timestamp, status: text })),
});
export type TokenUsage = Static<typeof TokenUsage>;
