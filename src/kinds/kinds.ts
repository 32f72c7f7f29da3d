import type { EndpointName } from '../contract/endpoints.ts';

export type TargetType = 'account' | 'tweet' | 'community' | 'list' | 'query';

/** What can be crawled. Everything that differs from kind to kind is a column here. */
export interface Kind {
  readonly endpoint: Exclude<EndpointName, 'token-info'>;
  /** What people name; see target.ts for how. */
  readonly targetType: TargetType;
  /** The parameter that carries it, and in which form: an account's handle or id, or the target itself. */
  readonly parameter: string;
  readonly idForm: 'handle' | 'id' | 'text';
  /** Newest first, so that `--since` can stop it and an interval of it can be covered. */
  readonly isNewestFirst: boolean;
  /** What 404 says about the target: it does not exist, or perhaps it only has nothing to show (spec, Errors). */
  readonly notFound: 'missing' | 'missing or empty';
  readonly supportedOptions: readonly ('maxPages' | 'since' | 'full' | 'noVerify' | 'window')[];
  /** Its items are other accounts, so that a snowball can roll on from them. */
  readonly discoversAccounts?: true;
  /** The service may answer from a cache (spec, Endpoint rules 5): equal bytes may be one answer. */
  readonly isCached?: true;
  /** The profile's own count of the items, where there is one: what to expect at most, not what to find. */
  readonly countColumn?: 'statusesCount' | 'followersCount' | 'followingCount';
  /** The most requests that one step sends, with every look-up of a handle or an account that may be needed. */
  readonly maxRequestsPerPage: number;
  /** What one item is called, for people. */
  readonly itemName: string;
  readonly summary: string;
}

/** What a user may limit a crawl to. Absent means no limit. */
export interface CrawlOptions {
  readonly maxPages?: number | undefined;
  /** Milliseconds UTC: items older than this are not wanted. */
  readonly since?: number | undefined;
  /** A window of a search, in whole days: milliseconds UTC, the end left out. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The window is searched without the day before it: see windows.ts. */
  readonly exact?: true | undefined;
  /** Walk the whole list, also what is known complete of it: to see it as it is now. */
  readonly full?: true | undefined;
  /** Do not ask after tweets that are missing from the list. */
  readonly noVerify?: true | undefined;
  /** Asked by the crawl of a list that misses the tweet: 404 is an answer, not a failure. */
  readonly verify?: true | undefined;
  /** A snowball: crawls of these kinds for every account that the crawl leads to. */
  readonly andThen?: readonly string[] | undefined;
  /** How many generations of them; 1 where absent. */
  readonly depth?: number | undefined;
  /** How many accounts at most. */
  readonly maxTargets?: number | undefined;
  /** `maxPages` of the children. */
  readonly thenMaxPages?: number | undefined;
}

const rows = {
  profile: {
    endpoint: 'user-profile',
    targetType: 'account',
    parameter: 'screenName',
    idForm: 'handle',
    isNewestFirst: false,
    notFound: 'missing',
    supportedOptions: [],
    maxRequestsPerPage: 3,
    itemName: 'profiles',
    summary: 'the full profile of an account',
  },
  timeline: {
    endpoint: 'user-tweets',
    targetType: 'account',
    parameter: 'restId',
    idForm: 'id',
    isNewestFirst: true,
    notFound: 'missing or empty',
    supportedOptions: ['maxPages', 'since', 'full', 'noVerify'],
    countColumn: 'statusesCount',
    maxRequestsPerPage: 4,
    itemName: 'tweets',
    summary: "an account's original tweets, newest first",
  },
  replies: {
    endpoint: 'user-tweets-replies',
    targetType: 'account',
    parameter: 'restId',
    idForm: 'id',
    isNewestFirst: true,
    notFound: 'missing or empty',
    supportedOptions: ['maxPages', 'since', 'full', 'noVerify'],
    countColumn: 'statusesCount',
    maxRequestsPerPage: 4,
    itemName: 'tweets',
    summary: "an account's original tweets and replies, newest first",
  },
  followers: {
    endpoint: 'followers',
    targetType: 'account',
    parameter: 'restId',
    idForm: 'id',
    isNewestFirst: false,
    notFound: 'missing',
    supportedOptions: ['maxPages'],
    countColumn: 'followersCount',
    discoversAccounts: true,
    maxRequestsPerPage: 2,
    itemName: 'followers',
    summary: 'who follows an account',
  },
  following: {
    endpoint: 'following',
    targetType: 'account',
    parameter: 'restId',
    idForm: 'id',
    isNewestFirst: false,
    notFound: 'missing',
    supportedOptions: ['maxPages'],
    isCached: true,
    countColumn: 'followingCount',
    discoversAccounts: true,
    maxRequestsPerPage: 2,
    itemName: 'accounts',
    summary: 'whom an account follows',
  },
  tweet: {
    endpoint: 'tweet-detail',
    targetType: 'tweet',
    parameter: 'restId',
    idForm: 'text',
    isNewestFirst: false,
    notFound: 'missing',
    supportedOptions: [],
    maxRequestsPerPage: 1,
    itemName: 'tweets',
    summary: 'one tweet with its author, media and replies',
  },
  community: {
    endpoint: 'community-tweets',
    targetType: 'community',
    parameter: 'communityId',
    idForm: 'text',
    isNewestFirst: true,
    notFound: 'missing',
    supportedOptions: ['maxPages', 'since', 'full'],
    maxRequestsPerPage: 1,
    itemName: 'tweets',
    summary: "a community's tweets, newest first",
  },
  list: {
    endpoint: 'list-latest-tweets',
    targetType: 'list',
    parameter: 'listId',
    idForm: 'text',
    isNewestFirst: false,
    notFound: 'missing',
    supportedOptions: ['maxPages'],
    maxRequestsPerPage: 1,
    itemName: 'tweets',
    summary: 'the latest tweets of a public list',
  },
  search: {
    endpoint: 'search',
    targetType: 'query',
    parameter: 'rawQuery',
    idForm: 'text',
    isNewestFirst: false,
    notFound: 'missing',
    supportedOptions: ['maxPages', 'window'],
    maxRequestsPerPage: 1,
    itemName: 'tweets',
    summary: 'tweets that match a search string',
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof rows;
export const KIND_NAMES = Object.keys(rows) as KindName[];

export const kindTable: Readonly<Record<KindName, Kind>> = rows;

export const isKind = (name: string): name is KindName => Object.hasOwn(rows, name);
