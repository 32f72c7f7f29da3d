import { sql } from 'drizzle-orm';
import { type CrawlSpec, createRecheckSpec, parseCrawlOptions, RECHECK_OPTIONS } from '#service/kinds/crawl-spec.ts';
import {
  type ClosedTimeline,
  hasNoTweets,
  type ListFacts,
  isSuccessState,
  LIST_CLOSED,
  NO_TWEETS,
} from '#service/kinds/decide-end.ts';
import { parseAccount } from '#service/kinds/target.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';

/** Whether the tweet of the outer query is known to be deleted (404), and was not seen later (`v_deleted_tweets`). */
export const IS_DELETED = `exists (select 1 from _deletion_evidence
  where tweet_id = tweets.id and confirmed_at is not null and suspected_at > tweets.last_seen_at)`;

export const isDeleted = sql.raw(IS_DELETED);

export const isNotDeleted = sql`not ${isDeleted}`;

type TimelineCrawl = Pick<CrawlRow, 'id' | 'kind' | 'target' | 'options' | 'items' | 'targetRestId'>;

/** How many stored tweets are asked for when their list shows none. */
const ASKED_TWEETS = 5;

/** Which tweets a list is expected to show, as SQL, and whether those that the profile counts are enough. */
const EXPECTED = {
  timeline: {
    // A reply without these fields is known by the tweet that showed it.
    isExpected: `in_reply_to_status_rest_id is null and in_reply_to_user_rest_id is null
      and in_reply_to_screen_name is null and not exists (select 1 from tweet_replies where reply_id = tweets.id)`,
    isCountEnough: false,
  },
  replies: { isExpected: 'true', isCountEnough: true },
} as const;

const isTimeline = (kind: string): kind is keyof typeof EXPECTED => kind in EXPECTED;

/** Prepares reading an account, and the ids of the newest stored tweets that a list of it is expected to show. */
function prepareExpectedTweets({ $client }: Db) {
  const account = $client.prepare<[string], { id: number; count: number | null }>(
    'select id, statuses_count as count from users where rest_id = ?',
  );
  const prepare = (kind: keyof typeof EXPECTED) =>
    $client
      .prepare<[number], string>(
        `select rest_id from tweets where author_id = ? and not ${IS_DELETED} and ${EXPECTED[kind].isExpected}
         order by created_at desc, id desc limit ${ASKED_TWEETS}`,
      )
      .pluck();
  return { account, timeline: prepare('timeline'), replies: prepare('replies') };
}

/** Prepares reading whether tweets are stored that a list of an account is expected to show. */
export function prepareExpectsTweets(db: Db): (kind: string, restId: string) => boolean {
  const newest = prepareExpectedTweets(db);
  return (kind, restId) => {
    const account = newest.account.get(restId);
    return account !== undefined && isTimeline(kind) && newest[kind].get(account.id) !== undefined;
  };
}

/** A timeline that shows no tweet. */
interface EmptyTimeline {
  readonly facts: ListFacts;
  /** Re-checks of stored tweets that it does not show. */
  readonly rechecks: readonly CrawlSpec[];
}

/**
 * Timelines that show no tweet although the store has some (invariant 5): the list is closed, and its end is no evidence.
 * Some of the stored tweets are asked for. If the service has none of them, and the account exists, there are no tweets.
 */
export function prepareClosedTimelines(db: Db) {
  const { $client } = db;
  const newest = prepareExpectedTweets(db);
  // Open re-checks have not found their tweet deleted. A crawl with items asks for single tweets that its list lacks, also if
  // the account is unavailable then.
  const findClosed = $client.prepare<[number], ClosedTimeline & { readonly id: number }>(
    `select id, kind, ending, pages, (select count(*) from crawls asked where asked.parent_id = crawls.id
       and asked.options = '${RECHECK_OPTIONS}' and asked.reason is not 'deleted') as openRechecks
     from crawls where id = (select parent_id from crawls where id = ?) and reason = '${LIST_CLOSED}' and items = 0`,
  );
  const endWithoutTweets = $client.prepare<[string, string | undefined, number]>(
    'update crawls set state = ?, reason = ? where id = ?',
  );

  return {
    /** Returns the facts about a timeline without items that ends with a stored page; undefined for other pages. */
    readEmpty(
      { kind, target, options, items, targetRestId }: TimelineCrawl,
      { end, progress, storedBodyIds }: PageCommit,
    ): EmptyTimeline | undefined {
      // Of an account that is gone, the end says all.
      const isEmptyList =
        end &&
        isSuccessState(end) &&
        (end.reason ?? NO_TWEETS.reason) === NO_TWEETS.reason &&
        items + progress.items === 0;
      if (!isEmptyList || !isTimeline(kind)) return undefined;
      const named = parseAccount(target);
      const restId = progress.targetRestId ?? targetRestId ?? ('id' in named ? named.id : undefined);
      const owner = restId === undefined ? undefined : newest.account.get(restId);
      if (!owner) return undefined;
      const known = newest[kind].all(owner.id);
      const isExpectedToShow = known.length > 0 || (EXPECTED[kind].isCountEnough && (owner.count ?? 0) > 0);
      const isAsking = !storedBodyIds && parseCrawlOptions({ options }).recheck !== false;
      return {
        facts: { shown: 0, isExpectedToShow },
        rechecks: isAsking ? known.map((tweetId) => createRecheckSpec('tweet', tweetId)) : [],
      };
    },

    /**
     * Ends a closed timeline as one without tweets when the service has none of the tweets that were asked for. Called after
     * each of these crawls. Returns the id of the timeline's crawl if it did.
     */
    confirmNoTweets({ id }: Pick<TimelineCrawl, 'id'>, { end }: PageCommit): number | undefined {
      const closed = end?.reason === 'deleted' ? findClosed.get(id) : undefined;
      if (!closed || !hasNoTweets(closed)) return undefined;
      endWithoutTweets.run(NO_TWEETS.state, NO_TWEETS.reason, closed.id);
      return closed.id;
    },
  };
}
