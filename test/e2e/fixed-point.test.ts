import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { runSuccessfully } from '../support/cli.ts';
import { rowsOf, serve, withWorld, writeTargets } from './support.ts';

/**
 * The fixed point: a crawl of everything that a twin serves gives the store that it serves from, over this projection.
 * Each row is a set of columns, with the ids of the service, with the endpoint that reveals it. What the
 * interface does not show is not here: when an edge began, and who is on a list.
 */
const PROJECTION: Readonly<Record<string, { revealedBy: string; columns: string; from: string }>> = {
  profiles: {
    revealedBy: 'user-profile',
    columns: `rest_id, screen_name, name, description, location, url, type, profile_image_url, cover_image_url,
      is_blue_verified, can_dm, has_custom_timelines, is_translator, followers_count, following_count,
      favourites_count, media_count, statuses_count, created_at`,
    from: 'users',
  },
  verified: {
    revealedBy: 'followers, following: shown of all accounts in a list',
    columns: 'rest_id, verified',
    from: 'users where exists (select 1 from follows where users.id in (follower_id, followee_id))',
  },
  tweets: {
    revealedBy: 'user-tweets-replies',
    columns: `t.rest_id, a.rest_id as author, text, t.created_at, favorite_count, retweet_count, reply_count, quote_count,
      in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name`,
    from: 'tweets t join users a on a.id = t.author_id',
  },
  has_media: {
    revealedBy: 'user-tweets: shown of originals',
    columns: 'rest_id, has_media',
    from: 'tweets where in_reply_to_status_rest_id is null',
  },
  replies: {
    revealedBy: 'tweet-detail by position, user-tweets-replies by in_reply_to_*',
    columns: 'rest_id, parent_rest_id, author, parent_author, parent_author_rest_id, latency_seconds',
    from: 'v_replies',
  },
  is_reply: {
    revealedBy: 'user-tweets, user-tweets-replies',
    columns: 'rest_id, is_reply',
    from: 'v_tweets',
  },
  media: {
    revealedBy: 'tweet-detail',
    columns: 't.rest_id, m.position, m.type, m.url, m.width, m.height',
    from: 'media m join tweets t on t.id = m.tweet_id',
  },
  hashtags: {
    revealedBy: 'the text',
    columns: 't.rest_id, tag',
    from: 'tweet_hashtags h join tweets t on t.id = h.tweet_id',
  },
  mentions: {
    revealedBy: 'the text',
    columns: 't.rest_id, screen_name',
    from: 'tweet_mentions m join tweets t on t.id = m.tweet_id',
  },
  links: {
    revealedBy: 'the text',
    columns: 't.rest_id, l.url',
    from: 'tweet_links l join tweets t on t.id = l.tweet_id',
  },
  follows: {
    revealedBy: 'followers, following',
    columns: 'a.rest_id as follower, b.rest_id as followee',
    from: 'follows f join users a on a.id = f.follower_id join users b on b.id = f.followee_id',
  },
  communities: { revealedBy: 'community-tweets', columns: 'rest_id, name, description', from: 'communities' },
  community_tweets: {
    revealedBy: 'community-tweets',
    columns: 'c.rest_id as community, t.rest_id as tweet',
    from: 'community_tweets x join communities c on c.id = x.community_id join tweets t on t.id = x.tweet_id',
  },
  lists: { revealedBy: 'list-latest-tweets', columns: 'rest_id, name, description', from: 'lists' },
  list_tweets: {
    revealedBy: 'list-latest-tweets',
    columns: 'l.rest_id as list, t.rest_id as tweet',
    from: 'list_tweets x join lists l on l.id = x.list_id join tweets t on t.id = x.tweet_id',
  },
};

const rowsIn = (file: string, { columns, from }: { columns: string; from: string }) =>
  rowsOf(
    file,
    `select ${columns} from ${from} order by 1, 2, 3`.replace(/, 3$/, columns.split(',').length > 2 ? ', 3' : ''),
  );

const digest = (rows: unknown): string => createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16);

const world = withWorld(40, 11);

test('a crawl by all kinds reproduces the store of the twin', async () => {
  // The lists that have no cursor show one page: it must hold all that there is.
  const whole = {
    'user-tweets-replies': 5000,
    'tweet-detail': 5000,
    'community-tweets': 5000,
    'list-latest-tweets': 5000,
  };
  const { db: file, env } = await serve(world, {
    pageSize: { 'user-tweets': 7, followers: 5, following: 5, ...whole },
  });
  const TARGETS = {
    profile: 'select screen_name from users',
    timeline: 'select screen_name from users',
    replies: 'select screen_name from users',
    followers: 'select screen_name from users',
    following: "select 'id:' || rest_id from users",
    tweet: 'select rest_id from tweets',
    community: 'select rest_id from communities',
    list: 'select rest_id from lists',
  };
  for (const [kind, sql] of Object.entries(TARGETS)) {
    const targets = writeTargets(rowsOf(world.file, sql).flatMap((row) => Object.values(row) as string[]));
    await runSuccessfully(['crawl', kind, '--from-file', targets, '--quiet'], { env });
  }

  const digests: string[] = [];
  for (const [name, set] of Object.entries(PROJECTION)) {
    const served = rowsIn(world.file, set);
    const crawled = rowsIn(file, set);
    expect(crawled, `${name}, revealed by ${set.revealedBy}`).toEqual(served);
    for (const column of Object.keys(served[0] ?? {})) {
      expect(
        served.some((row) => row[column] !== null),
        `the world has no ${name}.${column}: nothing was compared`,
      ).toBe(true);
    }
    expect(served.length, `the world has no ${name}`).toBeGreaterThan(0);
    digests.push(
      `${name.padEnd(17)} ${String(served.length).padStart(5)} rows  ${digest(served)} = ${digest(crawled)}`,
    );
  }
  process.stdout.write(`the fixed point, world = crawl of it:\n  ${digests.join('\n  ')}\n`);
});

/** Everything that tweet-detail shows: of a store that was filled by nothing else, this is all of it. */
const DETAIL = {
  users: { columns: 'rest_id, screen_name, name, profile_image_url', from: 'users' },
  tweets: {
    columns: `t.rest_id, a.rest_id as author, text, t.created_at, favorite_count, retweet_count, reply_count, quote_count,
      in_reply_to_status_rest_id, is_reply`,
    from: 'v_tweets t join users a on a.rest_id = t.author_rest_id',
  },
  media: PROJECTION['media']!,
  replies: { columns: 'rest_id, parent_rest_id, author, parent_author, latency_seconds', from: 'v_replies' },
  nested: {
    columns: 'p.rest_id as tweet, r.rest_id as reply',
    from: 'tweet_replies n join tweets p on p.id = n.tweet_id join tweets r on r.id = n.reply_id',
  },
};

test('tweets with replies are equal after they are crawled, served and crawled again, and no reply becomes an original', async () => {
  const service = await serve(world, { pageSize: { 'tweet-detail': 5000 } });
  const crawled = service.db;
  // Tweets that answer nothing, with those that answer them: so all else that is stored is known by its position alone.
  const parents = rowsOf<{ id: string }>(
    world.file,
    `select distinct p.rest_id as id from tweets r join tweets p on p.rest_id = r.in_reply_to_status_rest_id
       where p.in_reply_to_status_rest_id is null order by p.id limit 30`,
  ).map(({ id }) => id);
  const command = ['crawl', 'tweet', '--from-file', writeTargets(parents), '--quiet'];
  await runSuccessfully(command, { env: service.env });
  const db = openDatabase(crawled);
  onTestFinished(() => void db.$client.close());
  const twin = await serve({ file: crawled, db }, { pageSize: { 'tweet-detail': 5000 } });
  await runSuccessfully(command, { env: twin.env });

  for (const [name, set] of Object.entries(DETAIL)) {
    const served = rowsIn(crawled, set);
    expect(served.length, name).toBeGreaterThan(0);
    expect(rowsIn(twin.db, set), name).toEqual(served);
  }
  const replies = rowsOf<{ id: string; author: string; parent: string; parentAuthor: string }>(
    world.file,
    `select r.rest_id as id, a.rest_id as author, p.rest_id as parent, pa.screen_name as parentAuthor
       from tweets r join users a on a.id = r.author_id join tweets p on p.rest_id = r.in_reply_to_status_rest_id
       join users pa on pa.id = p.author_id where p.rest_id in (select value from json_each(?))`,
    JSON.stringify(parents),
  );
  expect(rowsOf(crawled, 'select rest_id from v_replies order by 1')).toEqual(
    replies.map(({ id }) => ({ rest_id: id })).toSorted((a, b) => (a.rest_id < b.rest_id ? -1 : 1)),
  );
  type Shown = { id: string; in_reply_to_status_id?: string; in_reply_to_screen_name?: string };
  const shownBy = async (endpoint: 'user-tweets' | 'user-tweets-replies', restId: string): Promise<Shown[]> => {
    const answer = await fetch(`${twin.url}/api/microblog/${endpoint}?restId=${restId}`, {
      headers: { 'X-API-Key': twin.key },
    });
    if (answer.status === 404) return [];
    const { data } = (await answer.json()) as {
      data: { timeline: { instructions: { entries: { content: { tweet?: Shown } }[] }[] } };
    };
    return data.timeline.instructions[0]!.entries.flatMap(({ content }) => content.tweet ?? []);
  };
  for (const { id, author, parent, parentAuthor } of replies) {
    expect((await shownBy('user-tweets', author)).map((tweet) => tweet.id)).not.toContain(id);
    expect((await shownBy('user-tweets-replies', author)).find((tweet) => tweet.id === id)).toMatchObject({
      in_reply_to_status_id: parent,
      in_reply_to_screen_name: parentAuthor,
    });
  }
});
