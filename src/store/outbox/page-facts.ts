import { FACT_TABLE_NAMES, type Fact, type Facts, type FactTableName } from '../../ship/facts/fact-tables.ts';
import type { FollowDecision } from '../evidence/follow-decisions.ts';
import { rolesIn } from '../journal/steps.ts';
import type { CoverageUpdate, Observation, PageCommit, RequestEntry } from '../schema/messages.ts';
import type { TweetRow, UserRow } from '../schema/rows.ts';
import type { listSnapshots } from '../schema/tables.ts';

/** The tweets of an author between two times that are not on the pages of a list are not in it. */
export interface ListReread {
  readonly above: number;
  readonly below: number;
  /** Tweets that were seen at this time or later are not missing. */
  readonly startedAt: number;
}

/** What a page commit found out besides the rows of the page. */
export interface PageFindings {
  readonly kind: string;
  /** The list of the page: the service's id of the target, or the target. */
  readonly list: string;
  /** The position of the first tweet in the result of its search. */
  readonly firstRank: number;
  /** The flag of the page's list in `tweets.seen_in_lists`. */
  readonly listed: number;
  readonly outcome: string | null;
  /** The complete list that ends with the page. */
  readonly snapshot: (typeof listSnapshots.$inferInsert & { readonly owner: string }) | undefined;
  /** The edges that a re-check found to have ended. */
  readonly decisions: readonly FollowDecision[];
  /** What the page read again of its author's list, with the start of its crawl. */
  readonly reread: ListReread | undefined;
  /** The service's id of the tweet that the service no longer has. */
  readonly goneTweet: string | undefined;
}

/** Returns the facts of a page. */
export function collectPageFacts(page: PageCommit, findings: PageFindings): Facts {
  const { at, lookups = [], coverage, searchedWindow, progress } = page;
  const { snapshot, reread, goneTweet, outcome } = findings;
  const facts: Record<FactTableName, Fact[]> = collectObservations([...lookups, page], (seen) =>
    seen === page ? findings : { firstRank: findings.firstRank, listed: 0 },
  );
  facts.requests.push(...toRequestFacts(page.requests));
  facts.steps.push([at, progress.pages, progress.items, progress.rejectedItems, outcome, rolesIn(page)]);
  facts.coverage_claims.push(...toCoverageClaims(coverage, [at, findings.kind, findings.list]));
  if (searchedWindow) {
    const { query, from, to, saturated } = searchedWindow;
    facts.search_windows.push([at, query, from, to, saturated !== undefined]);
  }
  if (snapshot) {
    const { side, owner, startedAt, finishedAt, bodyDigest, itemCount, ownerCount } = snapshot;
    facts.list_snapshots.push([side, owner, startedAt, finishedAt, bodyDigest, itemCount, ownerCount]);
  }
  for (const { follower, followee, startedAt, finishedAt, cause } of findings.decisions)
    facts.follow_decisions.push([follower, followee, startedAt, finishedAt, cause]);
  if (reread) facts.list_rereads.push([at, findings.kind, findings.list, reread.startedAt, reread.above, reread.below]);
  if (goneTweet !== undefined) facts.deletion_evidence.push([at, goneTweet, true]);
  return facts;
}

type TweetPlaces = Pick<PageFindings, 'firstRank' | 'listed'>;

/** Returns the sightings of responses. @param placesOf where the tweets of a response are */
export function collectObservations(
  observations: readonly Observation[],
  placesOf: (observation: Observation) => TweetPlaces,
): Record<FactTableName, Fact[]> {
  const facts = createFacts();
  for (const observation of observations) {
    const { at, rows } = observation;
    const { firstRank, listed } = placesOf(observation);
    for (const user of rows.users) facts.user_sightings.push(toUserSighting(at, user));
    for (const [i, tweet] of rows.tweets.entries()) {
      facts.tweet_sightings.push(toTweetSighting(at, tweet, listed));
      if (rows.search !== undefined) facts.search_hits.push([at, rows.search, tweet.restId, firstRank + i]);
    }
    for (const kind of ['community', 'list'] as const) {
      const group = rows[kind];
      if (!group) continue;
      facts.group_sightings.push([at, kind, group.restId, group.name, group.description]);
      for (const { restId } of rows.tweets) facts.group_tweets.push([at, kind, group.restId, restId]);
    }
    for (const reply of rows.nested?.replies ?? []) facts.reply_sightings.push([at, rows.nested!.tweetId, reply]);
    for (const { side, owner, members } of rows.follows)
      for (const member of members) facts.edge_sightings.push([at, side, owner, member]);
  }
  return facts;
}

const createFacts = (): Record<FactTableName, Fact[]> =>
  Object.fromEntries(FACT_TABLE_NAMES.map((table) => [table, []])) as unknown as Record<FactTableName, Fact[]>;

export const toRequestFacts = (requests: readonly RequestEntry[]): Fact[] =>
  requests.map(({ at, endpoint, status, ms, bytes, error }) => [at, endpoint, status, ms, bytes, error]);

const toUserSighting = (at: number, user: UserRow): Fact => [
  at,
  user.restId,
  user.detailLevel,
  user.screenName,
  user.name,
  user.description,
  user.profileImageUrl,
  user.followersCount,
  user.followingCount,
  user.verified,
  // A summary shows no more.
  ...(user.detailLevel === 'profile' ? toProfileColumns(user) : []),
];

const toProfileColumns = (user: UserRow): Fact => [
  user.location,
  user.url,
  user.type,
  user.coverImageUrl,
  user.isBlueVerified,
  user.canDm,
  user.hasCustomTimelines,
  user.isTranslator,
  user.favouritesCount,
  user.mediaCount,
  user.statusesCount,
  user.createdAt,
];

const toTweetSighting = (at: number, tweet: TweetRow, listed: number): Fact => [
  at,
  tweet.restId,
  tweet.authorRestId,
  tweet.text,
  tweet.createdAt,
  tweet.favoriteCount,
  tweet.retweetCount,
  tweet.replyCount,
  tweet.quoteCount,
  tweet.hasMedia,
  tweet.inReplyToStatusRestId,
  tweet.inReplyToUserRestId,
  tweet.inReplyToScreenName,
  tweet.isPinned ? 0 : listed,
  ...[tweet.media, tweet.hashtags, tweet.mentions, tweet.links].map(toJsonList),
];

const toJsonList = (values: readonly unknown[]): string | null => (values.length === 0 ? null : JSON.stringify(values));

const toCoverageClaims = (coverage: CoverageUpdate | undefined, list: readonly [number, string, string]): Fact[] =>
  (coverage?.spans ?? []).map(({ newest, oldest, bottom, below, pages, items }) => [
    ...list,
    newest.at,
    newest.id,
    oldest.at,
    oldest.id,
    bottom,
    below,
    pages,
    items,
  ]);
