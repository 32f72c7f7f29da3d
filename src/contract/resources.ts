import Type, { type Static, type TObject, type TProperties } from 'typebox';

/**
 * The spec's resources, field by field (spec, "Resources and their fields"), as the service documents them: what the
 * twin serves. What the client must accept is looser; see `observed.ts`.
 */

const text = Type.String();
const integer = Type.Integer();
const boolean = Type.Boolean();
/** ISO 8601, UTC, milliseconds. */
const timestamp = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' });
const url = Type.String();

/** A resource: its own properties and no others, all required but those named optional. */
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

export const Media = resource({
  type: text,
  url,
  width: Type.Optional(integer),
  height: Type.Optional(integer),
});
export type Media = Static<typeof Media>;

export const Author = resource({
  id: text,
  name: text,
  screen_name: text,
  rest_id: Type.Optional(text),
  profile_image_url: Type.Optional(url),
});
export type Author = Static<typeof Author>;

const tweetCore = { id: text, text, created_at: timestamp };

/** A reply nested in tweet-detail. */
export const NestedReply = resource({ ...tweetCore, author: Author });
export type NestedReply = Static<typeof NestedReply>;

export const Tweet = resource({
  ...tweetCore,
  rest_id: Type.Optional(text),
  favorite_count: integer,
  retweet_count: integer,
  reply_count: integer,
  quote_count: integer,
  has_media: Type.Optional(boolean),
  media: Type.Optional(Type.Array(Media)),
  author: Type.Optional(Author),
  replies: Type.Optional(
    Type.Object({ entries: Type.Array(Type.Object({ content: Type.Object({ tweet: NestedReply }) })) }),
  ),
  in_reply_to_status_id: Type.Optional(text),
  in_reply_to_user_id: Type.Optional(text),
  in_reply_to_screen_name: Type.Optional(text),
});
export type Tweet = Static<typeof Tweet>;

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

/** A community or a list: both are shown by the same three fields. */
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
