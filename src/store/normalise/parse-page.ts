import { groupInspector, readIdentity, referenceInspector } from '#service/contract/accepted-resources.ts';
import type { EndpointName } from '#service/contract/endpoints.ts';
import type { Hint } from '#service/contract/envelope.ts';
import type { PageCursor } from '#service/contract/read-cursor.ts';
import { readPage, type ResponseHead, type WirePage } from '#service/contract/wire-page.ts';
import type { PageRows, EdgeList, StagedRows, TweetList, TweetRow, UserRow } from '#store/schema/normalised-rows.ts';
import { clean, createCollector, type Collector } from './collector.ts';
import { normaliseTweet, normaliseProfile, normaliseReference, normaliseSummary } from './normalise-tweets.ts';

/** What a crawl decides by: plain data, without the rows. */
export interface PageSummary extends Omit<NormalisedPage, 'rows'> {
  readonly cursor: PageCursor;
  /** Hints that the list goes on, outside of the places of a cursor. */
  readonly hints: readonly Hint[];
  /** Why the response is incomplete; undefined if nothing says so. */
  readonly incomplete: string | undefined;
  /** The service calls the account of the list unavailable. */
  readonly isUnavailable: boolean;
  /** How many entries of the list were served, rejected ones included. */
  readonly servedCount: number;
  /** The replies that the requested tweet counts; undefined on other pages. */
  readonly replyCount: number | null | undefined;
}

/** A parsed page. Its summary goes to the crawl, its rows to the store. */
export interface ParsedPage {
  readonly summary: PageSummary;
  readonly rows: PageRows;
}

/** The request that a page answers: its endpoint, and the id, handle or query that it names. */
export interface PageRequest {
  readonly endpoint: Exclude<EndpointName, 'token-info'>;
  readonly value: string;
}

/** Parses and normalises the body of a page. @throws ContractError if it is not in the form of the specification */
export function parsePage(body: unknown, { endpoint, value }: PageRequest, head?: ResponseHead): ParsedPage {
  const wire = readPage(endpoint, body, head);
  const { rows, ...page } = normalisers[endpoint](wire, value);
  const { cursor, hints, incomplete, isUnavailable, items, unexpectedEntries } = wire;
  const servedCount = items.length + unexpectedEntries.length;
  const tweet = endpoint === 'tweet-detail' ? rows.tweets.find(({ restId }) => restId === value) : undefined;
  return {
    rows,
    summary: { ...page, cursor, hints, incomplete, isUnavailable, servedCount, replyCount: tweet?.replyCount },
  };
}

/** A text that differs between the summaries of different pages of a list. */
export const fingerprint = ({ cursor, owner, itemIds, servedCount }: PageSummary): string =>
  JSON.stringify([cursor, owner?.restId, servedCount, itemIds.length, itemIds[0], itemIds.at(-1)]);

/** The rows of a page, and what the crawl needs to decide about it. */
export interface NormalisedPage {
  readonly rows: PageRows;
  /** Ids of the accepted items, in the order served. */
  readonly itemIds: readonly string[];
  /** The entries of a list of tweets, in the order served; null for a rejected one. */
  readonly positions: readonly (ListPosition | null)[];
  /** Ids of the accounts that the page lists, or of the authors of its tweets. */
  readonly accounts: readonly string[];
  /** The user whose list the page shows. */
  readonly owner: { readonly restId: string; readonly screenName: string | null } | undefined;
}

/** An item of a list, with its time in milliseconds UTC if it is known. */
export interface ListPosition {
  readonly id: string;
  readonly at: number | null;
}

export { NO_ROWS } from '#store/schema/normalised-rows.ts';

/** The number of rejected items of a page and of the look-ups beside it. */
export const countRejects = (page: {
  readonly rows: PageRows | StagedRows;
  readonly lookups?: readonly { readonly rows: PageRows }[] | undefined;
}): number =>
  [page, ...(page.lookups ?? [])].reduce(
    (sum, { rows }) => sum + ('stagedId' in rows ? rows.rejectedCount : rows.rejects.length),
    0,
  );

/** `target` is the user id, group id or query of the request. */
export type PageNormaliser = (page: WirePage, target: string) => NormalisedPage;

/** Creates a normaliser. It is pure: the same page gives the same rows. */
function normaliser(
  read: (
    collector: Collector,
    page: WirePage,
    target: string,
  ) => {
    items: (string | undefined)[];
    /** The items are accounts, not tweets. */
    areAccounts?: true;
    owner?: UserRow | undefined;
    list?: TweetList | undefined;
  },
): PageNormaliser {
  return (page, target) => {
    const collector = createCollector();
    const { items, areAccounts = false, owner, list } = read(collector, page, target);
    const itemIds = definedIds(items);
    for (const { field, sample } of page.drift) collector.countDrift(field, sample);
    for (const entry of page.unexpectedEntries) collector.reject(entry, '', 'is neither an item nor a cursor');
    return {
      rows: collector.buildRows(list),
      itemIds,
      positions: areAccounts ? [] : positionsOf(items, page, collector.tweets),
      accounts: areAccounts
        ? itemIds
        : [...new Set(collector.tweets.flatMap(({ authorRestId }) => authorRestId ?? []))],
      owner: owner && { restId: owner.restId, screenName: owner.screenName ?? null },
    };
  };
}

function positionsOf(
  items: readonly (string | undefined)[],
  { unexpectedEntries }: WirePage,
  tweets: readonly TweetRow[],
): (ListPosition | null)[] {
  const times = new Map(tweets.map((tweet) => [tweet.restId, tweet.createdAt ?? null]));
  const positions = items.map((id) => (id === undefined ? null : { id, at: times.get(id) ?? null }));
  for (const { position } of unexpectedEntries.toReversed()) positions.splice(position, 0, null);
  return positions;
}

const definedIds = (ids: (string | undefined)[]): string[] => ids.filter((id) => id !== undefined);

/** Stores the owner of the list first. If the service leaves it out, the id of the request is used. */
function ownerOf(collector: Collector, page: WirePage, target: string): UserRow {
  if (page.owner.value != null) normaliseReference(collector, referenceInspector, page.owner, 'page.user');
  if (collector.users.length === 0) collector.users.push({ restId: target, detailLevel: 'reference' });
  return collector.users[0]!;
}

export const normaliseProfilePage = normaliser((collector, page) => {
  const items = [normaliseProfile(collector, page.owner)];
  return { items, areAccounts: true, owner: collector.users[0] };
});

/** Stores the tweets of a list. Pinned tweets are stored, but are no items: their position in the list is unknown. */
function tweetsOf(collector: Collector, { items, pinned }: WirePage, authorRestId?: string): (string | undefined)[] {
  const listed = items.map((item) => normaliseTweet(collector, item, authorRestId));
  for (const item of pinned) normaliseTweet(collector, item, authorRestId, true);
  return listed;
}

/** user-tweets and user-tweets-replies: tweets of the owner, pinned ones included. */
export const normaliseTimelinePage = normaliser((collector, page, target) => {
  const owner = ownerOf(collector, page, target);
  return { items: tweetsOf(collector, page, owner.restId), owner };
});

/**
 * tweet-detail: the tweet and the replies below it, with their authors. Only the position of a reply says which tweet
 * it answers (spec, "Tweet object").
 */
const normaliseTweetPage = normaliser((collector, page) => {
  const tweetId = normaliseTweet(collector, page.owner);
  const replyIds = page.items.map((item) => normaliseTweet(collector, item));
  const replies = [...new Set(definedIds(replyIds))].filter((id) => id !== tweetId);
  return {
    items: [tweetId, ...replyIds],
    list: tweetId !== undefined && replies.length > 0 ? { kind: 'tweet', target: tweetId, tweets: replies } : undefined,
  };
});

/** Stores the tweets of a list that is not an author's, with their authors. */
const listOf = (
  collector: Collector,
  page: WirePage,
  list: Omit<TweetList, 'tweets'>,
): { items: (string | undefined)[]; list: TweetList } => ({
  items: tweetsOf(collector, page),
  list: { ...list, tweets: collector.tweets.map(({ restId }) => restId) },
});

/** community-tweets and list-latest-tweets: the group (spec, "Reference objects"), if it can be read, and its tweets. */
const normaliseGroupPage = (kind: 'community' | 'list') =>
  normaliser((collector, page, target) => {
    const group = page.owner.value == null ? undefined : collector.accept(groupInspector, page.owner);
    const shown = group && {
      target: readIdentity(group),
      name: clean(group.name),
      description: clean(group.description),
    };
    return listOf(collector, page, { kind, target, ...shown });
  });

const normaliseFollowPage = (side: EdgeList['side']) =>
  normaliser((collector, page, target) => {
    const owner = ownerOf(collector, page, target);
    // Users outside of the list may not belong to it.
    for (const item of page.pinned) collector.reject(item, '', 'stands outside of the list');
    const items = page.items.map((item) => normaliseSummary(collector, item));
    collector.follows.push({ owner: owner.restId, side, members: definedIds(items) });
    return { items, areAccounts: true, owner };
  });

export const normaliseFollowersPage = normaliseFollowPage('followers');

export const normaliseSearchPage = normaliser((collector, page, target) =>
  listOf(collector, page, { kind: 'search', target }),
);

export const normalisers: Readonly<Record<Exclude<EndpointName, 'token-info'>, PageNormaliser>> = {
  'user-profile': normaliseProfilePage,
  'user-tweets': normaliseTimelinePage,
  'user-tweets-replies': normaliseTimelinePage,
  followers: normaliseFollowersPage,
  following: normaliseFollowPage('following'),
  'tweet-detail': normaliseTweetPage,
  search: normaliseSearchPage,
  'community-tweets': normaliseGroupPage('community'),
  'list-latest-tweets': normaliseGroupPage('list'),
};
