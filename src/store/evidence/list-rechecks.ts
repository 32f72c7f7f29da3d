import { sql } from 'drizzle-orm';
import { findBottom, parseCheckpoint } from '#service/kinds/checkpoint.ts';
import { RECHECK_OPTIONS, type CrawlSpec, createRecheckSpec, parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { isPagedKind } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { CrawlRow, ParentCrawl } from '#store/schema/crawl-row.ts';
import { crawls } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createValuePreparer, bound } from '#store/sqlite/statement.ts';
import { IS_DELETED } from './deleted-tweets.ts';

/** The maximum of re-checks per crawl: if more tweets are missing, there may be another cause. */
const MAX_RECHECKS = 20;

/** Crawls of lists whose missing tweets are re-checked: when one began, and how many re-checks it may still have. */
export function prepareListRechecks(db: Db) {
  const prepareValue = createValuePreparer(db);
  const firstRequest = prepareValue<[number], number>(
    'select sent_at from requests where crawl_id = ? order by id limit 1',
  );
  const countRechecks = prepareValue<[number], number>(
    `select count(*) from crawls where parent_id = ? and options = '${RECHECK_OPTIONS}'`,
  );
  return {
    /** The earliest time of a crawl. Clocks of several machines differ. @param at of its latest page */
    findStart: ({ id, startedAt }: Pick<CrawlRow, 'id' | 'startedAt'>, at: number): number =>
      Math.min(startedAt ?? at, at, firstRequest.get(id) ?? at),
    countLeft: (id: number): number => Math.max(0, MAX_RECHECKS - countRechecks.get(id)!),
  };
}

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'options' | 'startedAt'>;

/**
 * Re-checks of tweets below the last one of a timeline that the service ended. They are deleted, or the service shows only
 * the newest tweets. The newest one is asked for. After a 404 it is the next one's turn; if the service has the tweet,
 * nothing older is asked for, as long as this re-check is the last sighting of the tweet.
 */
export function prepareBottomRechecks(db: Db, lists: ReturnType<typeof prepareListRechecks>) {
  const { $client } = db;
  const newestMissing = $client.prepare<object, { restId: string; isSeenByRecheck: 0 | 1 }>(
    `select rest_id as restId, exists (select 1 from crawls c where c.kind = 'tweet' and c.target = tweets.rest_id
       and c.options = '${RECHECK_OPTIONS}' and c.reason is not 'deleted'
       and tweets.last_seen_at between c.started_at and c.finished_at) as isSeenByRecheck
     from tweets where author_id = (select id from users where rest_id = @owner) and created_at <= @below
       and last_seen_at < @since and seen_in_lists & @list <> 0 and not ${IS_DELETED}
     order by created_at desc, id desc limit 1`,
  );
  const findParent = db
    .select()
    .from(crawls)
    .where(sql`${crawls.id} = (select parent_id from crawls child where child.id = ${bound.id})`)
    .prepare();
  const createdAtOf = createValuePreparer(db)<[string], number | null>(
    'select created_at from tweets where rest_id = ?',
  );

  function recheckBelow(list: ListCrawl, owner: string | null, below: number, at: number): CrawlSpec[] {
    if (parseCrawlOptions(list).recheck === false || lists.countLeft(list.id) === 0) return [];
    const since = lists.findStart(list, at);
    const missing = newestMissing.get({ owner, below, since, list: getKind(list.kind).listFlag ?? 0 });
    return !missing || missing.isSeenByRecheck ? [] : [createRecheckSpec('tweet', missing.restId)];
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
      const goneAt = createdAtOf.get(goneTweet);
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
  getKind(crawl.kind).listFlag !== undefined &&
  isPagedKind(crawl.kind) &&
  crawl.state === 'complete' &&
  crawl.ending === 'served';
