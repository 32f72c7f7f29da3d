import {
  createRecheckSpec,
  type CrawlSpec,
  createListRecheckSpec,
  parseCrawlOptions,
} from '#service/kinds/crawl-spec.ts';
import { kindTable, KIND_NAMES, type KindName } from '#service/kinds/kinds.ts';
import type { Db } from '#store/sqlite/database.ts';
import {
  bindScope,
  dueSince as dueSinceOf,
  readDueTweets,
  readDueUsers,
  type Check,
  createSelection,
  type RecheckScope,
  type RecheckSelection,
} from './due-items.ts';

/**
 * Selects the crawls that check the due items of a scope, those with the oldest check first, within a number of requests.
 * Unfinished crawls of an earlier selection are selected again, so that an equal request joins them.
 */
export const selectChecks = (db: Db, scope: RecheckScope, maxRequests = Infinity): RecheckSelection =>
  scope.items === 'tweets' ? selectTweetChecks(db, scope, maxRequests) : selectUserChecks(db, scope, maxRequests);

/** Each tweet by a list of its author where that is cheaper, otherwise by its id. */
function selectTweetChecks(db: Db, scope: RecheckScope, maxRequests: number): RecheckSelection {
  const selection = createSelection(maxRequests);
  const findList = prepareSharedLists(db, scope);
  const lists = new Map<number, { readonly check: Check; readonly ids: ReadonlySet<number> } | undefined>();
  const selected = new Set<number>();
  for (const { id, restId, authorId, isDeleted, dueSince } of readDueTweets(db, scope)) {
    if (selection.left < 1) break;
    if (selected.has(id)) continue;
    if (authorId !== null && !lists.has(authorId)) {
      const check = findList(authorId, dueSince);
      lists.set(authorId, check && { check, ids: new Set(check.items.map((item) => item.id)) });
    }
    // A list that does not show this tweet waits for the first tweet that it shows.
    const list = authorId === null ? undefined : lists.get(authorId);
    if (list?.ids.has(id) && list.check.requests.expected <= selection.left) {
      selection.add(list.check);
      for (const one of list.ids) selected.add(one);
    } else {
      const items = [{ id, wasGone: isDeleted === 1, screenName: null }];
      selection.add({ spec: createRecheckSpec('tweet', restId), items, requests: { expected: 1, max: 1 } });
    }
  }
  return selection.finish();
}

/** The most requests that the check of one account costs: by its handle, by its id, and by its present handle. */
export const MAX_REQUESTS_PER_ACCOUNT = kindTable.profile.maxRequestsPerPage;

function selectUserChecks(db: Db, scope: RecheckScope, maxRequests: number): RecheckSelection {
  const selection = createSelection(maxRequests);
  for (const { id, restId, screenName, isUnavailable, wasCutShort } of readDueUsers(db, scope)) {
    if (selection.left < 1) break;
    // A check that a budget has cut short gets all the requests that it may need.
    const expected = wasCutShort ? MAX_REQUESTS_PER_ACCOUNT : 1;
    if (expected > selection.left) continue;
    selection.add({
      spec: createRecheckSpec('profile', `id:${restId}`),
      items: [{ id, wasGone: isUnavailable === 1, screenName }],
      requests: { expected, max: MAX_REQUESTS_PER_ACCOUNT },
    });
  }
  return selection.finish();
}

/**
 * Lists of authors that check many tweets at once: a page of a timeline shows about twenty of them for one request, a request
 * for a tweet shows one (decision 58). A tweet that the list lacks is asked for by its id.
 */

/** A tweet that a list of its author showed. */
interface ListedTweet {
  readonly id: number;
  readonly createdAt: number;
  readonly isDue: 0 | 1;
}

/** The part of a list that is read: from its top down to a tweet. */
interface ListPart {
  readonly kind: KindName;
  /** The time of the oldest due tweet in it. */
  readonly since: number;
  readonly pages: number;
  readonly tweets: readonly number[];
}

const LIST_KINDS = KIND_NAMES.filter((kind) => kindTable[kind].listFlag !== undefined);
/** The latest crawls that show the page size. */
const LATEST_CRAWLS = 10_000;
/** A list is read if it saves at least this share of the requests: newer tweets may make it longer than expected. */
const LEAST_SAVED = 0.5;

/** Prepares the choice of lists for due tweets. */
function prepareSharedLists(
  { $client }: Db,
  scope: RecheckScope,
): (authorId: number, dueSince: number) => Check | undefined {
  const pageSizes = new Map(
    $client
      .prepare<[], [string, number]>(
        `select kind, coalesce(
           cast(sum(case when cursor is null then items - last_page_items else items end) as real)
             / nullif(sum(case when cursor is null then pages - 1 else pages end), 0), max(last_page_items))
         from crawls not indexed where crawls.id > (select coalesce(max(id), 0) - ${LATEST_CRAWLS} from crawls)
           and pages > 0 and last_page_items is not null group by kind`,
      )
      .raw()
      .all() as unknown as [string, number | null][],
  );
  const findAuthor = $client.prepare<[number], string>('select rest_id from users where id = ?').pluck();
  const values = bindScope(scope);
  const readListed = $client.prepare<[object], ListedTweet>(
    `select id, created_at as createdAt, last_seen_at < ${dueSinceOf(scope)} as isDue from tweets t
     where author_id = :authorId and seen_in_lists & :listFlag <> 0 and created_at is not null
       and not exists (select 1 from _deletion_evidence d where d.tweet_id = t.id and d.suspected_at > t.last_seen_at)
     order by created_at desc, id desc`,
  );
  const findRecheck = $client.prepare<
    [string, string, number],
    { kind: KindName; options: string; isUnfinished: 0 | 1 }
  >(
    `select kind, options, finished_at is null as isUnfinished from crawls
     where kind in (select value from json_each(?)) and target = ? and options ->> '$.isRecheck'
       and (finished_at is null or (finished_at >= ? and requests > 0)) order by isUnfinished desc, id limit 1`,
  );

  return (authorId, dueSince) => {
    const author = findAuthor.get(authorId)!;
    const readPart = (kind: KindName) => readListed.all({ ...values, authorId, listFlag: kindTable[kind].listFlag! });
    const earlier = findRecheck.get(JSON.stringify(LIST_KINDS), `id:${author}`, dueSince);
    // A list that was read since then lacks the tweet, or does not reach it: the tweet is asked for by its id.
    if (earlier && !earlier.isUnfinished) return undefined;
    if (earlier) {
      const { since = 0 } = parseCrawlOptions(earlier);
      const listed = readPart(earlier.kind).filter(({ createdAt, isDue }) => isDue && createdAt >= since);
      const spec = createListRecheckSpec(earlier.kind, author, parseCrawlOptions(earlier));
      return createCheck(
        spec,
        listed.map(({ id }) => id),
        1,
      );
    }
    const parts = LIST_KINDS.flatMap((kind) => findBestPart(kind, readPart(kind), pageSizes.get(kind)) ?? []);
    const [best] = parts.toSorted((a, b) => b.tweets.length - b.pages - (a.tweets.length - a.pages));
    if (!best) return undefined;
    const { kind, since, pages, tweets } = best;
    const maxPages = Math.max(pages + 1, Math.floor(tweets.length * LEAST_SAVED));
    return createCheck(createListRecheckSpec(kind, author, { since, maxPages }), tweets, pages);
  };
}

/** The part of a list whose reading saves most requests. @param size the items of a page */
function findBestPart(
  kind: KindName,
  listed: readonly ListedTweet[],
  size: number | null | undefined,
): ListPart | undefined {
  if (!size) return undefined;
  const isPaged = kindTable[kind].shape === 'paged list';
  const tweets: number[] = [];
  let best: { since: number; pages: number; due: number } | undefined;
  for (const [i, { id, createdAt, isDue }] of listed.entries()) {
    if (!isDue) continue;
    tweets.push(id);
    // The page with the next older tweet ends the reading.
    const pages = Math.ceil(Math.min(i + 2, listed.length) / size);
    if (pages > 1 && !isPaged) break;
    if (tweets.length - pages > (best ? best.due - best.pages : 0))
      best = { since: createdAt, pages, due: tweets.length };
  }
  if (!best || best.due - best.pages < LEAST_SAVED * best.due) return undefined;
  return { kind, since: best.since, pages: best.pages, tweets: tweets.slice(0, best.due) };
}

/** Besides the pages, the account is looked up if the list is gone, and each missing tweet is asked for by its id. */
const createCheck = (spec: CrawlSpec, tweets: readonly number[], pages: number): Check => {
  const { maxPages = pages } = parseCrawlOptions(spec);
  return {
    spec,
    items: tweets.map((id) => ({ id, wasGone: false, screenName: null })),
    requests: { expected: pages, max: maxPages + tweets.length },
  };
};
