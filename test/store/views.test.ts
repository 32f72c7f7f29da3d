import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TweetRow } from '#store/schema/normalised-rows.ts';
import { all, emptyStore, makeWorld, number } from '../world/worlds.ts';
import { newStore, pageOf, readerOf, rows, spec, startCrawl, tweet, user } from './support.ts';

const VIEWS =
  `v_users v_tweets v_follows v_follow_changes v_user_versions v_tweet_versions v_user_changes v_tweet_changes v_mentions v_handle_periods v_deleted_tweets
  v_hashtags_per_day v_replies v_crawls v_coverage v_gaps v_search_windows v_completeness v_panel_members v_unavailable_accounts v_restored
  v_links v_media v_cohashtags v_conversations v_posting_activity v_observed_periods v_complete_lists`.split(/\s+/);

describe('the views', () => {
  test.each(VIEWS)('%s returns no rows of an empty store', (view) => {
    expect(all(emptyStore(), `select * from ${view}`)).toEqual([]);
  });

  test('show all rows of a world', async () => {
    const { db, summary } = await makeWorld(80, 5);
    const count = (from: string) => number(db, `select count(*) from ${from}`);
    expect({
      users: count("v_users where known_by = 'profile' and created_at < profile_at"),
      tweets: count('v_tweets where author is not null and media_count > 0 = has_media'),
      media: number(db, 'select sum(media_count) from v_tweets'),
      follows: count('v_follows where follower is not null and followee is not null and ended_at is null'),
      replies: count('v_replies where parent_author is not null and parent_text is not null and latency_seconds > 0'),
      hashtags: number(db, 'select sum(tweets) from v_hashtags_per_day'),
      engagement: number(db, 'select sum(engagement) from v_tweets'),
    }).toEqual({
      users: summary.users,
      tweets: summary.tweets,
      media: summary.media,
      follows: summary.follows,
      replies: summary.replies,
      hashtags: count('tweet_hashtags'),
      engagement: number(db, 'select sum(favorite_count + retweet_count + reply_count + quote_count) from tweets'),
    });
    expect(count('v_tweets where is_reply')).toBe(summary.replies);
  });

  test('show times as JavaScript writes them, of every year of four digits', () => {
    const { $client } = emptyStore();
    const insert = $client.prepare('insert into users (rest_id, created_at, first_seen_at) values (?, ?, 0)');
    const shown = $client.prepare('select created_at from v_users order by id').pluck();
    const instant = fc.integer({
      min: Date.UTC(0, 0, 1) - 1900 * 366 * 86_400_000,
      max: Date.UTC(9999, 11, 31, 23, 59, 59, 999),
    });
    fc.assert(
      fc.property(
        fc.array(
          instant.filter((at) => new Date(at).getUTCFullYear() >= 0),
          { minLength: 20, maxLength: 20 },
        ),
        (times) => {
          $client.exec('delete from users');
          for (const [i, at] of times.entries()) insert.run(String(i), at);
          expect(shown.all()).toEqual(times.map((at) => new Date(at).toISOString()));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('keep unknown values null', async () => {
    const store = newStore();
    const crawl = await startCrawl(store);
    await crawl.store({
      users: [user('1', { detailLevel: 'reference', screenName: 'Ada' })],
      tweets: [
        tweet('10', { authorRestId: '1', favoriteCount: 2, createdAt: 5000 }),
        tweet('11', { inReplyToStatusRestId: '10', createdAt: 7500 }),
        tweet('12', { authorRestId: '1', inReplyToStatusRestId: '404', hashtags: ['moon'] }),
      ],
    });
    const db = readerOf(store);
    expect(db.prepare('select known_by, name, created_at, profile_at from v_users').all()).toEqual([
      { known_by: 'reference', name: null, created_at: null, profile_at: null },
    ]);
    expect(
      db.prepare('select rest_id, author, engagement, media_count, is_reply from v_tweets order by id').all(),
    ).toEqual([
      { rest_id: '10', author: 'Ada', engagement: 2, media_count: 0, is_reply: null },
      { rest_id: '11', author: null, engagement: null, media_count: 0, is_reply: 1 },
      { rest_id: '12', author: 'Ada', engagement: null, media_count: 0, is_reply: 1 },
    ]);
    expect(
      db.prepare('select rest_id, parent_rest_id, parent_author, latency_seconds from v_replies order by id').all(),
    ).toEqual([
      { rest_id: '11', parent_rest_id: '10', parent_author: 'Ada', latency_seconds: 2.5 },
      { rest_id: '12', parent_rest_id: '404', parent_author: null, latency_seconds: null },
    ]);
    expect(db.prepare('select * from v_hashtags_per_day').all()).toEqual([
      { day: null, tag: 'moon', tweets: 1, authors: 1 },
    ]);
    expect(db.prepare('select state, requests_per_new_item, finished_at from v_crawls').get()).toEqual({
      state: 'running',
      requests_per_new_item: 0,
      finished_at: null,
    });
    await crawl.end();
    expect(db.prepare('select seconds, started_at, finished_at from v_crawls').get()).toEqual({
      seconds: 0.002,
      started_at: '1970-01-01T00:00:00.001Z',
      finished_at: '1970-01-01T00:00:00.003Z',
    });
  });

  test('show the tweet that a reply answers, by its fields or position, once each', async () => {
    const store = newStore();
    const crawl = await startCrawl(store);
    await crawl.store({
      users: [
        user('1', { screenName: 'Ada' }),
        user('2', { screenName: 'Bob' }),
        user('3', { detailLevel: 'reference' }),
      ],
      tweets: [
        tweet('10', { authorRestId: '1', createdAt: 1000 }),
        tweet('11', { authorRestId: '2' }),
        tweet('12', { authorRestId: '2' }),
        // The parent is stored; only the account is; nothing is; the account is stored without its handle.
        tweet('20', {
          inReplyToStatusRestId: '10',
          inReplyToUserRestId: '1',
          inReplyToScreenName: 'ada_then',
          createdAt: 3000,
        }),
        tweet('21', { inReplyToStatusRestId: '404', inReplyToUserRestId: '2', inReplyToScreenName: 'bob_then' }),
        tweet('22', { inReplyToStatusRestId: '404', inReplyToUserRestId: '9', inReplyToScreenName: 'Nobody' }),
        tweet('23', { inReplyToStatusRestId: '404', inReplyToUserRestId: '3', inReplyToScreenName: 'quiet' }),
        tweet('24', { inReplyToScreenName: 'nobody' }),
      ],
      tweetLists: [{ kind: 'tweet', target: '10', tweets: ['11', '20', '24'] }],
    });
    const db = readerOf(store);
    const shown = (where: string) =>
      db
        .prepare(
          `select rest_id, parent_rest_id, parent_author_rest_id, parent_author from v_replies where ${where} order by id`,
        )
        .raw()
        .all();
    const answers = [
      ['11', '10', '1', 'Ada'],
      ['20', '10', '1', 'Ada'],
      ['21', '404', '2', 'Bob'],
      ['22', '404', '9', 'Nobody'],
      ['23', '404', '3', 'quiet'],
      ['24', '10', '1', 'Ada'],
    ];
    expect(shown('true')).toEqual(answers);
    expect(shown("parent_author = 'ADA'")).toEqual([answers[0], answers[1], answers[5]]);
    expect(shown("parent_author = 'nobody'")).toEqual([answers[3]]);
    expect(shown("parent_author_rest_id = '2'")).toEqual([answers[2]]);
    expect(shown("parent_rest_id = '404'")).toEqual([answers[2], answers[3], answers[4]]);
    const isReply = db.prepare('select rest_id, is_reply from v_tweets order by rest_id').raw().all();
    expect(isReply.map((row) => (row as unknown[]).join(' '))).toEqual([
      '10 ',
      '11 1',
      '12 ',
      '20 1',
      '21 1',
      '22 1',
      '23 1',
      '24 1',
    ]);
  });

  test('show mentions with the account that was last seen with the handle', async () => {
    const store = newStore();
    const crawl = await startCrawl(store);
    await crawl.store({ users: [user('1', { screenName: 'Ada' }), user('2', { screenName: 'bob' })] });
    await crawl.store({ users: [user('3', { screenName: 'ADA', name: 'The later one' })] });
    await crawl.store({
      tweets: [tweet('10', { authorRestId: '2', mentions: ['ada', 'nobody'] })],
      users: [user('2')],
    });
    const shown = readerOf(store).prepare(
      'select rest_id, mentioned, mentioned_rest_id, mentioned_screen_name, mentioned_name from v_mentions order by mentioned',
    );
    expect(shown.raw().all()).toEqual([
      ['10', 'ada', '3', 'ADA', 'The later one'],
      ['10', 'nobody', null, null, null],
    ]);
  });

  test('identify originals by the lists of their authors, and do not guess', async () => {
    const store = newStore();
    const [timeline] = await store.write.openCrawls([spec({ kind: 'timeline' })], 1);
    const [replies] = await store.write.openCrawls([spec({ kind: 'replies' })], 1);
    const [search] = await store.write.openCrawls([spec({ kind: 'search' })], 1);
    const see = async (crawlId: number, ...tweets: TweetRow[]) => {
      const { leaseToken: lease } = (await store.write.takeLease(crawlId, 2))!;
      await store.write.commitPage(pageOf(crawlId, lease, 3, { rows: rows({ tweets }) }));
    };
    await see(timeline!.id, tweet('1'));
    await see(replies!.id, tweet('2'), tweet('3', { inReplyToUserRestId: '9' }));
    await see(search!.id, tweet('4'));
    const isReply = readerOf(store).prepare('select rest_id, is_reply from v_tweets order by rest_id').raw().all();
    expect(isReply.map((row) => (row as unknown[]).join(' '))).toEqual(['1 0', '2 0', '3 1', '4 ']);
  });

  test.each([
    ["v_users where rest_id = '1'", 'users USING INDEX users_rest_id_unique (rest_id=?)'],
    ["v_users where screen_name = 'nasa'", 'users USING INDEX users_screen_name (screen_name=?)'],
    [
      "v_users where id in (select rowid from users_fts where users_fts match 'a')",
      'users USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    ["v_tweets where rest_id = '1'", 't USING INDEX tweets_rest_id_unique (rest_id=?)'],
    ["v_tweets where author = 'nasa'", 'a USING INDEX users_screen_name (screen_name=?)'],
    ["v_tweets where author_rest_id = '1'", 'a USING INDEX users_rest_id_unique (rest_id=?)'],
    [
      "v_tweets where in_reply_to_status_rest_id = '1'",
      't USING INDEX tweets_in_reply_to (in_reply_to_status_rest_id=?)',
    ],
    ['v_tweets where created_ms >= 1 order by created_ms desc', 't USING INDEX tweets_created_at (created_at>?)'],
    [
      "v_tweets where id in (select rowid from tweets_fts where tweets_fts match 'a')",
      't USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    ["v_follows where follower = 'nasa'", 'r USING INDEX users_screen_name (screen_name=?)'],
    ["v_follows where followee = 'nasa'", 'e USING INDEX users_screen_name (screen_name=?)'],
    ["v_follows where follower_rest_id = '1'", 'r USING INDEX users_rest_id_unique (rest_id=?)'],
    ["v_follows where followee_rest_id = '1'", 'e USING INDEX users_rest_id_unique (rest_id=?)'],
    ["v_follow_changes where follower = 'nasa'", 'r USING INDEX users_screen_name (screen_name=?)'],
    ["v_follow_changes where followee = 'nasa'", 'e USING INDEX users_screen_name (screen_name=?)'],
    ["v_follow_changes where followee_rest_id = '1'", 'e USING INDEX users_rest_id_unique (rest_id=?)'],
    ["v_user_versions where rest_id = '1'", 'u USING INDEX users_rest_id_unique (rest_id=?)'],
    ["v_tweet_versions where rest_id = '1'", 't USING INDEX tweets_rest_id_unique (rest_id=?)'],
    ["v_user_changes where rest_id = '1'", 'u USING INDEX users_rest_id_unique (rest_id=?)'],
    ["v_user_changes where screen_name = 'nasa'", 'u USING INDEX users_screen_name (screen_name=?)'],
    ["v_tweet_changes where rest_id = '1'", 't USING INDEX tweets_rest_id_unique (rest_id=?)'],
    ["v_mentions where mentioned = 'nasa'", 'm USING PRIMARY KEY (screen_name=?)'],
    ["v_mentions where rest_id = '1'", 't USING INDEX tweets_rest_id_unique (rest_id=?)'],
    ["v_handle_periods where screen_name = 'nasa'", 'h USING INDEX user_history_screen_name (screen_name=?)'],
    ["v_handle_periods where rest_id = '1'", 'u USING INDEX users_rest_id_unique (rest_id=?)'],
    ["v_hashtags_per_day where tag = 'moon'", 'h USING PRIMARY KEY (tag=?)'],
    ["v_replies where rest_id = '1'", 'r USING INDEX tweets_rest_id_unique (rest_id=?)'],
    ["v_replies where author = 'nasa'", 'a USING INDEX users_screen_name (screen_name=?)'],
    ["v_replies where parent_rest_id = '1'", 'p USING INDEX tweets_rest_id_unique (rest_id=?)'],
    ["v_replies where parent_author = 'nasa'", 'pa USING INDEX users_screen_name (screen_name=?)'],
    ["v_replies where parent_author_rest_id = '1'", 'pa USING INDEX users_rest_id_unique (rest_id=?)'],
    ['v_crawls where id = 1', 'crawls USING INTEGER PRIMARY KEY (rowid=?)'],
  ])('%s uses only indexes', (from, start) => {
    const db = emptyStore();
    const plan = all<{ detail: string }>(db, `explain query plan select * from ${from}`).map(({ detail }) => detail);
    const reads = plan.filter((line) => /^(SEARCH|SCAN) (?!v_|\w+_fts)/.test(line));
    expect(reads[0]).toBe(`SEARCH ${start}`);
    // A range over the partial index of replies would be all of them.
    expect(
      reads.filter(
        (line) => line.startsWith('SCAN') || line.includes('tweets_in_reply_to (in_reply_to_status_rest_id>'),
      ),
    ).toEqual([]);
  });

  test('compare handles case-insensitively', async () => {
    const { db, summary } = await makeWorld(40, 3);
    const { screenName, restId, followers } = summary.mostFollowed[0]!;
    const shouted = screenName.toUpperCase();
    expect(all(db, `select rest_id from v_users where screen_name = '${shouted}'`)).toEqual([{ rest_id: restId }]);
    expect(number(db, `select count(*) from v_follows where followee = '${shouted}'`)).toBe(followers);
  });
});
