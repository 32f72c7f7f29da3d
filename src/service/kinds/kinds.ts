import { DAY, MINUTE } from '#base/clock.ts';
import type { EndpointName } from '#service/contract/endpoints.ts';

/** How long the learned capabilities of an endpoint are trusted: services change. */
export const CAPABILITY_MAX_AGE = 7 * DAY;
/** After this, an endpoint that ignored cursors is asked again by one crawl. */
export const IGNORED_CURSORS_MAX_AGE = 60 * MINUTE;

/** A snowball does not fetch a profile again that is younger than this. */
export const PROFILE_MAX_AGE = 15 * MINUTE;

export type TargetType = 'account' | 'tweet' | 'community' | 'list' | 'query';

/** A kind of crawl. Everything that differs between kinds is a column. */
export interface Kind {
  readonly endpoint: Exclude<EndpointName, 'token-info'>;
  /** The type of its target; target.ts has the forms. */
  readonly targetType: TargetType;
  /** How requests name the target: by an account's handle or id, or by itself. */
  readonly idForm: 'handle' | 'id' | 'text';
  /** What the endpoint shows: one object, a list with or without a documented cursor, or an object with such a list. */
  readonly shape: 'object' | 'paged list' | 'unpaged list' | 'object with unpaged list';
  /** Newest first: `--since` can stop it, and intervals can be covered. */
  readonly isNewestFirst?: true;
  /** A 404 means that the target does not exist or that its list is empty (spec, Errors). */
  readonly mayBeEmpty?: true;
  readonly supportedOptions: readonly ('maxPages' | 'since' | 'fullRefresh' | 'recheck' | 'window')[];
  /** Its bit in `tweets.seen_in_lists`, of lists of an account's own tweets: what they lack may be deleted. */
  readonly listFlag?: 1 | 2;
  /** A backfill searches for what its list does not show. */
  readonly isSearchedInBackfill?: true;
  /** The side of the relation `follows` that its list shows. */
  readonly edgeSide?: 'followers' | 'following';
  /** Its items are other accounts, from which a snowball continues. */
  readonly discoversAccounts?: true;
  /** A snowball requests it only for accounts whose profile was not seen lately. */
  readonly isSkippedIfFresh?: true;
  /** The service may answer from a cache (spec, Endpoint rules 5): equal bytes may be one answer. */
  readonly isCached?: true;
  /** The column of the profile that counts the items: an upper bound of what is found. */
  readonly countColumn?: 'statusesCount' | 'followersCount' | 'followingCount';
  /**
   * That column may count what the list never shows: the number of tweets may include replies, and a timeline has original
   * tweets only (spec, Endpoint rules 2). The stored part of the list is not compared with it.
   */
  readonly isCountedWithOthers?: true;
  /** The most requests that one page costs, account look-ups included. */
  readonly maxRequestsPerPage: number;
  /** The plural name of its items, for messages. */
  readonly itemName: string;
  /** The names of its lists, for messages: before a target, and without one. */
  readonly listName: readonly [of: string, any: string];
  readonly summary: string;
}

/** The options of a crawl. An absent one means no limit. */
export interface CrawlOptions {
  readonly maxPages?: number | undefined;
  /** Milliseconds UTC: the crawl stops at older items. */
  readonly since?: number | undefined;
  /** A window of a search, in whole days: milliseconds UTC, without its end. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The window is searched without the day before it: see crawl/search/date-windows.ts. */
  readonly exact?: true | undefined;
  /** Reads the whole list again, covered intervals included. */
  readonly fullRefresh?: true | undefined;
  /** False: does not re-check missing tweets. */
  readonly recheck?: false | undefined;
  /** Re-checks what is stored: a 404 for the target is an answer, not a failure. */
  readonly isRecheck?: true | undefined;
  /** A snowball: crawls of these kinds for every discovered account. */
  readonly then?: readonly string[] | undefined;
  /** The number of generations; 1 if absent. */
  readonly depth?: number | undefined;
  /** The maximum number of accounts. */
  readonly maxTargets?: number | undefined;
  /** `maxPages` of the children. */
  readonly thenMaxPages?: number | undefined;
}

const rows = {
  profile: {
    endpoint: 'user-profile',
    targetType: 'account',
    idForm: 'handle',
    shape: 'object',
    supportedOptions: [],
    isSkippedIfFresh: true,
    maxRequestsPerPage: 3,
    itemName: 'profiles',
    listName: ['the profile of', 'profiles'],
    summary: 'the full profile of an account',
  },
  timeline: {
    endpoint: 'user-tweets',
    targetType: 'account',
    idForm: 'id',
    shape: 'paged list',
    isNewestFirst: true,
    mayBeEmpty: true,
    supportedOptions: ['maxPages', 'since', 'fullRefresh', 'recheck'],
    listFlag: 1,
    isSearchedInBackfill: true,
    countColumn: 'statusesCount',
    isCountedWithOthers: true,
    maxRequestsPerPage: 4,
    itemName: 'tweets',
    listName: ['the timeline of', 'timelines'],
    summary: "an account's original tweets, newest first",
  },
  replies: {
    endpoint: 'user-tweets-replies',
    targetType: 'account',
    idForm: 'id',
    shape: 'unpaged list',
    isNewestFirst: true,
    mayBeEmpty: true,
    supportedOptions: ['maxPages', 'since', 'fullRefresh', 'recheck'],
    listFlag: 2,
    countColumn: 'statusesCount',
    maxRequestsPerPage: 4,
    itemName: 'tweets',
    listName: ['the tweets and replies of', 'tweets and replies of accounts'],
    summary: "an account's original tweets and replies, newest first",
  },
  followers: {
    endpoint: 'followers',
    targetType: 'account',
    idForm: 'id',
    shape: 'paged list',
    supportedOptions: ['maxPages'],
    edgeSide: 'followers',
    countColumn: 'followersCount',
    discoversAccounts: true,
    maxRequestsPerPage: 3,
    itemName: 'followers',
    listName: ['the followers of', 'followers of accounts'],
    summary: 'the followers of an account',
  },
  following: {
    endpoint: 'following',
    targetType: 'account',
    idForm: 'id',
    shape: 'paged list',
    supportedOptions: ['maxPages'],
    edgeSide: 'following',
    isCached: true,
    countColumn: 'followingCount',
    discoversAccounts: true,
    maxRequestsPerPage: 3,
    itemName: 'accounts',
    listName: ['the accounts followed by', 'accounts followed by others'],
    summary: 'the accounts that an account follows',
  },
  tweet: {
    endpoint: 'tweet-detail',
    targetType: 'tweet',
    idForm: 'text',
    shape: 'object with unpaged list',
    supportedOptions: [],
    maxRequestsPerPage: 1,
    itemName: 'tweets',
    listName: ['the replies to the tweet', 'replies to tweets'],
    summary: 'one tweet with its author, media and replies',
  },
  community: {
    endpoint: 'community-tweets',
    targetType: 'community',
    idForm: 'text',
    shape: 'unpaged list',
    isNewestFirst: true,
    supportedOptions: ['maxPages', 'since', 'fullRefresh'],
    maxRequestsPerPage: 1,
    itemName: 'tweets',
    listName: ['the tweets of the community', 'tweets of communities'],
    summary: "a community's tweets, newest first",
  },
  list: {
    endpoint: 'list-latest-tweets',
    targetType: 'list',
    idForm: 'text',
    shape: 'unpaged list',
    supportedOptions: ['maxPages'],
    maxRequestsPerPage: 1,
    itemName: 'tweets',
    listName: ['the tweets of the list', 'tweets of lists'],
    summary: 'the latest tweets of a public list',
  },
  search: {
    endpoint: 'search',
    targetType: 'query',
    idForm: 'text',
    shape: 'unpaged list',
    supportedOptions: ['maxPages', 'window'],
    maxRequestsPerPage: 1,
    itemName: 'tweets',
    listName: ['the search', 'searches'],
    summary: 'tweets that match a search string',
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof rows;

/** Kinds of crawls whose lists show tweets that may be of any author: each has a relation (store/relations/list-relations.ts). */
export type TweetListKind = {
  [K in KindName]: (typeof rows)[K] extends { listFlag: number } | { edgeSide: string } | { shape: 'object' }
    ? never
    : K;
}[KindName];

export const KIND_NAMES = Object.keys(rows) as KindName[];

export const kindTable: Readonly<Record<KindName, Kind>> = rows;

/** The row of the kind that a stored crawl names. */
export const getKind = (name: string): Kind => kindTable[name as KindName];

/** Kinds of crawls that read a list of tweets. */
export const TWEET_KINDS = KIND_NAMES.filter((name) => !kindTable[name].edgeSide && kindTable[name].shape !== 'object');

/** Whether a crawl stops at complete intervals. A snowball reads the whole list: it is for the accounts on the pages. */
export const isIncremental = (kind: Kind, { fullRefresh, then }: CrawlOptions): boolean =>
  kind.isNewestFirst === true && !fullRefresh && !then;

export const isKind = (name: string): name is KindName => Object.hasOwn(rows, name);
