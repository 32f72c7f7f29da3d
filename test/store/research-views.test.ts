import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insert, iso, user } from '../queries/period-support.ts';
import { all, emptyStore, makeWorld } from '../world/worlds.ts';

/** The views of links, media, co-hashtags, conversations, activity and evidence, against a second computation. */

const tweet = (id: number, more: object = {}) => ({
  id,
  rest_id: `t${id}`,
  author_id: 1,
  created_at: id * 1e3,
  first_seen_at: 1,
  last_seen_at: 1,
  ...more,
});

test('v_links has the host of an address as URL parsers read it', () => {
  const db = emptyStore();
  const urls = [
    'https://example.org',
    'https://Example.org/a?b=c#d',
    'http://www.example.org:8080/a:b',
    'https://example.org?x=https://other.example/',
    'https://sub.example.org#a/b',
  ];
  insert(db, 'users', [user(1)]);
  insert(db, 'tweets', [tweet(1), tweet(2, { author_id: null })]);
  insert(db, 'tweet_links', [...urls.map((url) => ({ tweet_id: 1, url })), { tweet_id: 2, url: 'example.org/a' }]);
  const rows = all<{ url: string; host: string }>(db, "select url, host from v_links where author = 'name1'");
  expect(rows).toHaveLength(urls.length);
  for (const { url, host } of rows) expect(host).toBe(new URL(url).hostname);
  expect(all(db, "select * from v_links where rest_id = 't2'")).toEqual([
    {
      id: 2,
      rest_id: 't2',
      author_rest_id: null,
      author: null,
      text: null,
      created_at: iso(2e3),
      url: 'example.org/a',
      host: 'example.org',
    },
  ]);
});

test('v_media and v_links have every row of a world with its author', async () => {
  const { db } = await makeWorld(80, 5);
  const expected = (table: string, columns: string) =>
    all(
      db,
      `select ${columns}, rest_id, author_id from ${table} join tweets on id = tweet_id order by rest_id, ${columns}`,
    );
  const authors = new Map(
    all<{ id: number; handle: string }>(db, 'select id, screen_name as handle from users').map((row) => [
      row.id,
      row.handle,
    ]),
  );
  const withAuthor = (rows: unknown[]) =>
    (rows as Record<string, unknown>[]).map(({ author_id, ...row }) => ({
      ...row,
      author: authors.get(Number(author_id)),
    }));
  const media = 'position, type, url, width, height';
  const shown = all(db, `select ${media}, rest_id, author from v_media order by rest_id, position`);
  expect(shown.length).toBeGreaterThan(20);
  expect(shown).toEqual(withAuthor(expected('media', media)));
  expect(all(db, 'select url, rest_id, author from v_links order by rest_id, url')).toEqual(
    withAuthor(expected('tweet_links', 'url')),
  );
});

const TAGS: readonly string[] = ['a', 'b', 'c', 'd'];

test('v_cohashtags counts the tweets and authors of each pair, in both directions', () => {
  const post = fc.record({
    author: fc.integer({ min: 1, max: 3 }),
    tags: fc.uniqueArray(fc.constantFrom(...TAGS)),
  });
  fc.assert(
    fc.property(fc.array(post, { maxLength: 12 }), (posts) => {
      const db = emptyStore();
      insert(db, 'users', [user(1), user(2), user(3)]);
      insert(
        db,
        'tweets',
        posts.map(({ author }, i) => tweet(i + 1, { author_id: author })),
      );
      insert(
        db,
        'tweet_hashtags',
        posts.flatMap(({ tags }, i) => tags.map((tag) => ({ tweet_id: i + 1, tag }))),
      );
      const pairs = TAGS.flatMap((tag) => TAGS.flatMap((other) => (other === tag ? [] : [[tag, other]])));
      const truth = pairs.flatMap(([tag, other_tag]) => {
        const having = [...posts.entries()].filter(([, { tags }]) => tags.includes(tag!) && tags.includes(other_tag!));
        if (having.length === 0) return [];
        const times = having.map(([i]) => (i + 1) * 1000);
        const [tweets, authors] = [having.length, new Set(having.map(([, { author }]) => author)).size];
        return [{ tag, other_tag, tweets, authors, earliest_at: iso(times[0]!), latest_at: iso(times.at(-1)!) }];
      });
      expect(all(db, 'select * from v_cohashtags order by tag, other_tag')).toEqual(truth);
    }),
    { numRuns: 30 },
  );
});

describe('v_conversations', () => {
  test('leads from every tweet up to the first one', () => {
    // Each tweet replies to an earlier one, if at all: by its field, or by the place where it was shown.
    const parents = fc.array(fc.tuple(fc.nat(), fc.constantFrom('none', 'field', 'shown', 'not stored')), {
      minLength: 1,
      maxLength: 15,
    });
    fc.assert(
      fc.property(parents, (drawn) => {
        const db = emptyStore();
        insert(db, 'users', [user(1)]);
        const links = drawn.map(([n, how], i) => ({ parent: i === 0 ? 0 : (n % i) + 1, how }));
        insert(
          db,
          'tweets',
          links.map(({ parent, how }, i) => {
            const field = how === 'not stored' ? `gone${i}` : how === 'field' && parent > 0 ? `t${parent}` : null;
            return tweet(i + 1, { in_reply_to_status_rest_id: field });
          }),
        );
        for (const [i, { parent, how }] of links.entries()) {
          if (how !== 'shown' || parent === 0) continue;
          insert(db, 'tweet_replies', [{ tweet_id: parent, reply_id: i + 1, first_seen_at: 1, last_seen_at: 1 }]);
        }
        const walk = (id: number): { root: string; depth: number } => {
          const { parent, how } = links[id - 1]!;
          if (how === 'not stored') return { root: `gone${id - 1}`, depth: 1 };
          if (how === 'none' || parent === 0) return { root: `t${id}`, depth: 0 };
          const above = walk(parent);
          return { root: above.root, depth: above.depth + 1 };
        };
        const shown = all(db, 'select root_rest_id as root, depth from v_conversations order by id');
        expect(shown).toEqual(links.map((_, i) => walk(i + 1)));
      }),
      { numRuns: 50 },
    );
  });

  test('takes the newest of the tweets that a reply was shown below, and ends in a cycle', () => {
    const db = emptyStore();
    insert(db, 'users', [user(1)]);
    const cycle = { in_reply_to_status_rest_id: 't4' };
    insert(db, 'tweets', [tweet(1), tweet(2), tweet(3), tweet(4, cycle)]);
    const seen = { first_seen_at: 1, last_seen_at: 1 };
    insert(db, 'tweet_replies', [
      { tweet_id: 1, reply_id: 3, ...seen },
      { tweet_id: 2, reply_id: 3, ...seen },
      { tweet_id: 1, reply_id: 2, ...seen },
    ]);
    expect(all(db, 'select rest_id, parent_rest_id, root_rest_id, depth from v_conversations where id > 2')).toEqual([
      { rest_id: 't3', parent_rest_id: 't2', root_rest_id: 't1', depth: 2 },
      { rest_id: 't4', parent_rest_id: 't4', root_rest_id: 't4', depth: 1000 },
    ]);
  });

  test('has the replies of a world', async () => {
    const { db } = await makeWorld(80, 5);
    const parents = new Map(
      all<{ id: string; parent: string | null }>(
        db,
        'select rest_id as id, in_reply_to_status_rest_id as parent from tweets',
      ).map(({ id, parent }) => [id, parent]),
    );
    const depthOf = (id: string): number => {
      const parent = parents.get(id);
      return parent == null ? 0 : depthOf(parent) + 1;
    };
    const shown = all<{ id: string; depth: number }>(db, 'select rest_id as id, depth from v_conversations');
    expect(shown.some(({ depth }) => depth > 2)).toBe(true);
    expect(shown.filter(({ id, depth }) => depth !== depthOf(id))).toEqual([]);
  });
});

test('v_posting_activity counts the tweets of each author by day of the week and hour', () => {
  const time = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.array(time, { maxLength: 30 }), (times) => {
      const db = emptyStore();
      insert(db, 'users', [user(1), user(2)]);
      insert(
        db,
        'tweets',
        times.map((at, i) => tweet(i + 1, { author_id: (i % 2) + 1, created_at: at.getTime() })),
      );
      const truth = new Map<string, number>();
      for (const [i, at] of times.entries()) {
        const key = `${(i % 2) + 1}00 ${at.getUTCDay() || 7} ${at.getUTCHours()}`;
        truth.set(key, (truth.get(key) ?? 0) + 1);
      }
      const rows = all<{ key: string; tweets: number }>(
        db,
        "select author_rest_id || ' ' || weekday || ' ' || hour as key, tweets from v_posting_activity",
      );
      expect(new Map(rows.map(({ key, tweets }) => [key, tweets]))).toEqual(truth);
      expect(rows).toHaveLength(truth.size);
    }),
    { numRuns: 30 },
  );
});

test('v_complete_lists has the lists that are evidence', () => {
  const db = emptyStore();
  insert(db, 'users', [user(1)]);
  const crawl = {
    target: 'name1',
    options: '{}',
    priority: 'interactive',
    state: 'complete',
    created_at: 1,
    updated_at: 1,
  };
  insert(db, 'crawls', [{ id: 7, kind: 'followers', ...crawl }]);
  const times = { started_at: 1000, finished_at: 2000 };
  insert(db, '_list_snapshots', [
    { crawl_id: 7, side: 'followers', user_id: 1, ...times, item_count: 9, missed_count: 3, ended_count: 2 },
  ]);
  expect(all(db, "select * from v_complete_lists where account = 'name1'")).toEqual([
    {
      kind: 'followers',
      account_rest_id: '100',
      account: 'Name1',
      started_at: iso(1e3),
      finished_at: iso(2e3),
      missed: 3,
      ended: 2,
      crawl_id: 7,
    },
  ]);
});

describe('v_observed_periods', () => {
  const crawl = (id: number, more: object) => ({
    id,
    kind: 'timeline',
    target: 'id:100',
    options: '{}',
    priority: 'interactive',
    state: 'complete',
    target_rest_id: '100',
    created_at: 1,
    updated_at: 1,
    finished_at: 1,
    pages: 1,
    ...more,
  });
  const interval = (id: number, oldest: number, newest: number, more: object = {}) => ({
    id,
    kind: 'timeline',
    target: '100',
    newest_rest_id: 'n',
    newest_at: newest,
    oldest_rest_id: 'o',
    oldest_at: oldest,
    crawl_id: 1,
    pages: 1,
    items: 1,
    created_at: 1,
    updated_at: 1,
    ...more,
  });
  const scan = (newest: number, more: object = {}) => ({
    isFromTop: true,
    newest: {
      id: 'n',
      at: newest,
    },
    oldest: {
      id: 'o',
      at: 1,
    },
    outlier: null,
    ...more,
  });
  const checkpoint = (content: object): string => JSON.stringify(content);
  const periodsOf = (crawls: readonly object[], intervals: readonly object[], tweets: readonly object[] = []) => {
    const db = emptyStore();
    insert(db, 'users', [user(1, { screen_name: 'Ada' })]);
    insert(db, 'tweets', tweets as Record<string, unknown>[]);
    insert(db, 'crawls', crawls as Record<string, unknown>[]);
    insert(db, 'coverage', intervals as Record<string, unknown>[]);
    return db.$client
      .prepare("select from_ms, to_ms from v_observed_periods where account_rest_id = '100' order by kind, to_ms")
      .raw()
      .all();
  };

  test('are the intervals, the newest one up to the crawl that found nothing newer', () => {
    const done = crawl(1, { started_at: 9500, checkpoint: checkpoint({ scan: scan(8000) }), state: 'partial' });
    expect(periodsOf([done], [interval(1, 2000, 4000), interval(2, 6000, 8000)])).toEqual([
      [2000, 4000],
      [6000, 9000],
    ]);
  });

  test.each([
    ['with a newer item, whose page was not stored', { scan: scan(8500) }],
    ['with an outlier that may be newer', { scan: scan(8000, { outlier: { id: 'x', at: 8500 } }) }],
    ['without an order of time', { scan: 'unordered' }],
    ['with one item only', { scan: scan(8000, { oldest: null }) }],
    ['of the middle of the list', { scan: scan(8000, { isFromTop: false }) }],
  ])('end at the newest item after a crawl %s', (_, content) => {
    const done = crawl(1, { started_at: 9500, checkpoint: checkpoint(content), state: 'partial' });
    expect(periodsOf([done], [interval(2, 6000, 8000)])).toEqual([[6000, 8000]]);
  });

  test('end at an earlier crawl that proves it, by any of the names of the account', () => {
    const proven = crawl(1, {
      target: 'ada',
      started_at: 9000,
      ending: 'joined',
      checkpoint: checkpoint({ skippedDownTo: 1 }),
    });
    const other = crawl(2, { started_at: 12_000, checkpoint: checkpoint({ scan: scan(11_000) }), state: 'partial' });
    expect(periodsOf([proven, other], [interval(2, 6000, 8000)])).toEqual([[6000, 9000]]);
  });

  test('begin with the account if the service ended a timeline', () => {
    const done = crawl(1, { started_at: 9500, ending: 'served' });
    expect(periodsOf([done], [interval(1, 6000, 8000, { list_end: 'served' })])).toEqual([[null, 9000]]);
  });

  test.each([
    ['an inferred end', 'timeline', 'inferred', 1],
    ['the end of a list of replies', 'replies', 'served', 2],
  ])('begin at the item before the last after %s', (_, kind, listEnd, flag) => {
    const tweets = [
      tweet(6, { seen_in_lists: flag }),
      tweet(7, { seen_in_lists: flag }),
      tweet(8, { seen_in_lists: flag }),
    ];
    expect(periodsOf([crawl(1, { kind })], [interval(1, 6000, 8000, { kind, list_end: listEnd })], tweets)).toEqual([
      [7000, 8000],
    ]);
  });

  test('of one item above an inferred end are that instant, whatever is newer', () => {
    const tweets = [tweet(8, { seen_in_lists: 1 }), tweet(9, { seen_in_lists: 1 })];
    const one = interval(1, 8000, 8000, { list_end: 'inferred' });
    expect(periodsOf([crawl(1, {})], [one], tweets)).toEqual([[8000, 8000]]);
  });

  test('of an empty list end when it was read', () => {
    const empty = (id: number, at: number) => crawl(id, { started_at: at, reason: 'no_tweets', pages: 0 });
    expect(periodsOf([empty(1, 5000), empty(2, 7000)], [])).toEqual([[null, 7000]]);
  });

  test('do not have the time of an empty list of an account with tweets, which may be closed', () => {
    const empty = crawl(2, { started_at: 9500, reason: 'no_tweets' });
    const db = emptyStore();
    insert(db, 'users', [user(1, { screen_name: 'Ada', statuses_count: 500 })]);
    insert(db, 'crawls', [empty]);
    const periods = db.$client.prepare('select from_ms, to_ms from v_observed_periods').raw();
    expect(periods.all()).toEqual([]);
    insert(db, 'coverage', [interval(1, 6000, 8000, { crawl_id: 2 })]);
    expect(periods.all()).toEqual([[6000, 8000]]);
    db.$client.exec('update users set statuses_count = 0');
    expect(periods.all()).toEqual([[6000, 9000]]);
  });
});

test.each([
  ['v_links', "author_rest_id = '1'"],
  ['v_links', "author = 'ada'"],
  ['v_links', "rest_id = '1'"],
  ['v_media', "author_rest_id = '1'"],
  ['v_media', "author = 'ada'"],
  ['v_media', "rest_id = '1'"],
  ['v_cohashtags', "tag = 'moon'"],
  ['v_conversations', "author_rest_id = '1'"],
  ['v_conversations', "author = 'ada'"],
  ['v_conversations', "rest_id = '1'"],
  ['v_posting_activity', "author_rest_id = '1'"],
  ['v_observed_periods', "account_rest_id = '1'"],
  ['v_complete_lists', "account_rest_id = '1'"],
  ['v_complete_lists', "account = 'ada'"],
  ['v_mentions', "mentioned = 'ada'"],
  ['v_mentions', "author_rest_id = '1'"],
  ['v_current_follows', "follower_rest_id = '1'"],
  ['v_current_follows', "followee = 'ada'"],
])('%s uses indexes for %s', (view, condition) => {
  const steps = all<{ detail: string }>(emptyStore(), `explain query plan select * from ${view} where ${condition}`);
  // Names of common table expressions and of results are no tables.
  expect(
    steps.map(({ detail }) => detail).filter((step) => /^SCAN (?!up$|name$|p$|v_|\(|CONSTANT)/.test(step)),
  ).toEqual([]);
});
