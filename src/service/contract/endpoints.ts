import Type, { type TSchema } from 'typebox';
import {
  AuthoredTweet,
  CursorEntry,
  CursorObject,
  createDetailedTweetSchema,
  entry,
  Group,
  NestedReply,
  OwnTweet,
  SearchMetadata,
  TimelineTweet,
  TokenUsage,
  UserProfile,
  UserReference,
  UserSummary,
} from './resources.ts';

/**
 * The ten endpoints (spec, Endpoints). The client builds requests from this table, `wire-page.ts` parses responses by it
 * and the twin builds its routes from it.
 */

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
}

export interface Layout {
  readonly owner: string;
  /** Path of the object that holds `instructions`, or `entries` if `flat`. */
  readonly timeline: string;
  readonly flat: boolean;
  /** The list may be missing, which means that it is empty. */
  readonly optional?: true;
  readonly item: 'tweet' | 'user';
}

export interface Endpoint {
  /** The last segment of the path; the name of the endpoint in logs, rows and request_history. */
  readonly name: EndpointName;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly data: TSchema;
  /** Absent if `data` is one object and not a list. */
  readonly layout?: Layout;
  /**
   * The cursor form that the spec documents: an entry at the end of the list, an object beside the entries, or none.
   */
  readonly cursor: 'entry' | 'object' | 'none';
  /** What 404 means; absent if the spec does not list it. */
  readonly notFound?: string;
  /** Whether a request counts against the quota. */
  readonly metered: boolean;
}

/** The statuses that mean the same at every endpoint (spec, Errors). */
export const STATUS_MEANINGS = {
  400: 'A required parameter is missing.',
  401: 'The API key is invalid or missing.',
  500: 'Internal server error.',
} as const;

export const API_KEY_HEADER = 'X-API-Key';

const required = (name: string): Parameter => ({ name, required: true });
const userId = required('restId');

export const cursorParameter = {
  name: 'cursor',
  required: false,
} as const satisfies Parameter;

const anyOf = (schemas: readonly TSchema[]): TSchema => (schemas.length > 1 ? Type.Union([...schemas]) : schemas[0]!);
const entries = (...schemas: TSchema[]) => Type.Object({ entries: Type.Array(anyOf(schemas)) });
const instructions = (...schemas: TSchema[]) => Type.Object({ instructions: Type.Array(entries(...schemas)) });
const userTimeline = Type.Object({
  timeline: Type.Object({
    instructions: Type.Array(
      Type.Object({ entries: Type.Array(entry({ user: UserSummary })), cursor: Type.Optional(CursorObject) }),
    ),
  }),
});

type EndpointRow = Omit<Endpoint, 'name' | 'path' | 'metered'> & { readonly metered?: false };

/** In the extended table, every list of tweets has the cursor of user-tweets. */
const DOCUMENTED = {
  cursor: 'none' as 'entry' | 'none',
  cursorParameters: [] as Parameter[],
  cursorEntries: [] as TSchema[],
};
const EXTENDED: typeof DOCUMENTED = {
  cursor: 'entry',
  cursorParameters: [cursorParameter],
  cursorEntries: [CursorEntry],
};

/** The rows of the spec's table: those of the key and of accounts. */
const createAccountRows = ({ cursor, cursorParameters, cursorEntries }: typeof DOCUMENTED) =>
  ({
    'token-info': {
      parameters: [],
      data: TokenUsage,
      cursor: 'none',
      metered: false,
    },
    'user-profile': {
      parameters: [required('screenName')],
      data: UserProfile,
      cursor: 'none',
      notFound: 'The user does not exist.',
    },
    'user-tweets': {
      parameters: [userId, cursorParameter],
      data: Type.Object({
        user: Type.Object({ result: UserReference }),
        timeline: instructions(entry({ tweet: OwnTweet }), CursorEntry),
      }),
      layout: { owner: 'user.result', timeline: 'timeline', flat: false, item: 'tweet' },
      cursor: 'entry',
      notFound: 'The user does not exist or has no tweets.',
    },
    'user-tweets-replies': {
      parameters: [userId, ...cursorParameters],
      data: Type.Object({
        user: UserReference,
        timeline: instructions(entry({ tweet: TimelineTweet }), ...cursorEntries),
      }),
      layout: { owner: 'user', timeline: 'timeline', flat: false, item: 'tweet' },
      cursor,
      notFound: 'The user does not exist or has no tweets.',
    },
    followers: {
      parameters: [userId],
      data: Type.Object({ user: UserReference, followers: userTimeline }),
      layout: { owner: 'user', timeline: 'followers.timeline', flat: false, item: 'user' },
      cursor: 'object',
      notFound: 'The user does not exist.',
    },
    following: {
      parameters: [userId],
      data: Type.Object({ user: UserReference, following: userTimeline }),
      layout: { owner: 'user', timeline: 'following.timeline', flat: false, item: 'user' },
      cursor: 'object',
      notFound: 'The user does not exist.',
    },
  }) satisfies Record<string, EndpointRow>;

/** Those of tweets, and of lists that belong to no account. */
function createTweetRows({ cursor, cursorParameters, cursorEntries }: typeof DOCUMENTED) {
  const authored = [entry({ tweet: AuthoredTweet }), ...cursorEntries];
  return {
    'tweet-detail': {
      parameters: [required('restId'), ...cursorParameters],
      data: Type.Object({ tweet: createDetailedTweetSchema(anyOf([entry({ tweet: NestedReply }), ...cursorEntries])) }),
      layout: { owner: 'tweet', timeline: 'tweet.replies', flat: true, optional: true, item: 'tweet' },
      cursor,
      notFound: 'The tweet does not exist or was deleted.',
    },
    search: {
      parameters: [required('rawQuery'), ...cursorParameters],
      data: Type.Object({ search_metadata: SearchMetadata, timeline: instructions(...authored) }),
      layout: { owner: 'search_metadata', timeline: 'timeline', flat: false, item: 'tweet' },
      cursor,
    },
    'community-tweets': {
      parameters: [required('communityId'), ...cursorParameters],
      data: Type.Object({ community: Group, tweets: instructions(...authored) }),
      layout: { owner: 'community', timeline: 'tweets', flat: false, item: 'tweet' },
      cursor,
      notFound: 'The community does not exist or the caller has no access.',
    },
    'list-latest-tweets': {
      parameters: [required('listId'), ...cursorParameters],
      data: Type.Object({ list: Group, tweets: entries(...authored) }),
      layout: { owner: 'list', timeline: 'tweets', flat: true, item: 'tweet' },
      cursor,
      notFound: 'The list does not exist or is not public.',
    },
  } satisfies Record<string, EndpointRow>;
}

export type EndpointName = keyof (ReturnType<typeof createAccountRows> & ReturnType<typeof createTweetRows>);

function createTable(extension: typeof DOCUMENTED) {
  const rows: Record<string, EndpointRow> = { ...createAccountRows(extension), ...createTweetRows(extension) };
  const table = Object.entries(rows).map(([name, row]) => [
    name,
    { metered: true, ...row, name, path: `/api/microblog/${name}` },
  ]);
  return Object.fromEntries(table) as Readonly<Record<EndpointName, Endpoint>>;
}

export const endpointTable = createTable(DOCUMENTED);

/** The name of the parameter that names the target of a request, of each endpoint. */
export const targetParameters = Object.fromEntries(
  Object.entries(endpointTable).map(([name, { parameters }]) => [name, parameters[0]?.name]),
) as Readonly<Record<Exclude<EndpointName, 'token-info'>, string>>;

/** The twin's extension: every list of tweets has cursors. */
export const extendedTable = createTable(EXTENDED);
