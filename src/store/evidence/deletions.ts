import { and, desc, eq, gt, lt, sql } from 'drizzle-orm';
import { type CrawlSpec, createRecheckSpec, parseCrawlOptions } from '../../service/kinds/crawl-spec.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import type { ListReread } from '../outbox/page-facts.ts';
import type { PageCommit } from '../schema/commit-messages.ts';
import type { CrawlRow } from '../schema/crawl-row.ts';
import { deletionEvidence, tweets, users } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, bound } from '../sqlite/statement.ts';
import { prepareBottomRechecks } from './bottom-rechecks.ts';
import { listFlagOf, prepareListRechecks } from './list-rechecks.ts';

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'target' | 'options' | 'startedAt'>;

/** The reasons of crawls of tweets that the service does not have. */
const GONE: readonly (string | undefined)[] = ['deleted', 'not_found'];

/**
 * Evidence of deletions (invariant 7). A deletion is suspected when a list of the author that contained the tweet is read
 * again without it, from its top or entries above its time to entries below. Only a 404 for the tweet confirms it. The
 * evidence is void when the tweet is seen later.
 */
export function prepareDeletions(db: Db) {
  const { at, crawlId } = bound;
  const lists = prepareListRechecks(db);
  const author = compileStatement(db.select({ id: users.id }).from(users).where(eq(users.restId, bound.restId)));
  const { id, restId, authorId, createdAt, lastSeenAt } = tweets;
  const isMissing = and(
    eq(authorId, bound.authorId),
    gt(createdAt, bound.above),
    lt(createdAt, bound.below),
    lt(lastSeenAt, bound.since),
    sql`${tweets.seenInLists} & ${bound.list} <> 0`,
  );
  const missing = compileStatement(
    db.select({ id, restId, seenAt: lastSeenAt }).from(tweets).where(isMissing).orderBy(desc(createdAt), desc(id)),
  );
  const isOver = sql`${deletionEvidence.suspectedAt} <= (select ${tweets.lastSeenAt} from ${tweets} where ${tweets.id} = ${deletionEvidence.tweetId})`;
  const note = (confirmedAt: typeof at) =>
    compileStatement(
      db
        .insert(deletionEvidence)
        .select(
          sql`select ${tweets.id}, ${at}, ${confirmedAt}, ${crawlId} from ${tweets} where ${tweets.id} = ${bound.id}`,
        )
        .onConflictDoUpdate({
          target: deletionEvidence.tweetId,
          set: {
            suspectedAt: sql`case when ${isOver} then excluded.suspected_at else min(${deletionEvidence.suspectedAt}, excluded.suspected_at) end`,
            confirmedAt: sql`case when ${isOver} then excluded.confirmed_at else coalesce(min(${deletionEvidence.confirmedAt}, excluded.confirmed_at), ${deletionEvidence.confirmedAt}, excluded.confirmed_at) end`,
            crawlId: sql`case when ${isOver} or ${deletionEvidence.confirmedAt} is null then excluded.crawl_id else ${deletionEvidence.crawlId} end`,
          },
        })
        .returning({ confirmedAt: deletionEvidence.confirmedAt }),
    );
  const suspect = note(sql`null`);
  const confirm = note(at);
  const isSeenBefore = and(eq(restId, bound.restId), lt(lastSeenAt, at));
  const findTweet = compileStatement(db.select({ id }).from(tweets).where(isSeenBefore));

  const findLeaseStart = (crawl: ListCrawl, page: PageCommit): number => Math.min(crawl.startedAt ?? page.at, page.at);
  return {
    ...prepareBottomRechecks(db, lists),

    /** Returns what a page read again of its author's list; undefined for other pages. */
    findReread(crawl: ListCrawl, page: PageCommit): ListReread | undefined {
      const { reread } = page.coverage ?? {};
      if (listFlagOf(crawl) === 0 || !reread || page.progress.targetRestId === null) return undefined;
      return { ...reread, startedAt: lists.findStart(crawl, page.at) };
    },

    /** Suspects the tweets that a page lacks. Returns the crawls that re-check them. */
    suspectDeletions(crawl: ListCrawl, page: PageCommit): readonly CrawlSpec[] {
      const list = listFlagOf(crawl);
      const { reread } = page.coverage ?? {};
      const owner = author.get({ restId: page.progress.targetRestId });
      if (list === 0 || !reread || !owner) return [];
      const unseen = missing.all({ ...reread, authorId: owner[0], since: findLeaseStart(crawl, page), list });
      if (unseen.length === 0) return [];
      const since = lists.findStart(crawl, page.at);
      const found = unseen.filter(([, , seenAt]) => (seenAt as number) < since);
      const open = found.flatMap(([tweetId, tweetRestId]) => {
        const [confirmedAt] = suspect.get({ id: tweetId, at: page.at, crawlId: crawl.id })!;
        return confirmedAt === null ? [tweetRestId as string] : [];
      });
      if (page.storedBodyIds || parseCrawlOptions(crawl).recheck === false) return [];
      return open.slice(0, lists.countLeft(crawl.id)).map((tweet) => createRecheckSpec('tweet', tweet));
    },

    /** Returns the tweet that the service no longer has, stored or not. */
    findGoneTweet: ({ kind, target }: ListCrawl, { end }: PageCommit): string | undefined =>
      getKind(kind).targetType === 'tweet' && GONE.includes(end?.reason) ? target : undefined,

    /** Confirms the deletion of a tweet, if it is stored. Returns whether it was not confirmed before. */
    confirmDeletion(restId: string, { id: crawlId }: ListCrawl, { at: noticedAt }: PageCommit): boolean {
      const known = findTweet.get({ restId, at: noticedAt });
      if (!known) return false;
      const [confirmedAt] = confirm.get({ id: known[0], at: noticedAt, crawlId })!;
      return confirmedAt === noticedAt;
    },
  };
}
