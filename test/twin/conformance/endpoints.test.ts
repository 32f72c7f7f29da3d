import { beforeAll, describe, expect, test } from 'vitest';
import { allAt, pathOf, serveWorld } from './served-world.ts';
import { ENDPOINTS, TOKEN_USAGE, USER_PROFILE } from './spec.ts';

/** Specification: "Endpoints" and "General rules". The order and the pages of lists: pagination.slow.test.ts; searches: search.slow.test.ts. */

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

describe.each(ENDPOINTS)('| %s | %s | %s | %s |', (_, quoted, parameters) => {
  const path = quoted!.replaceAll('`', '');
  const endpoint = path.split('/').at(-1)!;
  const { top, items } = SHAPES[endpoint]!;

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

describe('General rules', () => {
  test('3. With POST, parameters travel in a JSON body: those of the address do not count', async () => {
    const address = `${pathOf('followers')}?restId=${subject.user}`;
    const headers = { 'Content-Type': 'application/json' };
    expect((await world.ask(address, { method: 'POST', headers, body: '{}' })).status).toBe(400);
    expect((await world.ask(address, { method: 'POST', headers })).status).toBe(400);
  });
});
