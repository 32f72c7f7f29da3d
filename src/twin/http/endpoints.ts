import type { EndpointName } from '../../contract/endpoints.ts';
import * as present from '../queries/present.ts';
import type { TimedRow } from '../queries/tweet-columns.ts';
import { parseSearch } from '../search/search-query.ts';
import { wrapItems } from './body.ts';
import type { RequestContext, EndpointHandler } from './endpoint-handler.ts';

export interface ServedEndpoint {
  readonly handle: EndpointHandler;
  /** The default number of items per page. */
  readonly pageSize: number;
  /** Responses are cached if the twin has a cache for them (spec, endpoint rule 5). */
  readonly isCached?: true;
}

/** Endpoints without a documented cursor, which show only one page. */
const SINGLE_PAGE_SIZE = 100;

/** The handler of each endpoint. The contract has everything else. */
export const servedEndpoints: Readonly<Record<EndpointName, ServedEndpoint>> = {
  'token-info': {
    handle: (_, { key, usage, history }) => present.presentTokenUsage(key, usage(), history()),
    pageSize: 1,
  },
  'user-profile': { handle: userProfile, pageSize: 1 },
  'user-tweets': { handle: userTweets, pageSize: 20 },
  'user-tweets-replies': { handle: userTweetsReplies, pageSize: SINGLE_PAGE_SIZE },
  followers: { handle: people('followers'), pageSize: 50 },
  following: { handle: people('following'), pageSize: 50, isCached: true },
  'tweet-detail': { handle: tweetDetail, pageSize: SINGLE_PAGE_SIZE },
  search: { handle: search, pageSize: 20 },
  'community-tweets': { handle: communityTweets, pageSize: SINGLE_PAGE_SIZE },
  'list-latest-tweets': { handle: listLatestTweets, pageSize: SINGLE_PAGE_SIZE },
};

function userProfile(screenName: string, { queries }: RequestContext) {
  return queries.users.profileOf(screenName);
}

function userTweets(restId: string, context: RequestContext) {
  const { queries, after } = context;
  const user = queries.users.byRestId(restId);
  const rows = user ? queries.timelines.originals(user.id, after, context.pageSize + 1) : [];
  if (!user || (rows.length === 0 && !after)) return undefined;
  const entries = pageOfTweets(rows, present.presentOwnTweet, context);
  return { user: { result: present.presentReference(user) }, timeline: { instructions: [{ entries }] } };
}

function userTweetsReplies(restId: string, context: RequestContext) {
  const { queries, after } = context;
  const user = queries.users.byRestId(restId);
  const rows = user ? queries.timelines.withReplies(user.id, after, context.pageSize + 1) : [];
  if (!user || (rows.length === 0 && !after)) return undefined;
  const entries = pageOfTweets(rows, present.presentTimelineTweet, context);
  return { user: present.presentReference(user), timeline: { instructions: [{ entries }] } };
}

function people(list: 'followers' | 'following'): EndpointHandler {
  return (restId, { queries, pageSize, after, cursor }) => {
    const user = queries.users.byRestId(restId);
    if (!user) return undefined;
    const page = queries.people[list](user.id, after, pageSize);
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

function communityTweets(restId: string, context: RequestContext) {
  const { communities } = context.queries.groups;
  const community = communities.byRestId(restId);
  if (!community) return undefined;
  const rows = communities.latest(community.id, context.after, context.pageSize + 1);
  const entries = pageOfTweets(rows, present.presentAuthoredTweet, context);
  return { community: present.presentGroup(community), tweets: { instructions: [{ entries }] } };
}

function listLatestTweets(restId: string, context: RequestContext) {
  const { lists } = context.queries.groups;
  const list = lists.byRestId(restId);
  if (!list) return undefined;
  const rows = lists.latest(list.id, context.after, context.pageSize + 1);
  return {
    list: present.presentGroup(list),
    tweets: { entries: pageOfTweets(rows, present.presentAuthoredTweet, context) },
  };
}

/** Returns the entries of a page, and the cursor entry if there is a next page and the endpoint has cursors. */
function pageOfTweets<R extends TimedRow, T extends { readonly id: string }>(
  rows: readonly R[],
  toItem: (row: R) => T,
  { pageSize, cursor }: RequestContext,
): object[] {
  const page = pageOf(rows, pageSize);
  const entries: object[] = page.rows.map((row) => present.presentTweetEntry(toItem(row)));
  if (page.next && cursor)
    entries.push(present.presentCursorEntry(page.next.restId, cursor([page.next.createdAt!, page.next.id])));
  return entries;
}

/** Splits rows, of which one more than a page was read, into a page and its last row if there is a next page. */
function pageOf<T>(rows: readonly T[], size: number): { readonly rows: readonly T[]; readonly next: T | undefined } {
  const pageRows = rows.slice(0, size);
  return { rows: pageRows, next: rows.length > size ? pageRows.at(-1) : undefined };
}
