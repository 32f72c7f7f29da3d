import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import {
  type CrawlSpec,
  createRecheckSpec,
  parseCrawlOptions,
  RECHECK_OPTIONS,
} from '../../service/kinds/crawl-spec.ts';
import { type ClosedTimeline, hasNoTweets, type ListFacts } from '../../service/kinds/end-by-stored-facts.ts';
import { isSuccessState, LIST_CLOSED, NO_TWEETS } from '../../service/kinds/end-states.ts';
import { parseAccount } from '../../service/kinds/target.ts';
import type { PageCommit } from '../schema/commit-messages.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import { crawls, tweetReplies, tweets, users } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';
import { isNotDeleted } from './deleted-tweets.ts';

type TimelineCrawl = Pick<CrawlRow, 'id' | 'kind' | 'target' | 'options' | 'items' | 'targetRestId'>;

/** How many stored tweets are asked for when their list shows none. */
const ASKED_TWEETS = 5;

/** Which tweets a list is expected to show: the condition, and whether those that the profile counts are enough. */
const EXPECTED = {
  timeline: {
    isExpected: and(
      isNotDeleted,
      isNull(tweets.inReplyToStatusRestId),
      isNull(tweets.inReplyToUserRestId),
      isNull(tweets.inReplyToScreenName),
      // A reply without these fields is known by the tweet that showed it.
      sql`not exists (select 1 from ${tweetReplies} shown where shown.reply_id = ${tweets.id})`,
    ),
    isCountEnough: false,
  },
  replies: { isExpected: isNotDeleted, isCountEnough: true },
} as const;

const isTimeline = (kind: string): kind is keyof typeof EXPECTED => kind in EXPECTED;

const prepareAccount = (db: Db) =>
  compileStatement(
    db.select({ id: users.id, count: users.statusesCount }).from(users).where(eq(users.restId, bound.restId)),
  );

/** Prepares reading the ids of the newest stored tweets that a list of an account is expected to show. */
function prepareExpectedTweets(db: Db) {
  const prepare = (kind: keyof typeof EXPECTED) =>
    compileStatement(
      db
        .select({ restId: tweets.restId })
        .from(tweets)
        .where(and(eq(tweets.authorId, bound.authorId), EXPECTED[kind].isExpected))
        .orderBy(desc(tweets.createdAt), desc(tweets.id))
        .limit(ASKED_TWEETS),
    );
  const newest = { timeline: prepare('timeline'), replies: prepare('replies') };
  return (kind: keyof typeof EXPECTED, authorId: number): string[] =>
    (newest[kind].all({ authorId }) as [string][]).map(([restId]) => restId);
}

/** Prepares reading whether tweets are stored that a list of an account is expected to show. */
export function prepareExpectsTweets(db: Db): (kind: string, restId: string) => boolean {
  const account = prepareAccount(db);
  const listExpected = prepareExpectedTweets(db);
  return (kind, restId) => {
    const [authorId] = (account.get({ restId }) ?? []) as [number?];
    return authorId !== undefined && isTimeline(kind) && listExpected(kind, authorId).length > 0;
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
  const account = prepareAccount(db);
  const listExpected = prepareExpectedTweets(db);
  // The re-checks that have not found their tweet deleted.
  const openRechecks = sql<number>`(select count(*) from ${crawls} asked where asked.parent_id = crawls.id
    and asked.options = ${RECHECK_OPTIONS} and asked.reason is not 'deleted')`;
  const isParent = sql`${crawls.id} = (select parent_id from crawls child where child.id = ${bound.id})`;
  // A crawl with items asks for single tweets that its list lacks, also if the account is unavailable then.
  const findClosed = db
    .select({ id: crawls.id, kind: crawls.kind, ending: crawls.ending, pages: crawls.pages, openRechecks })
    .from(crawls)
    .where(and(isParent, eq(crawls.reason, LIST_CLOSED), eq(crawls.items, 0)))
    .prepare();
  const { state, reason } = NO_TWEETS;
  const endWithoutTweets = db.update(crawls).set({ state, reason }).where(eq(crawls.id, bound.id)).prepare();

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
      const owner = account.get({ restId }) as [number, number | null] | undefined;
      if (!owner) return undefined;
      const [authorId, count] = owner;
      const known = listExpected(kind, authorId);
      const isExpectedToShow = known.length > 0 || (EXPECTED[kind].isCountEnough && (count ?? 0) > 0);
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
      const closed: (ClosedTimeline & { readonly id: number }) | undefined =
        end?.reason === 'deleted' ? findClosed.get({ id }) : undefined;
      if (!closed || !hasNoTweets(closed)) return undefined;
      endWithoutTweets.run({ id: closed.id });
      return closed.id;
    },
  };
}
