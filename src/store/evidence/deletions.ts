import { type CrawlSpec, createRecheckSpec, parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { ListReread } from '#store/outbox/page-facts.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Db } from '#store/sqlite/database.ts';
import { prepareBottomRechecks, prepareListRechecks } from './list-rechecks.ts';

type ListCrawl = Pick<CrawlRow, 'id' | 'kind' | 'target' | 'options' | 'startedAt'>;

/** The reasons of crawls of tweets that the service does not have. */
const GONE: readonly (string | undefined)[] = ['deleted', 'not_found'];

/**
 * Evidence of deletions (invariant 7). A deletion is suspected when a list of the author that contained the tweet is read
 * again without it, from its top or entries above its time to entries below. Only a 404 for the tweet confirms it. The
 * evidence is void when the tweet is seen later.
 */
export function prepareDeletions(db: Db) {
  const { $client } = db;
  const lists = prepareListRechecks(db);
  const missing = $client.prepare<object, { id: number; restId: string; seenAt: number }>(
    `select id, rest_id as restId, last_seen_at as seenAt from tweets
     where author_id = (select id from users where rest_id = @owner) and created_at > @above and created_at < @below
       and last_seen_at < @since and seen_in_lists & @list <> 0
     order by created_at desc, id desc`,
  );
  const isOver = `suspected_at <= (select last_seen_at from tweets where id = tweet_id)`;
  const prepareNote = (confirmedAt: string) =>
    $client
      .prepare<object, number | null>(
        `insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id)
         values (@id, @at, ${confirmedAt}, @crawlId)
         on conflict (tweet_id) do update set
           suspected_at = iif(${isOver}, @at, min(suspected_at, @at)),
           confirmed_at = iif(${isOver}, excluded.confirmed_at,
             coalesce(min(confirmed_at, excluded.confirmed_at), confirmed_at, excluded.confirmed_at)),
           crawl_id = iif(${isOver} or confirmed_at is null, @crawlId, crawl_id)
         returning confirmed_at`,
      )
      .pluck();
  const suspect = prepareNote('null');
  const confirm = prepareNote('@at');
  const findTweet = $client
    .prepare<object, number>('select id from tweets where rest_id = @restId and last_seen_at < @at')
    .pluck();

  const findLeaseStart = (crawl: ListCrawl, page: PageCommit): number => Math.min(crawl.startedAt ?? page.at, page.at);
  return {
    ...prepareBottomRechecks(db, lists),

    /** Returns what a page read again of its author's list; undefined for other pages. */
    findReread(crawl: ListCrawl, page: PageCommit): ListReread | undefined {
      const { reread } = page.coverage ?? {};
      if (!getKind(crawl.kind).listFlag || !reread || page.progress.targetRestId === null) return undefined;
      return { ...reread, startedAt: lists.findStart(crawl, page.at) };
    },

    /** Suspects the tweets that a page lacks. Returns the crawls that re-check them. */
    suspectDeletions(crawl: ListCrawl, page: PageCommit): readonly CrawlSpec[] {
      const list = getKind(crawl.kind).listFlag;
      const { reread } = page.coverage ?? {};
      if (!list || !reread) return [];
      const { targetRestId: owner } = page.progress;
      const unseen = missing.all({ ...reread, owner, since: findLeaseStart(crawl, page), list });
      if (unseen.length === 0) return [];
      const since = lists.findStart(crawl, page.at);
      const found = unseen.filter(({ seenAt }) => seenAt < since);
      const open = found.flatMap(({ id, restId }) =>
        suspect.get({ id, at: page.at, crawlId: crawl.id }) === null ? [restId] : [],
      );
      if (page.storedBodyIds || parseCrawlOptions(crawl).recheck === false) return [];
      return open.slice(0, lists.countLeft(crawl.id)).map((tweet) => createRecheckSpec('tweet', tweet));
    },

    /** Returns the tweet that the service no longer has, stored or not. */
    findGoneTweet: ({ kind, target }: ListCrawl, { end }: PageCommit): string | undefined =>
      getKind(kind).targetType === 'tweet' && GONE.includes(end?.reason) ? target : undefined,

    /** Confirms the deletion of a tweet, if it is stored. Returns whether it was not confirmed before. */
    confirmDeletion(restId: string, { id: crawlId }: ListCrawl, { at: noticedAt }: PageCommit): boolean {
      const id = findTweet.get({ restId, at: noticedAt });
      return id !== undefined && confirm.get({ id, at: noticedAt, crawlId }) === noticedAt;
    },
  };
}
