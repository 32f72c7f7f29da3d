import { expect, test } from 'vitest';
import { createStore, edgesOf, idOf, nodesOf, readTables } from './support.ts';

const DAY = 86_400_000;

test('a follow is in force from its first observation to the latest time of its end', () => {
  const path = createStore((store) => {
    store.users(4);
    store.follow(1, 2, { from: 10 * DAY });
    store.follow(1, 3, { from: 10 * DAY, seen: 15 * DAY, ended: 20 * DAY });
    store.follow(1, 4, { from: 30 * DAY });
  });
  expect(edgesOf(path, 'follows')).toEqual(['1 2 1', '1 4 1']);
  expect(readTables(path, 'follows').excluded).toEqual({ endedFollows: 1, unavailableAccounts: 0 });
  // At a moment, and during a period.
  expect(edgesOf(path, 'follows', { until: 12 * DAY })).toEqual(['1 2 1', '1 3 1']);
  expect(edgesOf(path, 'follows', { until: 25 * DAY })).toEqual(['1 2 1']);
  expect(edgesOf(path, 'follows', { since: 12 * DAY })).toEqual(['1 2 1', '1 3 1', '1 4 1']);
  expect(edgesOf(path, 'follows', { since: 20 * DAY })).toEqual(['1 2 1', '1 4 1']);
  expect(edgesOf(path, 'follows', { since: 21 * DAY, until: 22 * DAY })).toEqual(['1 2 1']);
  expect(edgesOf(path, 'follows', { until: 5 * DAY })).toEqual([]);
});

test('an edge that ended and returned is in force during each of its periods', () => {
  const path = createStore((store) => {
    store.users(2);
    store.followedBefore(1, 2, 10 * DAY, 20 * DAY);
    store.follow(1, 2, { from: 30 * DAY });
  });
  const times = (selection: object) => readTables(path, 'follows', selection).edges.map((row) => row.slice(4));
  expect(times({})).toEqual([[30 * DAY, null, 30 * DAY]]);
  expect(times({ until: 15 * DAY })).toEqual([[10 * DAY, 20 * DAY, 20 * DAY - 1]]);
  expect(times({ until: 25 * DAY })).toEqual([]);
  expect(times({ since: 0 })).toEqual([[10 * DAY, null, 30 * DAY]]);
});

test('mentions lead to the account that was last seen with the handle, or to the handle', () => {
  const path = createStore((store) => {
    store.users(3);
    // Account 3 took the handle of account 2, which was not seen since.
    store.db.exec(`update users set screen_name = 'user_2' where id = 3`);
    store.tweet(1, 1, 5, { mentions: ['user_2', 'nobody'] });
    store.tweet(2, 1, 9, { mentions: ['user_2'] });
    store.tweet(3, 2, 7, { mentions: ['user_1', 'user_2'] });
  });
  expect(edgesOf(path, 'mentions')).toEqual(['1 3 2', '1 @nobody 1', '2 1 1', '2 3 1']);
  const { edges, nodes, nodeColumns } = readTables(path, 'mentions');
  expect(edges).toContainEqual([idOf(1), idOf(3), 'Directed', 2, 5, 9]);
  const knownBy = nodeColumns.indexOf('known_by');
  expect(nodes.map((row) => [row[0], row[1], row[knownBy]])).toEqual([
    [idOf(1), 'User_1', 'reference'],
    [idOf(2), 'User_2', 'reference'],
    [idOf(3), 'user_2', 'reference'],
    ['@nobody', 'nobody', 'mention'],
  ]);
});

test('replies lead to the author of the parent tweet, as far as anything shows it', () => {
  const path = createStore((store) => {
    store.users(4);
    store.tweet(1, 2, 1);
    store.tweet(2, 1, 2, { parentTweet: '1', parentUser: 'other', parentHandle: 'other' });
    store.tweet(3, 1, 3, { parentTweet: '999', parentUser: idOf(3) });
    store.tweet(4, 1, 4, { parentTweet: '998', parentUser: '777', parentHandle: 'Gone' });
    store.tweet(5, 1, 5, { parentHandle: 'USER_4' });
    store.tweet(6, 1, 6, { parentHandle: 'Unknown_1' });
    store.tweet(7, 1, 7, { parentTweet: '997' });
    // Below tweet 1 in tweet-detail.
    store.tweet(8, 3, 8);
    store.db.exec('insert into tweet_replies (tweet_id, reply_id, first_seen_at, last_seen_at) values (1, 8, 1, 1)');
    // A reply to oneself.
    store.tweet(9, 2, 9, { parentTweet: '1', parentUser: idOf(2) });
  });
  expect(edgesOf(path, 'replies')).toEqual(['1 2 1', '1 3 1', '1 4 1', '1 777 1', '1 @unknown_1 1', '2 2 1', '3 2 1']);
  const { nodes, excluded } = readTables(path, 'replies');
  expect(excluded).toEqual({ unknownParents: 1, deletedTweets: 0, unavailableAccounts: 0 });
  expect(nodes.slice(-2).map((row) => row.slice(0, 2))).toEqual([
    ['777', 'Gone'],
    ['@unknown_1', 'Unknown_1'],
  ]);
});

test('cohashtags connect hashtags of the same tweet, each pair once', () => {
  const path = createStore((store) => {
    store.users(2);
    store.tweet(1, 1, 5, { hashtags: ['moon', 'star', 'été'] });
    store.tweet(2, 2, 3, { hashtags: ['star', 'moon'] });
    store.tweet(3, 2, null, { hashtags: ['alone'] });
  });
  expect(edgesOf(path, 'cohashtags')).toEqual(['moon star 2', 'moon été 1', 'star été 1']);
  expect(edgesOf(path, 'cohashtags', { minWeight: 2 })).toEqual(['moon star 2']);
  expect(readTables(path, 'cohashtags', { minWeight: 2 })).toMatchObject({
    edges: [['moon', 'star', 'Undirected', 2, 3, 5]],
    nodes: [
      ['moon', '#moon', 2],
      ['star', '#star', 2],
    ],
  });
  // The accounts are the authors of the tweets.
  expect(edgesOf(path, 'cohashtags', { accountRestIds: [idOf(2)] })).toEqual(['moon star 1']);
});

test('colinks connect accounts that shared the same link, from the time at which both had', () => {
  const path = createStore((store) => {
    store.users(3);
    store.tweet(1, 1, 10, { links: ['https://example.org/a', 'https://example.org/b'] });
    store.tweet(2, 1, 50, { links: ['https://example.org/a'] });
    store.tweet(3, 2, 20, { links: ['https://example.org/a'] });
    store.tweet(4, 2, 40, { links: ['https://example.org/b'] });
    store.tweet(5, 3, 30, { links: ['https://example.org/c'] });
  });
  expect(readTables(path, 'colinks').edges).toEqual([[idOf(1), idOf(2), 'Undirected', 2, 20, 40]]);
  expect(nodesOf(path, 'colinks')).toEqual(['1', '2']);
});

test.each([
  ['http://example.org/a', true],
  ['https://www.example.org/a/', true],
  ['https://EXAMPLE.org/a', true],
  ['https://example.org/a#part', true],
  ['https://example.org/a?utm_source=x&utm_medium=y', true],
  ['https://example.org/A', false],
  ['https://example.org/a?id=1', false],
  ['https://other.example.org/a', false],
  ['https://example.org/', false],
])('%s is the same link as https://example.org/a: %s', (link, isSame) => {
  const path = createStore((store) => {
    store.users(2);
    store.tweet(1, 1, 1, { links: ['https://example.org/a'] });
    store.tweet(2, 2, 2, { links: [link] });
  });
  expect(edgesOf(path, 'colinks')).toEqual(isSame ? ['1 2 1'] : []);
});

test('the time of tweets selects edges and weights; tweets of unknown time are in no period', () => {
  const path = createStore((store) => {
    store.users(3);
    store.tweet(1, 1, 5, { mentions: ['user_2'] });
    store.tweet(2, 1, 10, { mentions: ['user_2'] });
    store.tweet(3, 1, null, { mentions: ['user_2', 'user_3'] });
  });
  expect(edgesOf(path, 'mentions')).toEqual(['1 2 3', '1 3 1']);
  expect(edgesOf(path, 'mentions', { since: 5, until: 10 })).toEqual(['1 2 1']);
  expect(edgesOf(path, 'mentions', { minWeight: 2 })).toEqual(['1 2 3']);
});

test('deleted tweets are left out and counted', () => {
  const path = createStore((store) => {
    store.users(2);
    store.db.exec(
      `insert into crawls (id, kind, target, options, priority, state, created_at, updated_at) values (1, 'tweet', '1', '{}', 'interactive', 'failed', 1, 1)`,
    );
    store.tweet(1, 1, 5, { mentions: ['user_2'], hashtags: ['a', 'b'], links: ['https://example.org'] });
    store.tweet(2, 1, 6, { mentions: ['user_2'] });
    store.db.exec(
      'insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id) values (1, 2, 3, 1)',
    );
  });
  expect(edgesOf(path, 'mentions')).toEqual(['1 2 1']);
  expect(readTables(path, 'mentions').excluded).toEqual({ deletedTweets: 1, unavailableAccounts: 0 });
  expect(readTables(path, 'cohashtags')).toMatchObject({ edges: [], excluded: { deletedTweets: 1 } });
  expect(edgesOf(path, 'mentions', { includeDeleted: true })).toEqual(['1 2 2']);
});

test('unavailable accounts are left out with their edges, and counted', () => {
  const path = createStore((store) => {
    store.users(3);
    // The service answered 404 for the id of account 3.
    store.db.exec(`insert into crawls (id, kind, target, options, priority, state, reason, created_at, updated_at)
        values (1, 'followers', 'id:${idOf(3)}', '{}', 'interactive', 'failed', 'not_found', 90, 90);
      insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes) values (1, 'followers', 90, 404, 1, 1);`);
    store.follow(1, 2);
    store.follow(1, 3);
    store.follow(3, 2);
    store.tweet(1, 1, 5, { mentions: ['user_2', 'user_3'], hashtags: ['a', 'b'] });
    store.tweet(2, 3, 6, { mentions: ['user_2'], hashtags: ['a', 'c'] });
  });
  expect(nodesOf(path, 'follows')).toEqual(['1', '2']);
  expect(readTables(path, 'follows').excluded).toEqual({ endedFollows: 0, unavailableAccounts: 2 });
  expect(edgesOf(path, 'mentions')).toEqual(['1 2 1']);
  expect(readTables(path, 'mentions').excluded).toEqual({ deletedTweets: 0, unavailableAccounts: 2 });
  expect(edgesOf(path, 'cohashtags')).toEqual(['a b 1']);
  expect(nodesOf(path, 'follows', { accountRestIds: [idOf(1), idOf(3)], depth: 1 })).toEqual(['1', '2']);
  expect(edgesOf(path, 'follows', { includeDeleted: true })).toEqual(['1 2 1', '1 3 1', '3 2 1']);
});
