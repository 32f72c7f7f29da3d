import { beforeAll, describe, expect, test } from 'vitest';
import { addTweet, addUser } from '../support.ts';
import { allAt, idsAt, objectsAt, pathOf, serveWorld } from './served-world.ts';
import { ENDPOINTS, TOKEN_USAGE, USER_PROFILE } from './spec.ts';

/** Specification: "Endpoints", its rules, "Pagination", and the related "General rules" and "Limits". */

const PAGE = 6;
const world = serveWorld({ pageSize: { 'user-tweets': PAGE, followers: PAGE, following: PAGE } });

type Json = Record<string, unknown>;
type Parameters = Record<string, string>;

/** The requested resources: a user with many tweets, replies and edges, a tweet with replies, and so on. */
const subject = {} as Record<'user' | 'screenName' | 'tweet' | 'community' | 'list', string>;
let requests: Record<string, Parameters>;

beforeAll(async () => {
  const one = (query: string) => world.column(query)[0]!;
  const user = one(`select u.rest_id from users u join tweets t on t.author_id = u.id
    where exists (select * from follows where followee_id = u.id) and exists (select * from follows where follower_id = u.id)
    group by u.id order by min(count(*), 2 * sum(in_reply_to_status_rest_id is not null)) desc`);
  Object.assign(subject, {
    user,
    screenName: one(`select screen_name from users where rest_id = '${user}'`),
    tweet: one('select rest_id from tweets where has_media order by reply_count desc'),
    community: one(
      'select rest_id from communities order by (select count(*) from community_tweets where community_id = id) desc',
    ),
    list: one('select rest_id from lists order by (select count(*) from list_tweets where list_id = id) desc'),
  });
  const restId = subject.user;
  requests = {
    'token-info': {},
    'user-profile': { screenName: subject.screenName },
    'user-tweets': { restId },
    'user-tweets-replies': { restId },
    followers: { restId },
    following: { restId },
    'tweet-detail': { restId: subject.tweet },
    search: { rawQuery: `from:${subject.screenName}` },
    'community-tweets': { communityId: subject.community },
    'list-latest-tweets': { listId: subject.list },
  };
  // An unused quota resets now, which changes with every request.
  await world.get('search', requests['search']);
});

const dataOf = async (endpoint: string, parameters = requests[endpoint]!): Promise<Json> => {
  const [data] = await world.data(endpoint, [parameters]);
  expect(data).toBeDefined();
  return data!;
};

/** The response of an endpoint: the keys of `data`, and the path of the items. */
interface Shape {
  readonly top: readonly string[];
  readonly items?: string;
}
const SHAPES: Readonly<Record<string, Shape>> = {
  'token-info': { top: TOKEN_USAGE.map(({ name }) => name) },
  'user-profile': { top: USER_PROFILE.map(({ name }) => name) },
  'user-tweets': {
    top: ['user', 'timeline'],
    items: 'timeline.instructions[].entries[].content.tweet',
  },
  'user-tweets-replies': {
    top: ['user', 'timeline'],
    items: 'timeline.instructions[].entries[].content.tweet',
  },
  followers: { top: ['user', 'followers'], items: 'followers.timeline.instructions[].entries[].content.user' },
  following: { top: ['user', 'following'], items: 'following.timeline.instructions[].entries[].content.user' },
  'tweet-detail': { top: ['tweet'], items: 'tweet.replies.entries[].content.tweet' },
  search: { top: ['search_metadata', 'timeline'], items: 'timeline.instructions[].entries[].content.tweet' },
  'community-tweets': {
    top: ['community', 'tweets'],
    items: 'tweets.instructions[].entries[].content.tweet',
  },
  'list-latest-tweets': { top: ['list', 'tweets'], items: 'tweets.entries[].content.tweet' },
};

const timesOf = (tweets: readonly Json[]): number[] => tweets.map((tweet) => Date.parse(String(tweet['created_at'])));
const descending = (values: readonly number[]): number[] => values.toSorted((a, b) => b - a);

describe.each(ENDPOINTS)('| %s | %s | %s | %s |', (_, quoted, parameters) => {
  const path = quoted!.replaceAll('`', '');
  const endpoint = path.split('/').at(-1)!;
  const { top, items } = SHAPES[endpoint]!;

  test('has the path of its name', () => {
    expect(path).toBe(pathOf(endpoint));
  });

  test('GET with a query string and POST with a JSON body give the same response, with 200', async () => {
    const got = await world.get(endpoint, requests[endpoint]);
    const posted = await world.post(endpoint, requests[endpoint]);
    expect([got.status, posted.status]).toEqual([200, 200]);
    for (const { headers } of [got, posted]) expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(posted.text).toBe(got.text);
  });

  test('a successful response is a JSON object with one top-level key `data`', async () => {
    const { body } = await world.get(endpoint, requests[endpoint]);
    expect(Object.keys(body)).toEqual(['data']);
  });

  test('`data` has the parts of its row, and items where the row has them', async () => {
    const data = await dataOf(endpoint);
    expect(Object.keys(data).toSorted()).toEqual(top.toSorted());
    expect(items === undefined || allAt(data, items).length > 0).toBe(true);
  });

  const listed = [...parameters!.matchAll(/`(\w+)` string, (required|optional)/g)];
  test('ignores a parameter that its row does not have', async () => {
    const query = await world.get(endpoint, { ...requests[endpoint], other: 'x' });
    const body = await world.post(endpoint, { ...requests[endpoint], other: { x: [1] } });
    expect([query.status, body.status]).toEqual([200, 200]);
  });

  describe.each(listed.map(([text, name, need]) => [text, name!, need!] as const))('%s', (_text, name, need) => {
    test(`${need}: without it the answer is ${need === 'required' ? 400 : 200}`, async () => {
      const { [name]: _left, ...others } = requests[endpoint]!;
      expect([(await world.get(endpoint, others)).status, (await world.post(endpoint, others)).status]).toEqual(
        need === 'required' ? [400, 400] : [200, 200],
      );
    });

    test('has that name to the letter', async () => {
      const { [name]: value, ...others } = { [name]: 'x', ...requests[endpoint] };
      const { status } = await world.get(endpoint, { ...others, [name.toUpperCase()]: value!, [`${name} `]: value! });
      // An optional parameter under another name is ignored.
      expect(status).toBe(need === 'required' ? 400 : 200);
    });
  });
});

// The row of list-latest-tweets names no order; its path does.
const NEWEST_FIRST = ENDPOINTS.filter(([, path, , data]) => data!.includes('newest first') || path!.includes('latest'));

test.each(NEWEST_FIRST)('| %s | %s | %s | %s |: newest first', async (_, quoted) => {
  const endpoint = quoted!.replaceAll('`', '').split('/').at(-1)!;
  const times = timesOf(objectsAt(await dataOf(endpoint), SHAPES[endpoint]!.items!));
  expect(times.length).toBeGreaterThan(2);
  expect(times).toEqual(descending(times));
});

describe('the parts of a response:', () => {
  test('user-tweets: `user.result` (user reference)', async () => {
    expect(await dataOf('user-tweets')).toMatchObject({ user: { result: { id: subject.user } } });
  });

  test.each(['user-tweets-replies', 'followers', 'following'])('%s: `user` (user reference)', async (endpoint) => {
    expect(await dataOf(endpoint)).toMatchObject({ user: { id: subject.user } });
  });

  test('user-tweets: the tweet objects, followed by a cursor entry', async () => {
    const entries = objectsAt(await dataOf('user-tweets'), 'timeline.instructions[].entries[]');
    expect(entries).toHaveLength(PAGE + 1);
    for (const { content } of entries.slice(0, -1)) expect(content).toHaveProperty('tweet');
    expect(entries.at(-1)).toMatchObject({ content: { cursorType: 'Bottom' } });
  });

  test.each(['followers', 'following'])(
    '%s: each of `instructions[]` with `entries[]` and `cursor`',
    async (endpoint) => {
      const instructions = objectsAt(await dataOf(endpoint), `${endpoint}.timeline.instructions[]`);
      expect(instructions.length).toBeGreaterThan(0);
      for (const { entries } of instructions) expect(entries).toHaveLength(PAGE);
      for (const { cursor } of instructions) expect(cursor).toMatchObject({ cursorType: 'Bottom' });
    },
  );

  test('tweet-detail: `tweet` (tweet object with author, media, replies)', async () => {
    expect(await dataOf('tweet-detail')).toMatchObject({
      tweet: { author: {}, media: [{}], replies: { entries: expect.arrayContaining([expect.anything()]) } },
    });
  });

  test('list-latest-tweets: no `instructions` level', async () => {
    expect(Object.keys((await dataOf('list-latest-tweets'))['tweets'] as Json)).toEqual(['entries']);
  });

  test('search: sorted by relevance, not by time', async () => {
    const created = Date.parse('2024-03-01');
    addTweet(world.db, { restId: '91', text: 'zyzzyva', createdAt: created });
    addTweet(world.db, {
      restId: '92',
      text: `a zyzzyva seen ${'somewhere else '.repeat(9)}`,
      createdAt: created + 1000,
    });
    const found = await dataOf('search', { rawQuery: 'zyzzyva' });
    expect(idsAt(found, 'timeline.instructions[].entries[].content.tweet.id')).toEqual(['91', '92']);
    expect(found).toMatchObject({ search_metadata: { query: 'zyzzyva', count: 2 } });
  });
});

describe('General rules', () => {
  test('3. With POST, parameters travel in a JSON body: those of the address do not count', async () => {
    const address = `${pathOf('followers')}?restId=${subject.user}`;
    const headers = { 'Content-Type': 'application/json' };
    expect((await world.ask(address, { method: 'POST', headers, body: '{}' })).status).toBe(400);
    expect((await world.ask(address, { method: 'POST', headers })).status).toBe(400);
  });
});

/** Returns all ids of a user's list by page. */
async function readPages(endpoint: 'user-tweets' | 'followers' | 'following', cursorPath: string, idPath: string) {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ;) {
    const data = await dataOf(endpoint, { restId: subject.user, ...(cursor !== undefined && { cursor }) });
    pages.push(idsAt(data, idPath));
    cursor = allAt(data, cursorPath).at(-1) as string | undefined;
    if (cursor === undefined) return pages;
  }
}

describe('Endpoint rules', () => {
  test('1. Token-info: a POST carries the JSON content-type header and needs no body fields', async () => {
    expect((await world.post('token-info')).status).toBe(200);
    const headers = { 'Content-Type': 'application/json' };
    expect((await world.ask(pathOf('token-info'), { method: 'POST', headers })).status).toBe(200);
  });

  test('1. … Calling it does not consume the upstream request quota (and Limits, 4)', async () => {
    const remaining = async () => (await dataOf('token-info'))['remaining'];
    const before = await remaining();
    for (let i = 0; i < 5; i += 1) await world.post('token-info');
    expect(await remaining()).toBe(before);
    await world.get('search', { rawQuery: 'tea' });
    expect(await remaining()).toBe(Number(before) - 1);
  });

  test('2. User-tweets returns only original tweets. User-tweets-replies returns original tweets and replies', async () => {
    const own = (condition: string) =>
      world
        .column(
          `select t.rest_id from tweets t join users u on u.id = t.author_id where u.rest_id = '${subject.user}' ${condition}`,
        )
        .toSorted();
    const originals = own('and in_reply_to_status_rest_id is null');
    const pages = await readPages(
      'user-tweets',
      'timeline.instructions[].entries[].content.value',
      'timeline.instructions[].entries[].content.tweet.id',
    );
    expect(pages.flat().toSorted()).toEqual(originals);

    const tweets = objectsAt(await dataOf('user-tweets-replies'), 'timeline.instructions[].entries[].content.tweet');
    expect(tweets.map(({ id }) => String(id)).toSorted()).toEqual(own(''));
    const replies = tweets.filter((tweet) => !originals.includes(String(tweet['id'])));
    expect(replies.length).toBeGreaterThan(0);
    for (const tweet of tweets)
      for (const field of ['in_reply_to_status_id', 'in_reply_to_user_id', 'in_reply_to_screen_name'])
        expect(Object.hasOwn(tweet, field)).toBe(replies.includes(tweet));
  });

  test('3. A restId for a user is obtainable from the user-profile result (`id`)', async () => {
    const restId = String((await dataOf('user-profile'))['id']);
    expect(await dataOf('followers', { restId })).toMatchObject({ user: { id: restId } });
  });

  test('3. … A tweet ID is obtainable from tweets returned by other endpoints', async () => {
    for (const endpoint of ['user-tweets', 'user-tweets-replies', 'search', 'community-tweets', 'list-latest-tweets']) {
      const [restId] = allAt(await dataOf(endpoint), `${SHAPES[endpoint]!.items}.id`) as string[];
      expect(await dataOf('tweet-detail', { restId: restId! })).toMatchObject({ tweet: { id: restId } });
    }
  });

  describe('4. Search query syntax:', () => {
    const DAY = 86_400_000;
    const texts = {
      plain: 'the quagga crossed the ford',
      name: 'ask @QuaggaFan about it',
      tag: 'seen today #quaggawatch',
      apart: 'the ford the quagga crossed',
    };
    beforeAll(() => {
      const start = Date.parse('2024-03-01T00:00:00.000Z');
      const authorId = addUser(world.db, { restId: 'quagga', screenName: 'quagga_q' });
      for (const [i, [id, text]] of Object.entries(texts).entries()) {
        addTweet(world.db, {
          restId: id,
          text,
          createdAt: start + i * DAY + DAY / 2,
          authorId,
          ...(id === 'tag' && { tags: ['quaggawatch'] }),
          ...(id === 'name' && { mentions: ['quaggafan'] }),
        });
      }
    });

    test.each([
      ['plain keywords', 'quagga ford', ['plain', 'apart']],
      ['usernames', '@QuaggaFan', ['name']],
      ['hashtags, `#<hashtag>`', '#quaggawatch', ['tag']],
      ['`from:<username>` (tweets by a user)', 'from:quagga_q quagga', ['plain', 'apart']],
      ['`"<exact phrase>"`', '"the quagga crossed"', ['plain', 'apart']],
      ['`"<exact phrase>"`, in its order', '"quagga crossed the ford"', ['plain']],
      ['`since:YYYY-MM-DD` (after a date)', 'from:quagga_q since:2024-03-03 until:2024-03-31', ['tag', 'apart']],
      ['`until:YYYY-MM-DD` (before a date)', 'from:quagga_q until:2024-03-03 since:2024-03-01', ['plain', 'name']],
      ['Operators can be combined', '"the ford" from:quagga_q quagga since:2024-03-02 until:2024-03-31', ['apart']],
    ])('%s', async (_, rawQuery, ids) => {
      const found = idsAt(await dataOf('search', { rawQuery }), 'timeline.instructions[].entries[].content.tweet.id');
      expect(found.toSorted()).toEqual(ids.toSorted());
    });
  });

  test('5. Following: the same restId requested repeatedly returns the same result', async () => {
    const answers = await Promise.all([1, 2, 3].map(async () => world.get('following', requests['following'])));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('6. For followers and following, one request may not return the complete list', async () => {
    for (const endpoint of ['followers', 'following'] as const) {
      const at = `${endpoint}.timeline.instructions[]`;
      const pages = await readPages(endpoint, `${at}.cursor.value`, `${at}.entries[].content.user.id`);
      expect(pages.length).toBeGreaterThan(1);
      const [end, other] = endpoint === 'followers' ? ['followee_id', 'follower_id'] : ['follower_id', 'followee_id'];
      const edges = world.column(`select o.rest_id from follows f join users u on u.id = f.${end}
        join users o on o.id = f.${other} where u.rest_id = '${subject.user}' and f.ended_at is null`);
      expect(pages.flat().toSorted()).toEqual(edges.toSorted());
    }
  });
});

describe('Pagination', () => {
  test('1. User-tweets: the `content.value` of the cursor entry, sent as `cursor` with the same `restId`', async () => {
    const first = objectsAt(await dataOf('user-tweets'), 'timeline.instructions[].entries[]');
    const last = first.at(-1)!;
    expect(last['entryId']).toMatch(/^cursor-bottom-/);
    const parameters = { restId: subject.user, cursor: String((last['content'] as Json)['value']) };
    const second = await world.get('user-tweets', parameters);
    expect((await world.post('user-tweets', parameters)).text).toBe(second.text);
    const tweets = objectsAt(second.body, 'data.timeline.instructions[].entries[].content.tweet');
    expect(tweets.length).toBeGreaterThan(0);
    const before = timesOf(first.slice(0, -1).map(({ content }) => (content as { tweet: Json }).tweet));
    expect(Math.max(...timesOf(tweets))).toBeLessThanOrEqual(Math.min(...before));
  });

  test.each(['followers', 'following'])(
    '2. %s: the parameter name used to send it back: not shown. Here it is `cursor`, as above',
    async (endpoint) => {
      const at = `${endpoint}.timeline.instructions[]`;
      const first = await dataOf(endpoint);
      const [cursor] = allAt(first, `${at}.cursor.value`) as string[];
      const second = await dataOf(endpoint, { restId: subject.user, cursor: cursor! });
      const ids = (data: Json) => idsAt(data, `${at}.entries[].content.user.id`);
      expect(ids(second).length).toBeGreaterThan(0);
      expect(ids(second).filter((id) => ids(first).includes(id))).toEqual([]);
    },
  );

  test.each(['user-tweets-replies', 'search', 'community-tweets', 'list-latest-tweets'])(
    '%s has no cursor in the specification, and ignores the parameter like any unknown one',
    async (endpoint) => {
      const plain = await world.get(endpoint, requests[endpoint]);
      const { text } = await world.get(endpoint, { ...requests[endpoint], cursor: 'x', another: 'y' });
      expect(text).toBe(plain.text);
    },
  );
});

test('Limits, 1. A quota exists per API key: token-info reports `app_limit`, `remaining` and `reset_at`', async () => {
  const usage = await dataOf('token-info');
  expect(usage).toMatchObject({ app_limit: 1_000_000, remaining: expect.any(Number), reset_at: expect.any(String) });
  expect(usage['remaining']).toBeLessThan(1_000_000);
});
