import { describe, expect, test } from 'vitest';
import { getKind } from '#service/kinds/kinds.ts';
import { prepareRemoval } from '#store/erasure/remove-rows.ts';
import { recordErasure } from '#store/erasure/tombstones.ts';
import { parsePage } from '#store/normalise/parse-page.ts';
import type { FactTableName } from '#store/outbox/fact-tables.ts';
import { collectPageFacts } from '#store/outbox/page-facts.ts';
import type { TweetListKind } from '#store/relations/list-relations.ts';
import type { PageRows } from '#store/schema/normalised-rows.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { newStore, openLeased, pageOf, readerOf, rows, tweet, user } from './support.ts';

/** Rows that show the account 1 or its tweet, and what has to become of them. */
interface RelationSample {
  readonly rows: Partial<PageRows>;
  /** The table of the relation, which is empty before. */
  readonly table: string;
  /** The items that the page brings. */
  readonly newItems: number;
  readonly facts: FactTableName;
}

const people = { users: [user('1', { screenName: 'leaver' }), user('2')] };
const theirs = tweet('t1', { authorRestId: '1' });
const found = { ...people, tweets: [theirs] };

/** Each part of the rows of a page. A new part does not compile without its line; undefined for one below, or that names nobody. */
const PARTS: Readonly<Record<keyof PageRows, RelationSample | undefined>> = {
  users: {
    rows: { users: [user('1')] },
    table: 'users',
    newItems: 1,
    facts: 'user_sightings',
  },
  tweets: {
    rows: found,
    table: 'tweets',
    newItems: 1,
    facts: 'tweet_sightings',
  },
  follows: {
    rows: {
      ...people,
      follows: [
        {
          side: 'followers',
          owner: '2',
          members: ['1'],
        },
      ],
    },
    table: 'follows',
    newItems: 1,
    facts: 'edge_sightings',
  },
  tweetLists: undefined,
  rejects: undefined,
  drift: undefined,
  dropped: undefined,
  fields: undefined,
};
/** A list of the tweet t1, with the data of a response that shows it. */
interface ListSample extends RelationSample {
  readonly target: string;
  readonly data: object;
}

const listOf = (kind: TweetListKind, target: string) => [{ kind, target, tweets: ['t1'] }];
const group = { id: '9', name: 'Makers', description: '' };
const entries = [{ entryId: 'tweet-t1', sortIndex: 't1', content: { tweet: { id: 't1', text: 'a' } } }];
const timeline = { instructions: [{ entries }] };

/** Each kind of list of tweets: a new one does not compile without its line. */
const LISTS: Readonly<Record<TweetListKind, ListSample>> = {
  tweet: {
    rows: { ...people, tweets: [tweet('t2', { authorRestId: '2' }), theirs], tweetLists: listOf('tweet', 't2') },
    target: 't2',
    data: { tweet: { id: 't2', rest_id: 't2', text: 'b', replies: { entries } } },
    table: 'tweet_replies',
    newItems: 2,
    facts: 'reply_sightings',
  },
  community: {
    rows: { ...found, tweetLists: listOf('community', '9') },
    target: '9',
    data: { community: group, tweets: timeline },
    table: 'community_tweets',
    newItems: 1,
    facts: 'group_tweets',
  },
  list: {
    rows: { ...found, tweetLists: listOf('list', '9') },
    target: '9',
    data: { list: group, tweets: { entries } },
    table: 'list_tweets',
    newItems: 1,
    facts: 'group_tweets',
  },
  search: {
    rows: { ...found, tweetLists: listOf('search', 'stars') },
    target: 'stars',
    data: { search_metadata: { query: 'stars', count: 1 }, timeline },
    table: 'search_hits',
    newItems: 1,
    facts: 'search_hits',
  },
};
const SAMPLES = Object.entries({ ...PARTS, ...LISTS }).flatMap(([part, sample]) =>
  sample ? [[part, sample] as const] : [],
);

async function storePage(page: Partial<PageRows>, isForgotten: boolean) {
  const store = newStore();
  if (isForgotten) {
    using db = openDatabase(store.path);
    recordErasure(db, { restIds: ['1'], handles: ['leaver'] }, { erasedAt: 1, mentions: 'keep' });
  }
  const { id, lease } = await openLeased(store, 10, { kind: 'search', target: 'stars' });
  await store.write.commitPage(pageOf(id, lease, 20, { rows: rows(page) }));
  const count = readerOf(store);
  return {
    path: store.path,
    newItems: store.read.crawl(id)!.newItems,
    count: (table: string) => count.prepare(`select count(*) from ${table}`).pluck().get() as number,
  };
}

const FINDINGS = {
  kind: 'search',
  startedAt: 10,
  list: 'stars',
  firstRank: 0,
  listed: 0,
  outcome: null,
  snapshot: undefined,
  reread: undefined,
  decisions: [],
  goneTweet: undefined,
};

describe.each(SAMPLES)('the rows of `%s`', (_, sample) => {
  test('are stored, and counted as new (store/merge/store-rows.ts)', async () => {
    const { newItems, count } = await storePage(sample.rows, false);
    expect(count(sample.table)).toBeGreaterThan(0);
    expect(newItems).toBe(sample.newItems);
  });

  test('are shipped (store/outbox/page-facts.ts)', () => {
    const page = pageOf(1, 1, 20, { rows: rows(sample.rows) });
    expect(collectPageFacts(page, FINDINGS)[sample.facts]).not.toEqual([]);
  });

  test('are not stored of a forgotten account (store/erasure/incoming/filter-page.ts)', async () => {
    const stored = await storePage(sample.rows, false);
    const kept = await storePage(sample.rows, true);
    expect(kept.count(sample.table)).toBe(stored.count(sample.table) - 1);
  });

  test('are removed with the tweets and accounts that they name (store/erasure/remove-rows.ts)', async () => {
    const { path, count } = await storePage(sample.rows, false);
    using db = openDatabase(path);
    const keysOf = (table: string) => db.$client.prepare<[], number>(`select id from ${table}`).pluck().all();
    prepareRemoval(db, 'tweet key')(keysOf('tweets'));
    prepareRemoval(db, 'user key')(keysOf('users'));
    expect(count(sample.table)).toBe(0);
    expect(db.$client.pragma('foreign_key_check')).toEqual([]);
  });
});

describe.each(Object.entries(LISTS))('a page of the kind `%s`', (kind, { target, data, rows: { tweetLists } }) => {
  const { endpoint, targetType } = getKind(kind);
  const page = parsePage({ data }, { endpoint, value: target });

  test('has the row of its list (store/normalise/parse-page.ts)', () => {
    expect(page.rows.tweetLists).toMatchObject(tweetLists!);
  });

  test('names its account, if it is a list of an account', () => {
    expect(page.summary.owner?.restId).toBe(targetType === 'account' ? target : undefined);
  });
});

/** Tables that are no relation of a page's rows: ends of relations, parts of tweets, histories, crawls, and panels. */
const OTHER_TABLES = new Set([
  'communities',
  'lists',
  'searches',
  'media',
  'tweet_hashtags',
  'tweet_links',
  'tweet_mentions',
  'follow_history',
  'tweet_history',
  'user_history',
  'panels',
  'panel_members',
  'crawls',
  'crawl_sources',
  'runs',
  'coverage',
  'gaps',
  'pruned_ranges',
  'raw_pages',
  'rejects',
  'requests',
]);

test('each table of the store is that of a part of a page, or of something else', () => {
  const tables = readerOf(newStore())
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not glob '_*' and name not glob '*_fts*' and name not glob 'sqlite_*' order by 1",
    )
    .pluck()
    .all() as string[];
  const known = new Set(SAMPLES.map(([, { table }]) => table));
  expect(tables.filter((table) => !known.has(table) && !OTHER_TABLES.has(table))).toEqual([]);
});
