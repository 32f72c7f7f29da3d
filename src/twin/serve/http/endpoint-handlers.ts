import { parseSearch } from '#analysis/find/search-query.ts';
import { toIso } from '#base/units.ts';
import type { EndpointName } from '#service/contract/endpoints.ts';
import type { Group, TokenUsage, UserReference } from '#service/contract/resources.ts';
import * as present from '#twin/serve/queries/response-objects.ts';
import type { TimelineRow } from '#twin/serve/queries/timeline-queries.ts';
import type { TimedRow } from '#twin/serve/queries/tweet-columns.ts';
import { type ResponseData, wrapItems } from './encode-body.ts';
import type { EndpointHandler, RequestContext, TwinQueries } from './twin-queries.ts';

interface ServedEndpoint {
  readonly handle: EndpointHandler;
  /** The default number of items per page. */
  readonly pageSize: number;
  /** Responses are cached if the twin has a cache for them (spec, endpoint rule 5). */
  readonly isCached?: true;
}

/** Endpoints without a documented cursor, which show only one page. */
const SINGLE_PAGE_SIZE = 100;

/** A handler with several statements, which must read the same state of the store. */
const inSnapshot =
  (handle: EndpointHandler): EndpointHandler =>
  (target, context) =>
    context.queries.readSnapshot(() => handle(target, context));

/** The handler of each endpoint. The contract has everything else. */
export const servedEndpoints: Readonly<Record<EndpointName, ServedEndpoint>> = {
  'token-info': { handle: tokenInfo, pageSize: 1 },
  'user-profile': { handle: userProfile, pageSize: 1 },
  'user-tweets': {
    handle: inSnapshot(userTimeline('originals', present.presentOwnTweet, (result) => ({ result }))),
    pageSize: 20,
  },
  'user-tweets-replies': {
    handle: inSnapshot(userTimeline('withReplies', present.presentTimelineTweet, (user) => user)),
    pageSize: SINGLE_PAGE_SIZE,
  },
  followers: { handle: inSnapshot(followPage('followers')), pageSize: 50 },
  following: { handle: inSnapshot(followPage('following')), pageSize: 50, isCached: true },
  'tweet-detail': { handle: inSnapshot(tweetDetail), pageSize: SINGLE_PAGE_SIZE },
  search: { handle: inSnapshot(search), pageSize: 20 },
  'community-tweets': {
    handle: inSnapshot(
      groupTweets('community', (community, entries) => ({
        community,
        tweets: { instructions: [{ entries }] },
      })),
    ),
    pageSize: SINGLE_PAGE_SIZE,
  },
  'list-latest-tweets': {
    handle: inSnapshot(groupTweets('list', (list, entries) => ({ list, tweets: { entries } }))),
    pageSize: SINGLE_PAGE_SIZE,
  },
};

function tokenInfo(_: string, { key, usage, history }: RequestContext): TokenUsage {
  const { remaining, resetAt } = usage();
  return {
    token_type: 'app',
    app_limit: key.limit,
    remaining,
    reset_at: toIso(resetAt),
    account: { app_id: key.prefix, app_name: key.name, organization: 'trawl' },
    request_history: history().map(({ endpoint, at, status }) => ({
      endpoint,
      timestamp: toIso(at),
      status: String(status),
    })),
  };
}

function userProfile(screenName: string, { queries }: RequestContext): ResponseData | undefined {
  const profile = queries.profiles.profileOf(screenName);
  return profile && [profile];
}

function userTimeline<T extends { readonly id: string }>(
  list: keyof TwinQueries['timelines'],
  toItem: (row: TimelineRow) => T,
  toOwner: (user: UserReference) => object,
): EndpointHandler {
  return (restId, context) => {
    const { queries, after, pageSize } = context;
    const user = queries.profiles.byRestId(restId);
    const rows = user ? queries.timelines[list](user.id, after, pageSize + 1) : [];
    if (!user || (rows.length === 0 && !after)) return undefined;
    const entries = pageOfTweets(rows, toItem, context);
    return { user: toOwner(present.presentReference(user)), timeline: { instructions: [{ entries }] } };
  };
}

function followPage(list: 'followers' | 'following'): EndpointHandler {
  return (restId, { queries, pageSize, after, cursor }) => {
    const user = queries.profiles.byRestId(restId);
    if (!user) return undefined;
    const page = queries.follows[list](user.id, after, pageSize);
    return wrapItems(page.entries, (entries) => {
      const instruction =
        page.next && cursor ? { entries, cursor: present.presentCursorObject(cursor(page.next)) } : { entries };
      return { user: present.presentReference(user), [list]: { timeline: { instructions: [instruction] } } };
    });
  };
}

function tweetDetail(restId: string, context: RequestContext) {
  const { queries, after } = context;
  const tweet = queries.conversations.tweet(restId);
  if (!tweet) return undefined;
  const replies = queries.conversations.replies(tweet, after, context.pageSize + 1);
  return { tweet: present.presentDetailedTweet(tweet, pageOfTweets(replies, present.presentNestedReply, context)) };
}

function search(rawQuery: string, { queries, pageSize, after, cursor }: RequestContext) {
  const { rows, next } = queries.search(parseSearch(rawQuery), after, pageSize);
  const entries: object[] = rows.map((row) => present.presentTweetEntry(present.presentAuthoredTweet(row)));
  if (next && cursor) entries.push(present.presentCursorEntry(rows.at(-1)!.restId, cursor(next)));
  return { search_metadata: { query: rawQuery, count: rows.length }, timeline: { instructions: [{ entries }] } };
}

function groupTweets(
  kind: keyof TwinQueries['groups'],
  toData: (group: Group, entries: readonly object[]) => object,
): EndpointHandler {
  return (restId, context) => {
    const group = context.queries.groups[kind](restId);
    return group && toData(present.presentGroup(group), pageOfList(kind, group.id, context));
  };
}

/** Returns the entries of a page of a list that its owner, by its key, shows newest first. */
function pageOfList(kind: keyof TwinQueries['tweetLists'], ownerId: number, context: RequestContext): object[] {
  const rows = context.queries.tweetLists[kind](ownerId, context.after, context.pageSize + 1);
  return pageOfTweets(rows, present.presentAuthoredTweet, context);
}

/**
 * Returns the entries of a page, and the cursor entry if there is a next page and the endpoint has cursors. `rows` has
 * one row more than the page if there is a next page.
 */
function pageOfTweets<R extends TimedRow, T extends { readonly id: string }>(
  rows: readonly R[],
  toItem: (row: R) => T,
  { pageSize, cursor }: RequestContext,
): object[] {
  const page = rows.slice(0, pageSize);
  const entries: object[] = page.map((row) => present.presentTweetEntry(toItem(row)));
  const last = rows.length > pageSize ? page.at(-1) : undefined;
  if (last && cursor) entries.push(present.presentCursorEntry(last.restId, cursor([last.createdAt!, last.id])));
  return entries;
}
