import type { FollowDecision } from '#store/evidence/follow-decisions.ts';
import { rolesIn } from '#store/journal/journal-steps.ts';
import { toListFact, TWEET_RELATIONS } from '#store/relations/list-relations.ts';
import type { Observation, PageCommit, RequestEntry } from '#store/schema/commit-messages.ts';
import type { listSnapshots } from '#store/schema/tables.ts';
import { FACT_TABLE_NAMES, FACT_TABLES, type Fact, type Facts, type FactTableName, toFact } from './fact-tables.ts';

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
  /** When the crawl began. */
  readonly startedAt: number | null;
  /** The list of the page: the service's id of the target, or the target. */
  readonly list: string;
  /** The position of the first tweet in the result of its search. */
  readonly firstRank: number;
  /** The flag of the page's list in `tweets.seen_in_lists`. */
  readonly listed: number;
  readonly outcome: string | null;
  /** The complete list that ends with the page. */
  readonly snapshot?: (typeof listSnapshots.$inferInsert & { readonly owner: string }) | undefined;
  /** The edges that a re-check found to have ended. */
  readonly decisions?: readonly FollowDecision[] | undefined;
  /** What the page read again of its author's list, with the start of its crawl. */
  readonly reread: ListReread | undefined;
  /** The service's id of the tweet that the service no longer has. */
  readonly goneTweet?: string | undefined;
}

/** Returns the facts of a page. */
export function collectPageFacts(page: PageCommit, findings: PageFindings): Facts {
  const { at, lookups = [], coverage, searchedWindow, progress } = page;
  const { kind, list: target, snapshot, reread, goneTweet, outcome } = findings;
  const facts = collectObservations([...lookups, page], (seen) =>
    seen === page ? findings : { firstRank: findings.firstRank, listed: 0 },
  );
  const add = (table: FactTableName, row: object): void => void facts[table].push(toFact(table, row));
  facts.requests.push(...toRequestFacts(page.requests));
  add('steps', { ...progress, committedAt: at, outcome, responseRoles: rolesIn(page), startedAt: findings.startedAt });
  for (const { newest, oldest, bottom, below, pages, items } of coverage?.spans ?? [])
    add('coverage_claims', {
      claimedAt: at,
      kind,
      target,
      newestAt: newest.at,
      newestRestId: newest.id,
      oldestAt: oldest.at,
      oldestRestId: oldest.id,
      listEnd: bottom,
      gapReason: below,
      pages,
      items,
    });
  if (searchedWindow) {
    const { query, from, to, saturated } = searchedWindow;
    facts.search_windows.push([at, query, from, to, saturated !== undefined]);
  }
  if (snapshot) add('list_snapshots', { ...snapshot, ownerRestId: snapshot.owner });
  for (const { follower, followee, startedAt, finishedAt, cause } of findings.decisions ?? [])
    facts.follow_decisions.push([follower, followee, startedAt, finishedAt, cause]);
  if (reread) facts.list_rereads.push([at, kind, target, reread.startedAt, reread.above, reread.below]);
  if (goneTweet !== undefined) facts.deletion_evidence.push([at, goneTweet, true]);
  return facts;
}

type TweetPlaces = Pick<PageFindings, 'firstRank' | 'listed'>;

/** A summary shows no more. */
const SUMMARY_COLUMNS = Object.keys(FACT_TABLES.user_sightings.columns).indexOf('location');

/** Returns the sightings of responses. @param placesOf where the tweets of a response are */
export function collectObservations(
  observations: readonly Observation[],
  placesOf: (observation: Observation) => TweetPlaces,
): Record<FactTableName, Fact[]> {
  const facts = Object.fromEntries(FACT_TABLE_NAMES.map((table) => [table, []])) as unknown as Record<
    FactTableName,
    Fact[]
  >;
  for (const observation of observations) {
    const { at, rows } = observation;
    const { firstRank, listed } = placesOf(observation);
    for (const user of rows.users) {
      const sighting = toFact('user_sightings', { ...user, seenAt: at });
      facts.user_sightings.push(user.detailLevel === 'profile' ? sighting : sighting.slice(0, SUMMARY_COLUMNS));
    }
    for (const tweet of rows.tweets) {
      const seenInLists = tweet.isPinned ? 0 : listed;
      facts.tweet_sightings.push(toFact('tweet_sightings', { ...tweet, seenAt: at, seenInLists }).map(toValue));
    }
    for (const { kind, target, name, description, tweets } of rows.tweetLists) {
      const relation = TWEET_RELATIONS[kind];
      if (relation.isGroup) facts.group_sightings.push([at, kind, target, name, description]);
      for (const [i, tweet] of tweets.entries())
        facts[relation.fact].push(
          toListFact<number | string>([kind, relation], { at, target, tweet, rank: firstRank + i }),
        );
    }
    for (const { side, owner, members } of rows.follows)
      for (const member of members) facts.edge_sightings.push([at, side, owner, member]);
  }
  return facts;
}

export const toRequestFacts = (requests: readonly RequestEntry[]): Fact[] =>
  requests.map(({ at, endpoint, status, ms, bytes, error }) => [at, endpoint, status, ms, bytes, error]);

/** Lists, such as the hashtags of a tweet, are JSON; an empty one is null. */
const toValue = (value: Fact[number] | readonly unknown[]): Fact[number] =>
  Array.isArray(value) ? (value.length === 0 ? null : JSON.stringify(value)) : (value as Fact[number]);
