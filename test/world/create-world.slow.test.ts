import { describe, expect, it } from 'vitest';
import { extractEntities } from '#base/text.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { WORLD_END } from '#twin/world/times-and-ids.ts';
import { all, digest, emptyStore, INCONSISTENCIES, makeWorld, number, TABLES } from './worlds.ts';

const USER_COLUMNS = [
  'screen_name',
  'name',
  'description',
  'location',
  'url',
  'type',
  'profile_image_url',
  'cover_image_url',
  'verified',
  'is_blue_verified',
  'can_dm',
  'has_custom_timelines',
  'is_translator',
  'favourites_count',
  'created_at',
  'profile_at',
];

/** Queries that find inconsistencies in a world of any size and seed. */
const NEVER: Readonly<Record<string, string>> = {
  ...INCONSISTENCIES,
  'an edge that has ended': 'select id from follows where ended_at is not null',
  'an edge of an unknown account':
    'select * from follows where followee_id not in (select id from users) or follower_id not in (select id from users)',
  'a user who is not fully known': `select id from users where ${USER_COLUMNS.map((column) => `${column} is null`).join(' or ')}`,
  'a tweet that is not fully known':
    'select id from tweets where text is null or created_at is null or favorite_count + retweet_count + quote_count is null',
  'a reply without parent, older than its parent, or with a wrong parent author': `select t.id from tweets t left join tweets p on p.rest_id = t.in_reply_to_status_rest_id left join users u on u.id = p.author_id
     where t.in_reply_to_status_rest_id is not null and (p.id is null or p.created_at >= t.created_at
       or u.rest_id is not t.in_reply_to_user_rest_id or u.screen_name is not t.in_reply_to_screen_name)`,
  'a reply without all three fields': `select id from tweets where (in_reply_to_status_rest_id is null) <> (in_reply_to_user_rest_id is null)
       or (in_reply_to_status_rest_id is null) <> (in_reply_to_screen_name is null)`,
  'an id that is not a number of at most 19 digits': `select rest_id from (select rest_id from users union all select rest_id from tweets union all select rest_id from lists
       union all select rest_id from communities) where rest_id glob '*[^0-9]*' or length(rest_id) > 19 or rest_id glob '0*'`,
  'a reply in a community or a list': `select id from tweets where in_reply_to_status_rest_id is not null and id in
       (select tweet_id from community_tweets union select tweet_id from list_tweets)`,
  'a history': 'select id from user_history union all select id from tweet_history',
  'a time after WORLD_END': `select id from tweets where created_at >= ${WORLD_END} or first_seen_at <> ${WORLD_END}`,
};

const SCRIPTS = 'Latin Cyrillic Greek Arabic Hebrew Devanagari Tamil Thai Han Hangul Georgian'.split(' ');

const SIZES: [users: number, seed: number][] = [
  [0, 1],
  [1, 1],
  [2, 1],
  [3, 2],
  [49, 3],
  [50, 4],
  [500, 7],
  [150, 123_456_789_012],
];

describe.each(SIZES)('a world of %i users by seed %i', (users, seed) => {
  it('is consistent', async () => {
    const { db, summary } = await makeWorld(users, seed);
    const broken = Object.entries(NEVER).filter(([, query]) => all(db, query).length > 0);
    expect(broken.map(([what]) => what)).toEqual([]);
    expect(number(db, 'select count(*) from users')).toBe(users);
    expect(summary).toMatchObject({
      users,
      follows: number(db, 'select count(*) from follows'),
      tweets: number(db, 'select count(*) from tweets'),
      replies: number(db, 'select count(*) from tweets where in_reply_to_status_rest_id is not null'),
      media: number(db, 'select count(*) from media'),
    });
    for (const { screen_name: name } of all<{ screen_name: string }>(db, 'select screen_name from users')) {
      expect(name).toMatch(/^[A-Za-z0-9_]{1,15}$/);
    }
    for (const group of ['communities', 'lists'] as const) {
      expect(summary[group]).toBe(number(db, `select count(*) from ${group}`));
      expect(summary[group]).toBeGreaterThanOrEqual(users >= 50 ? 3 : Math.min(users, 1));
    }
  });

  it('has the entities of its texts', async () => {
    const { db } = await makeWorld(users, seed);
    const stored = (table: string, column: string, id: number): unknown[] =>
      db.$client.prepare(`select ${column} from ${table} where tweet_id = ? order by 1`).pluck().all(id);
    for (const { id, text } of all<{ id: number; text: string }>(db, 'select id, text from tweets')) {
      const { hashtags, mentions, links } = extractEntities(text);
      const byBytes = (list: string[]) => list.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(stored('tweet_hashtags', 'tag', id)).toEqual(byBytes(hashtags));
      expect(stored('tweet_mentions', 'screen_name', id)).toEqual(byBytes(mentions));
      expect(stored('tweet_links', 'url', id)).toEqual(byBytes(links));
    }
  });
});

describe('a world of 500 users', () => {
  it('is identical for the same seed, and different for another', async () => {
    const [one, same, other] = await Promise.all([makeWorld(150, 7), makeWorld(150, 7), makeWorld(150, 8)]);
    expect(digest(one.db)).toBe(digest(same.db));
    expect(one.summary).toEqual(same.summary);
    for (const table of TABLES) expect(number(one.db, `select count(*) from ${table}`)).toBeGreaterThan(0);
    expect(digest(other.db)).not.toBe(digest(one.db));
  });

  it('has few famous accounts and many with few tweets', async () => {
    const { db, summary } = await makeWorld(500, 7);
    const top = number(
      db,
      'select sum(followers_count) from (select followers_count from users order by 1 desc limit 5)',
    );
    expect(top / summary.follows).toBeGreaterThan(0.06);
    expect(summary.follows / 500).toSatisfy((mean: number) => mean >= 15 && mean <= 25);
    expect(summary.tweets / 500).toSatisfy((mean: number) => mean >= 8 && mean <= 15);
    expect(summary.mostFollowed[0]).toMatchObject({
      screenName: 'HarbourNews',
      followers: number(db, 'select max(followers_count) from users'),
    });
    expect(summary.mostFollowed[0]!.followers).toBeGreaterThan(200);
    expect(summary.mostProlific[0]!.tweets).toBeGreaterThan(200);
  });

  it('has silent and tweetless accounts, threads, conversations, and several kinds of media', async () => {
    const { db } = await makeWorld(500, 7);
    const counts = 'from users where statuses_count = 0';
    expect(number(db, `select count(*) ${counts} and followers_count + following_count <= 3`)).toBeGreaterThan(10);
    expect(number(db, `select count(*) ${counts} and following_count > 5`)).toBeGreaterThan(20);
    const replies = 'select count(*) from tweets join users u on u.id = author_id where in_reply_to_user_rest_id';
    expect(number(db, `${replies} = u.rest_id`)).toBeGreaterThan(50);
    expect(number(db, `${replies} <> u.rest_id`)).toBeGreaterThan(500);
    expect(all(db, 'select distinct type from media order by 1').map(({ type }) => type)).toEqual([
      'animated_gif',
      'photo',
      'video',
    ]);
    expect(number(db, 'select count(distinct length(rest_id)) from users')).toBeGreaterThan(5);
    expect(number(db, "select count(*) from users where description = ''")).toBeGreaterThan(10);
    for (const join of [
      'communities g left join community_tweets m on m.community_id',
      'lists g left join list_tweets m on m.list_id',
    ]) {
      expect(
        number(db, `select min(n) from (select count(m.tweet_id) n from ${join} = g.id group by g.id)`),
      ).toBeGreaterThan(0);
    }
  });

  it.each([1, 7])('has well-formed names and tweets in every script by seed %i', async (seed) => {
    const { db } = await makeWorld(500, seed);
    const texts = all<{ t: string }>(db, 'select text as t from tweets').map(({ t }) => t);
    const people = all<{ t: string }>(db, "select name || ' ' || description || ' ' || location as t from users").map(
      ({ t }) => t,
    );
    for (const words of [texts.join('\n'), people.join('\n')]) {
      expect(SCRIPTS.filter((script) => !new RegExp(`\\p{Script=${script}}`, 'u').test(words))).toEqual([]);
      expect(words).toMatch(/\p{Script=Hiragana}|\p{Script=Katakana}/u);
      expect(words).toMatch(/\p{Extended_Pictographic}/u);
      expect(words.isWellFormed()).toBe(true);
      expect(words).not.toContain('\0');
    }
    expect(people.some((text) => text.includes('\n'))).toBe(true);
    expect(people.some((text) => text.includes('"'))).toBe(true);
  });
});

describe('creating a world', () => {
  it('refuses a store that is not empty, with a hint', async () => {
    const { db } = await makeWorld(2, 1);
    const before = digest(db);
    await expect(createWorld({ db, users: 2, seed: 1 })).rejects.toMatchObject({
      message: 'the database already holds users, tweets or follows',
      hint: 'A world needs a store of its own: give a new file with --db.',
    });
    expect(digest(db)).toBe(before);
  });

  it('stops when it is aborted', async () => {
    const db = emptyStore();
    const stop = new AbortController();
    const reason = new Error('enough');
    const creation = createWorld({
      db,
      users: 500,
      seed: 1,
      signal: stop.signal,
      onProgress: () => stop.abort(reason),
    });
    await expect(creation).rejects.toBe(reason);
    expect(number(db, 'select count(*) from users')).toBe(0);
  });

  it('reports the progress of each phase up to its end', async () => {
    const phases: string[] = [];
    await createWorld({
      db: emptyStore(),
      users: 50,
      seed: 1,
      onProgress: ({ phase, done, total }) => void (done === total && phases.push(phase)),
    });
    expect(phases).toEqual(['follows', 'tweets', 'users']);
  });
});
