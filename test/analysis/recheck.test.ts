import { describe, expect, onTestFinished, test } from 'vitest';
import { countDueItems, type RecheckScope } from '#analysis/recheck/due-items.ts';
import { selectChecks } from '#analysis/recheck/select-checks.ts';
import { RECHECK_OPTIONS } from '#service/kinds/crawl-spec.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createStoreFile } from '../support/store-file.ts';

const BEFORE = 1_000_000;
const PAGE_SIZE = 20;

interface Tweet {
  readonly author?: number;
  readonly createdAt: number;
  readonly lastSeenAt?: number;
  /** The list that showed it: 1 timeline, 2 replies. */
  readonly list?: 0 | 1 | 2 | 3;
}

/** A store with rows of a test, and the page size of timelines. */
function store() {
  const db = openDatabase(createStoreFile());
  onTestFinished(() => void db.$client.close());
  const insert = (table: string, row: Record<string, unknown>): number =>
    Number(
      db.$client
        .prepare(
          `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row)
            .map(() => '?')
            .join(', ')})`,
        )
        .run(...Object.values(row)).lastInsertRowid,
    );
  const crawl = (row: Record<string, unknown>) =>
    insert('crawls', {
      options: '{}',
      priority: 'backfill',
      state: 'complete',
      requests: 1,
      created_at: 1,
      updated_at: 1,
      finished_at: 1,
      ...row,
    });
  crawl({ kind: 'timeline', target: 'id:9', pages: 3, items: 2 * PAGE_SIZE + 3, last_page_items: 3 });
  return {
    db,
    crawl,
    user(id: number, lastSeenAt: number): void {
      insert('users', { id, rest_id: `u${id}`, screen_name: `user${id}`, first_seen_at: 1, has_stale_columns: 0 });
      insert('_user_last_seen', { user_id: id, last_seen_at: lastSeenAt });
    },
    tweet: ({ author = 1, createdAt, lastSeenAt = 10, list = 1 }: Tweet): number =>
      insert('tweets', {
        rest_id: `t${createdAt}`,
        author_id: author,
        created_at: createdAt,
        last_seen_at: lastSeenAt,
        first_seen_at: 1,
        seen_in_lists: list,
        has_stale_columns: 0,
      }),
    delete: (tweet: number, confirmedAt: number | null): void =>
      void insert('_deletion_evidence', {
        tweet_id: tweet,
        suspected_at: 500,
        confirmed_at: confirmedAt,
        crawl_id: 1,
      }),
    select(items: RecheckScope['items'], maxRequests?: number, more: Partial<RecheckScope> = {}) {
      const { specs, items: selected, requests } = selectChecks(db, { items, before: BEFORE, ...more }, maxRequests);
      return {
        specs: specs.map(({ kind, target, options }) => `${kind} ${target} ${options}`),
        items: selected.length,
        expected: requests.expected,
      };
    },
  };
}

const listOf = (since: number, maxPages: number) =>
  `timeline id:u1 ${JSON.stringify({ fullRefresh: true, isRecheck: true, maxPages, since })}`;
const tweetOf = (createdAt: number) => `tweet t${createdAt} ${RECHECK_OPTIONS}`;

describe('the checks of tweets', () => {
  test('read a list down to the oldest due tweet where that takes fewer requests', () => {
    const { user, tweet, select } = store();
    user(1, 10);
    for (let n = 1; n <= 50; n++) tweet({ createdAt: n });
    expect(select('tweets')).toEqual({ specs: [listOf(1, 25)], items: 50, expected: 3 });
  });

  test('request tweets by id where a list would take as many requests', () => {
    const { user, tweet, select } = store();
    user(1, 10);
    for (let n = 1; n <= 100; n++) tweet({ createdAt: n, lastSeenAt: n <= 3 ? n : BEFORE });
    expect(select('tweets')).toEqual({ specs: [1, 2, 3].map(tweetOf), items: 3, expected: 3 });
  });

  test('read the part of a list that saves requests, and request the rest by id', () => {
    const { user, tweet, select } = store();
    user(1, 10);
    // 30 due tweets at the top, one at the bottom; one that no list showed.
    for (let n = 1; n <= 400; n++) tweet({ createdAt: n, lastSeenAt: n > 370 || n === 1 ? 400 - n : BEFORE });
    tweet({ createdAt: 500, lastSeenAt: 900, list: 0 });
    expect(select('tweets')).toEqual({
      specs: [listOf(371, 15), tweetOf(1), tweetOf(500)],
      items: 32,
      expected: 4,
    });
  });

  test('at fixed ages ask once for each tweet that was not seen since an age, until it is half as old again', () => {
    const { user, tweet, select } = store();
    user(1, 10);
    const now = 1000;
    // No list shows these tweets.
    const show = (shown: Tweet) => tweet({ ...shown, list: 0 });
    const due = (ages: number[], at = now) =>
      select('tweets', Infinity, { before: at, ages }).specs.map((spec) => spec.split(' ')[1]);
    show({ createdAt: 900, lastSeenAt: 999 }); // 100 old now: seen before it was so old
    show({ createdAt: 851, lastSeenAt: 900 }); // 149 old
    show({ createdAt: 849, lastSeenAt: 900 }); // 151 old: too late
    show({ createdAt: 880, lastSeenAt: 980 }); // seen at the age
    show({ createdAt: 901, lastSeenAt: 902 }); // 99 old: too early
    show({ createdAt: 500, lastSeenAt: 890 }); // 500 old
    expect(due([100])).toEqual(['t851', 't900']);
    expect(due([400, 100])).toEqual(['t500', 't851', 't900']);
    expect(due([400, 100], now + 10)).toEqual(['t500', 't901', 't900']);
    expect(due([10])).toEqual([]);
  });

  test('at fixed ages read a list where it shows several due tweets, and request what it lacked by id', () => {
    const { user, tweet, select, crawl } = store();
    user(1, 10);
    for (let n = 1; n <= 10; n++) tweet({ createdAt: 800 + n, lastSeenAt: 820 });
    const ages = { before: 1000, ages: [150] };
    expect(select('tweets', Infinity, ages)).toEqual({ specs: [listOf(801, 5)], items: 10, expected: 1 });
    const options = JSON.stringify({ fullRefresh: true, isRecheck: true, maxPages: 5, since: 801 });
    crawl({ kind: 'timeline', target: 'id:u1', options, finished_at: 990, pages: 1, items: 5, last_page_items: 5 });
    expect(select('tweets', 2, ages)).toEqual({ specs: [801, 802].map(tweetOf), items: 2, expected: 2 });
  });

  test('never exceed the budget, and begin with the oldest check', () => {
    const { user, tweet, select } = store();
    for (const author of [1, 2, 3]) {
      user(author, 10);
      for (let n = 1; n <= 60; n++)
        tweet({ author, createdAt: author * 1000 + n, lastSeenAt: ((n * 7 + author * 11) % 61) + author });
    }
    for (let budget = 1; budget <= 20; budget++) {
      const { expected, items } = select('tweets', budget);
      expect(expected).toBeLessThanOrEqual(budget);
      expect(items).toBeGreaterThanOrEqual(Math.min(budget, 180));
    }
    expect(select('tweets', 1)).toMatchObject({ items: 1 });
    expect(select('tweets')).toMatchObject({ items: 180, expected: 9 });
  });

  test('request by id what a list lacked, and join a list that is still read', () => {
    const { db, user, tweet, select, crawl } = store();
    user(1, 10);
    for (let n = 1; n <= 50; n++) tweet({ createdAt: n });
    const options = JSON.stringify({ fullRefresh: true, isRecheck: true, maxPages: 7, since: 21 });
    const list = crawl({ kind: 'timeline', target: 'id:u1', options, state: 'running', finished_at: null });
    const oldest = Array.from({ length: 20 }, (_, i) => tweetOf(i + 1));
    // The identity of the unfinished crawl, which does not show the oldest 20.
    expect(select('tweets').specs).toEqual([...oldest, `timeline id:u1 ${options}`]);
    const end = (at: number) => db.$client.prepare('update crawls set finished_at = ? where id = ?').run(at, list);
    end(BEFORE);
    expect(select('tweets').specs).toEqual(Array.from({ length: 50 }, (_, i) => tweetOf(i + 1)));
    // One that was read long ago says nothing about now.
    end(BEFORE - 1);
    expect(select('tweets').specs).toEqual([listOf(1, 25)]);
  });

  test('leave out what is gone, unless it is asked for; a suspected tweet is requested by its id', () => {
    const { db, user, tweet, select, crawl, delete: remove } = store();
    user(1, 10);
    user(2, 10);
    remove(tweet({ createdAt: 1 }), 600);
    remove(tweet({ createdAt: 2 }), null);
    tweet({ createdAt: 3, author: 2 });
    const gone = crawl({ kind: 'profile', target: 'id:u2', reason: 'unavailable' });
    db.$client
      .prepare(
        "insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes) values (?, 'followers', 700, 404, 1, 1)",
      )
      .run(gone);
    expect(select('tweets').specs).toEqual([tweetOf(2)]);
    expect(countDueItems(db, { items: 'tweets', before: BEFORE })).toMatchObject({ due: 1, gone: 1, ofUnavailable: 1 });
    expect(select('tweets', undefined, { includesGone: true }).specs.toSorted()).toEqual([1, 2, 3].map(tweetOf));
    expect(select('users').specs).toEqual([`profile id:u1 ${RECHECK_OPTIONS}`]);
    expect(select('users', undefined, { includesGone: true }).items).toBe(2);
    expect(select('tweets', undefined, { accountIds: ['u2'], includesGone: true }).specs).toEqual([tweetOf(3)]);
    expect(select('tweets', undefined, { accountIds: [] })).toMatchObject({ items: 0 });
  });

  test('move a check that fails to the end of the order', () => {
    const { user, tweet, select, crawl } = store();
    user(1, 10);
    for (const n of [1, 2, 3]) tweet({ createdAt: n, lastSeenAt: n, list: 0 });
    const failed = { kind: 'tweet', target: 't1', options: RECHECK_OPTIONS, state: 'failed' };
    crawl({ ...failed, reason: 'unreachable', finished_at: 100 });
    expect(select('tweets').specs).toEqual([2, 3, 1].map(tweetOf));
    crawl({ ...failed, reason: 'unreachable', finished_at: BEFORE });
    expect(select('tweets').specs).toEqual([2, 3].map(tweetOf));
  });
});

test('an account whose check a budget cut short gets all the requests that it may need', () => {
  const { user, select, crawl } = store();
  for (let id = 1; id <= 6; id++) user(id, id);
  const of = (...ids: number[]) => ids.map((id) => `profile id:u${id} ${RECHECK_OPTIONS}`);
  expect(select('users', 4).specs).toEqual(of(1, 2, 3, 4));
  for (const id of [1, 2])
    crawl({ kind: 'profile', target: `id:u${id}`, options: RECHECK_OPTIONS, state: 'partial', reason: 'max_requests' });
  // The second one does not fit beside the first.
  expect(select('users', 4)).toMatchObject({ specs: of(1, 3), expected: 4 });
  expect(select('users', 7).specs).toEqual(of(1, 2, 3));
  // Without a request, nothing was cut short.
  crawl({
    kind: 'profile',
    target: 'id:u3',
    options: RECHECK_OPTIONS,
    state: 'partial',
    reason: 'max_requests',
    requests: 0,
  });
  expect(select('users', 8).specs).toEqual(of(1, 2, 3, 4));
});
