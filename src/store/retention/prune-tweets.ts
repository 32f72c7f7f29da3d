import { preparePrunedRanges, type PrunedItems } from '#store/coverage/pruned-ranges.ts';
import { prepareRemoval, type RowCounts } from '#store/erasure/remove-rows.ts';
import { joinTweets, TWEET_RELATIONS } from '#store/relations/list-relations.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { PruneScope } from './prune-scope.ts';
import { findSearchTarget } from './pruned-searches.ts';

/** Tweets that are removed in one transaction. */
const BATCH_SIZE = 200;

/** Yields the keys of the tweets that a request removes, oldest first, in batches. */
export function* selectTweets(
  { $client }: Db,
  { limit, tweets }: Pick<PruneScope, 'limit' | 'tweets'>,
): Generator<readonly number[], void> {
  const dated = $client.prepare<[object], TweetPlace>(
    `select t.id, t.created_at as at from tweets t
     where t.created_at < :limit and (t.created_at, t.id) > (:at, :id) and ${tweets}
     order by t.created_at, t.id limit ${BATCH_SIZE}`,
  );
  // Without a time of their own, tweets are as old as their first observation.
  const undated = $client.prepare<[object], TweetPlace>(
    `select t.id, t.first_seen_at as at from tweets t
     where t.created_at is null and t.first_seen_at < :limit and t.id > :id and :at is not null and ${tweets}
     order by t.id limit ${BATCH_SIZE}`,
  );
  for (const select of [dated, undated]) {
    for (let last: TweetPlace | undefined = START; last !== undefined;) {
      const rows: TweetPlace[] = select.all({ limit, ...last });
      if (rows.length > 0) yield rows.map(({ id }) => id);
      last = rows.at(-1);
    }
  }
}

/** Prepares reading the keys of the authors of tweets. */
export function prepareAuthorKeys({ $client }: Db): (ids: readonly number[]) => number[] {
  const select = $client
    .prepare<[string], number>(
      'select distinct author_id from tweets where id in (select value from json_each(?)) and author_id is not null',
    )
    .pluck();
  return (ids) => select.all(JSON.stringify(ids));
}

interface TweetPlace {
  readonly id: number;
  readonly at: number;
}

const START: TweetPlace = { id: 0, at: Number.MIN_SAFE_INTEGER };

/**
 * Prepares the removal of tweets inside the caller's transaction, with the statement about each list that showed them.
 * Returns the numbers of removed rows.
 */
export function preparePrunedTweets(
  db: Db,
): (ids: readonly number[], prune: { readonly id: number; readonly at: number }) => RowCounts {
  const ranges = preparePrunedRanges(db);
  const removeTweets = prepareRemoval(db, 'tweet key');
  const listItems = db.$client.prepare<[object], PrunedItems>(ITEMS_BY_LIST);
  const listHits = db.$client.prepare<[object], FoundTweet>(HITS);
  const targetOf = findSearchTarget(db);

  /** The windows of a search overlap, so that several of its strings may have found a tweet. */
  function countHits(hits: readonly FoundTweet[]): PrunedItems[] {
    const byTarget = new Map<string, Map<number, FoundTweet>>();
    for (const hit of hits) {
      const target = targetOf(hit.query);
      byTarget.set(target, (byTarget.get(target) ?? new Map<number, FoundTweet>()).set(hit.id, hit));
    }
    return [...byTarget].map(([target, found]) => ({
      kind: 'search',
      target,
      items: found.size,
      oldestAt: Math.min(...[...found.values()].map(({ oldest }) => oldest)),
      newestAt: Math.max(...[...found.values()].map(({ newest }) => newest)),
    }));
  }

  return (ids, prune) => {
    const gone = { ids: JSON.stringify(ids) };
    for (const items of [...listItems.all(gone), ...countHits(listHits.all(gone))]) ranges.addItems(items, prune);
    return removeTweets(ids);
  };
}

/** A tweet that a search string found, and the time of its place in a list. */
interface FoundTweet {
  readonly query: string;
  readonly id: number;
  readonly oldest: number;
  readonly newest: number;
}

/** The place of a tweet without a time may be anywhere before it was first seen. */
const GONE = `
  gone as materialized (
    select t.id, t.rest_id, t.author_id, t.seen_in_lists as lists, t.in_reply_to_status_rest_id is null as is_original,
      coalesce(t.created_at, 0) as oldest, coalesce(t.created_at, t.first_seen_at) as newest
    from tweets t where t.id in (select value from json_each(:ids))
  )`;

const { search, ...otherLists } = TWEET_RELATIONS;

const HITS = `
  with ${GONE}
  select o.query, t.id, t.oldest, t.newest from gone t join ${joinTweets(search)}`;

/**
 * The lists that showed tweets, except searches, with the numbers and times of these. A timeline that covers an author also counts tweets that
 * are not known to be replies, and a list of replies all: a pinned tweet has no place in its list, and may have another one
 * there.
 */
const ITEMS_BY_LIST = `
  with ${GONE}, shown as (
    select 'timeline' as kind, u.rest_id as target, g.* from gone g join users u on u.id = g.author_id
      where g.lists & 1 or g.is_original and exists (select 1 from coverage v where v.kind = 'timeline' and v.target = u.rest_id)
    union all
    select 'replies', u.rest_id, g.* from gone g join users u on u.id = g.author_id
      where g.lists & 2 or exists (select 1 from coverage v where v.kind = 'replies' and v.target = u.rest_id)
    union all
    ${Object.entries(otherLists)
      .map(([kind, relation]) => `select '${kind}', o.rest_id, t.* from gone t join ${joinTweets(relation)} union all`)
      .join(' ')}
    select 'tweet', g.rest_id, g.* from gone g
      where exists (select 1 from crawls c where c.kind = 'tweet' and c.target = g.rest_id and c.pages > 0)
  )
  select kind, target, min(oldest) as oldestAt, max(newest) as newestAt, count(*) as items from shown group by kind, target`;
