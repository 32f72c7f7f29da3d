import type { EndpointName } from '../../contract/endpoints.ts';
import * as present from '../queries/present.ts';
import type { TimedRow } from '../queries/tweet-columns.ts';
import { parseSearch } from '../search/search-query.ts';
import { withItems } from './body.ts';
import type { Context, Handler } from './handler.ts';

export interface Served {
  readonly handle: Handler;
  /** Items on a page, where the twin is not told otherwise. */
  readonly pageSize: number;
  /** Its answers are cached where the twin has a cache for them (spec, endpoint rule 5). */
  readonly isCached?: true;
}

/** These have no documented cursor and, unlike a search, no window to narrow: nobody sees more than this one page. */
const ONLY_PAGE = 100;

/** How the twin answers, by endpoint. Everything else about an endpoint stands in the contract. */
export const served: Readonly<Record<EndpointName, Served>> = {
  'token-info': { handle: (_, { key, usage, history }) => present.tokenUsage(key, usage(), history()), pageSize: 1 },
  'user-profile': { handle: userProfile, pageSize: 1 },
  'user-tweets': { handle: userTweets, pageSize: 20 },
  'user-tweets-replies': { handle: userTweetsReplies, pageSize: ONLY_PAGE },
  followers: { handle: people('followers'), pageSize: 50 },
  following: { handle: people('following'), pageSize: 50, isCached: true },
  'tweet-detail': { handle: tweetDetail, pageSize: ONLY_PAGE },
  search: { handle: search, pageSize: 20 },
  'community-tweets': { handle: communityTweets, pageSize: ONLY_PAGE },
  'list-latest-tweets': { handle: listLatestTweets, pageSize: ONLY_PAGE },
};

function userProfile(screenName: string, { reads }: Context) {
  return reads.users.profileOf(screenName);
}

function userTweets(restId: string, context: Context) {
  const { reads, after } = context;
  const user = reads.users.byRestId(restId);
  const rows = user ? reads.timelines.originals(user.id, after, context.pageSize + 1) : [];
  if (!user || (rows.length === 0 && !after)) return undefined;
  const entries = pageOfTweets(rows, present.ownTweet, context);
  return { user: { result: present.reference(user) }, timeline: { instructions: [{ entries }] } };
}

function userTweetsReplies(restId: string, context: Context) {
  const { reads, after } = context;
  const user = reads.users.byRestId(restId);
  const rows = user ? reads.timelines.withReplies(user.id, after, context.pageSize + 1) : [];
  if (!user || (rows.length === 0 && !after)) return undefined;
  const entries = pageOfTweets(rows, present.timelineTweet, context);
  return { user: present.reference(user), timeline: { instructions: [{ entries }] } };
}

function people(list: 'followers' | 'following'): Handler {
  return (restId, { reads, pageSize, after, cursor }) => {
    const user = reads.users.byRestId(restId);
    if (!user) return undefined;
    const page = reads.people[list](user.id, after, pageSize);
    return withItems(page.entries, (entries) => {
      const instruction =
        page.next && cursor ? { entries, cursor: present.cursorObject(cursor(page.next)) } : { entries };
      return { user: present.reference(user), [list]: { timeline: { instructions: [instruction] } } };
    });
  };
}

function tweetDetail(restId: string, context: Context) {
  const { reads, after } = context;
  const tweet = reads.conversations.tweet(restId);
  if (!tweet) return undefined;
  const replies = reads.conversations.replies(tweet, after, context.pageSize + 1);
  return { tweet: present.detailedTweet(tweet, pageOfTweets(replies, present.nestedReply, context)) };
}

function search(rawQuery: string, { reads, pageSize, after, cursor }: Context) {
  const { rows, next } = reads.search(parseSearch(rawQuery), after, pageSize);
  const entries: object[] = rows.map((row) => present.tweetEntry(present.authoredTweet(row)));
  if (next && cursor) entries.push(present.cursorEntry(rows.at(-1)!.restId, cursor(next)));
  return { search_metadata: { query: rawQuery, count: rows.length }, timeline: { instructions: [{ entries }] } };
}

function communityTweets(restId: string, context: Context) {
  const { communities } = context.reads.groups;
  const community = communities.byRestId(restId);
  if (!community) return undefined;
  const rows = communities.latest(community.id, context.after, context.pageSize + 1);
  const entries = pageOfTweets(rows, present.authoredTweet, context);
  return { community: present.group(community), tweets: { instructions: [{ entries }] } };
}

function listLatestTweets(restId: string, context: Context) {
  const { lists } = context.reads.groups;
  const list = lists.byRestId(restId);
  if (!list) return undefined;
  const rows = lists.latest(list.id, context.after, context.pageSize + 1);
  return { list: present.group(list), tweets: { entries: pageOfTweets(rows, present.authoredTweet, context) } };
}

/** The entries of a page in the order of time, and at their end the cursor of the next one, where the endpoint has any. */
function pageOfTweets<R extends TimedRow, T extends { readonly id: string }>(
  rows: readonly R[],
  show: (row: R) => T,
  { pageSize, cursor }: Context,
): object[] {
  const page = pageOf(rows, pageSize);
  const entries: object[] = page.rows.map((row) => present.tweetEntry(show(row)));
  if (page.next && cursor)
    entries.push(present.cursorEntry(page.next.restId, cursor([page.next.createdAt!, page.next.id])));
  return entries;
}

/** A page from one row more than it shows: that there is another row is how it knows that there is another page. */
function pageOf<T>(rows: readonly T[], size: number): { readonly rows: readonly T[]; readonly next: T | undefined } {
  const shown = rows.slice(0, size);
  return { rows: shown, next: rows.length > size ? shown.at(-1) : undefined };
}
