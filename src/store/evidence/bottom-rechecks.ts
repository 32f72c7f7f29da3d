import { and, desc, eq, lt, lte, sql } from 'drizzle-orm';
import { findBottom, parseCheckpoint } from '../../service/kinds/checkpoint.ts';
import {
  type CrawlSpec,
  createRecheckSpec,
  parseCrawlOptions,
  RECHECK_OPTIONS,
} from '../../service/kinds/crawl-spec.ts';
import { isPagedKind } from '../../service/kinds/end-states.ts';
import type { PageCommit } from '../schema/commit-messages.ts';
import type { CrawlRow, ParentCrawl } from '../schema/crawl-row.ts';
import { crawls, tweets, users } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';
import { isNotDeleted } from './deleted-tweets.ts';
import { listFlagOf, type prepareListRechecks } from './list-rechecks.ts';

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'options' | 'startedAt'>;

/**
 * Re-checks of tweets below the last one of a timeline that the service ended. They are deleted, or the service shows only
 * the newest tweets. The newest one is asked for. After a 404 it is the next one's turn; if the service has the tweet,
 * nothing older is asked for, as long as this re-check is the last sighting of the tweet.
 */
export function prepareBottomRechecks(db: Db, lists: ReturnType<typeof prepareListRechecks>) {
  const { restId, authorId, createdAt, lastSeenAt, seenInLists } = tweets;
  const isSeenByRecheck = sql<number>`exists (select 1 from crawls c where c.kind = 'tweet' and c.target = ${restId}
    and c.options = ${RECHECK_OPTIONS} and c.reason is not 'deleted'
    and ${lastSeenAt} between c.started_at and c.finished_at)`;
  const author = db.select({ id: users.id }).from(users).where(eq(users.restId, bound.owner));
  const isMissing = and(
    eq(authorId, author),
    lte(createdAt, bound.below),
    lt(lastSeenAt, bound.since),
    sql`${seenInLists} & ${bound.list} <> 0`,
    isNotDeleted,
  );
  const newestMissing = compileStatement(
    db
      .select({ restId, isSeenByRecheck })
      .from(tweets)
      .where(isMissing)
      .orderBy(desc(createdAt), desc(tweets.id))
      .limit(1),
  );
  const findParent = db
    .select()
    .from(crawls)
    .where(sql`${crawls.id} = (select parent_id from crawls child where child.id = ${bound.id})`)
    .prepare();
  const createdAtOf = compileStatement(db.select({ createdAt }).from(tweets).where(eq(restId, bound.restId)));

  function recheckBelow(list: ListCrawl, owner: string | null, below: number, at: number): CrawlSpec[] {
    if (parseCrawlOptions(list).recheck === false || lists.countLeft(list.id) === 0) return [];
    const since = lists.findStart(list, at);
    const missing = newestMissing.get({ owner, below, since, list: listFlagOf(list) });
    const [tweet, isWindow] = (missing ?? []) as [string?, (0 | 1)?];
    return tweet === undefined || isWindow ? [] : [createRecheckSpec('tweet', tweet)];
  }

  return {
    /** Returns the crawl that re-checks the newest tweet below a timeline that ends with a page, if any. */
    recheckBottom(crawl: ListCrawl, { end, progress, storedBodyIds, at }: PageCommit): CrawlSpec[] {
      const bottom = findBottom(progress.checkpoint?.scan);
      if (!end || !isEndedByService({ ...end, kind: crawl.kind }) || bottom === undefined || storedBodyIds) return [];
      return recheckBelow(crawl, progress.targetRestId, bottom, at);
    },

    /** Returns the crawl that re-checks the tweet below one that the service does not have, and its parent, if any. */
    recheckNext(
      { id, lockedBy, lockExpiresAt }: ParentCrawl,
      goneTweet: string,
      { storedBodyIds, at }: PageCommit,
    ): { readonly parent: ParentCrawl; readonly specs: readonly CrawlSpec[] } | undefined {
      const list = storedBodyIds ? undefined : findParent.get({ id });
      if (!list || !isEndedByService(list)) return undefined;
      const bottom = findBottom(parseCheckpoint(list.checkpoint).scan);
      const [goneAt] = (createdAtOf.get({ restId: goneTweet }) ?? []) as [(number | null)?];
      if (bottom === undefined || goneAt == null || goneAt > bottom) return undefined;
      // The run that locks the crawl locks the next one.
      const parent = { ...list, lockedBy, lockExpiresAt };
      return { parent, specs: recheckBelow(list, list.targetRestId, goneAt, at) };
    },
  };
}

type Ended = Pick<CrawlRow, 'kind' | 'state'> & { readonly ending?: string | null | undefined };

/** Whether a timeline's last page was one without a cursor, and nothing was rejected. */
const isEndedByService = (crawl: Ended): boolean =>
  listFlagOf(crawl) !== 0 && isPagedKind(crawl.kind) && crawl.state === 'complete' && crawl.ending === 'served';
