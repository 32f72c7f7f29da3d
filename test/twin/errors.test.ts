import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { type EndpointName, endpointTable } from '../../src/contract/endpoints.ts';
import { revokeKey } from '../../src/twin/keys.ts';
import { addList, addTweet, addUser, answerOf, NOW, temporaryStore, testTwin } from './support.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

async function twinWithUser() {
  const db = temporaryStore();
  const userId = addUser(db, { restId: '1', screenName: 'ada' });
  return { db, userId, twin: await testTwin({ db }) };
}

/** What an answer with a problem looks like. */
const problem = (status: number, detail: string | RegExp = /./) => ({
  status,
  type: 'application/problem+json',
  body: { type: 'about:blank', title: expect.any(String), status, detail: expect.stringMatching(detail) },
});

describe('400', () => {
  const rows = Object.values(endpointTable).flatMap(({ name, parameters }) =>
    parameters.filter(({ required }) => required).map((required) => [name as EndpointName, required.name] as const),
  );

  test.each(rows)('%s names %s when it is missing, with GET and with POST', async (endpoint, parameter) => {
    const { twin } = await twinWithUser();
    const detail = `The required parameter ${parameter} is missing.`;
    expect(await twin.get(endpoint)).toMatchObject(problem(400, detail));
    expect(await twin.post(endpoint)).toMatchObject(problem(400, detail));
    expect(await twin.get(endpoint, { [parameter]: ' ' })).toMatchObject(problem(400, detail));
    expect(await twin.post(endpoint, { [parameter]: null })).toMatchObject(problem(400, detail));
  });

  test.each([
    ['a number', { restId: 1 }],
    ['a list', { restId: ['1'] }],
    ['an object', { restId: {} }],
  ])('a parameter that is %s is refused', async (_, body) => {
    const { twin } = await twinWithUser();
    expect(await twin.post('followers', body)).toMatchObject(
      problem(400, 'The parameter restId should be one string.'),
    );
  });

  test('a parameter given twice is refused', async () => {
    const { twin } = await twinWithUser();
    expect(await twin.request('/api/microblog/followers?restId=1&restId=2')).toMatchObject(
      problem(400, /restId should be one string/),
    );
  });

  test('a parameter of absurd length is refused', async () => {
    const { twin } = await twinWithUser();
    expect(await twin.get('search', { rawQuery: 'x'.repeat(1001) })).toMatchObject(problem(400, /longer than 1000/));
  });

  test.each(['{', '[]', '"text"', 'null', '1'])('the body %s is refused', async (body) => {
    const { twin } = await twinWithUser();
    expect(await twin.request('/api/microblog/followers', { method: 'POST', headers: JSON_TYPE, body })).toMatchObject(
      problem(400),
    );
  });

  test('a prototype in the body is not a parameter', async () => {
    const { twin } = await twinWithUser();
    const body = '{"__proto__": {"restId": "1"}}';
    expect(await twin.request('/api/microblog/followers', { method: 'POST', headers: JSON_TYPE, body })).toMatchObject(
      problem(400, /restId is missing/),
    );
  });
});

describe('401', () => {
  test.each(Object.values(endpointTable))(
    '$path refuses a missing, an empty, a wrong and a revoked key alike',
    async ({ path }) => {
      const { db, twin } = await twinWithUser();
      const answers = [
        await answerOf(await fetch(twin.url + path)),
        await twin.request(path, { headers: { 'X-API-Key': '' } }),
        await twin.request(path, { headers: { 'X-API-Key': 'trawl_wrong' } }),
      ];
      revokeKey(db, '1', NOW);
      answers.push(
        await twin.request(path),
        await twin.request(path, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
      );
      for (const answer of answers) expect(answer).toMatchObject(problem(401, 'The API key is invalid or missing.'));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    },
  );
});

describe('404', () => {
  test.each([
    ['user-profile', { screenName: 'nobody' }],
    ['user-tweets', { restId: '404' }],
    ['followers', { restId: '404' }],
    ['following', { restId: '404' }],
    ['user-tweets-replies', { restId: '404' }],
    ['tweet-detail', { restId: '404' }],
    ['community-tweets', { communityId: '404' }],
    ['list-latest-tweets', { listId: '404' }],
  ] as const)('%s of what is unknown says what the spec says', async (endpoint, parameters) => {
    const { twin } = await twinWithUser();
    expect(await twin.get(endpoint, parameters)).toMatchObject(problem(404, endpointTable[endpoint].notFound!));
  });

  test('user-tweets says so of a user without tweets, and of one with replies only', async () => {
    const { db, userId, twin } = await twinWithUser();
    expect(await twin.get('user-tweets', { restId: '1' })).toMatchObject(
      problem(404, 'The user does not exist or has no tweets.'),
    );
    addTweet(db, { restId: '10', authorId: userId, inReplyToStatusId: '5' });
    expect(await twin.get('user-tweets', { restId: '1' })).toMatchObject(problem(404));
  });

  test('user-tweets-replies says so of a user without tweets, not of one with replies only', async () => {
    const { db, userId, twin } = await twinWithUser();
    expect(await twin.get('user-tweets-replies', { restId: '1' })).toMatchObject(
      problem(404, 'The user does not exist or has no tweets.'),
    );
    addTweet(db, { restId: '10', authorId: userId, inReplyToStatusId: '5' });
    expect(await twin.get('user-tweets-replies', { restId: '1' })).toMatchObject({ status: 200 });
  });

  test('a user is no tweet, and a list no community', async () => {
    const { db, twin } = await twinWithUser();
    addList(db, { restId: '7' });
    expect(await twin.get('tweet-detail', { restId: '1' })).toMatchObject(problem(404));
    expect(await twin.get('community-tweets', { communityId: '7' })).toMatchObject(problem(404));
    expect(await twin.get('list-latest-tweets', { listId: '7' })).toMatchObject({ status: 200 });
  });

  test('ids are text: other ways to write the same number are other ids', async () => {
    const { twin } = await twinWithUser();
    for (const restId of ['01', '1.0', '1e0', ' 1', '+1'])
      expect(await twin.get('followers', { restId })).toMatchObject(problem(404));
  });

  test('search finds nothing with 200', async () => {
    const { twin } = await twinWithUser();
    expect(await twin.data('search', { rawQuery: 'nothing' })).toMatchObject({ search_metadata: { count: 0 } });
  });

  test.each(['/', '/api/microblog', '/api/microblog/followers/', '/api/microblog/nope', '/API/microblog/search'])(
    '%s is no path',
    async (path) => {
      const { twin } = await twinWithUser();
      expect(await twin.request(path)).toMatchObject(problem(404, 'There is no such path.'));
    },
  );

  test('a path that cannot be decoded is a problem too', async () => {
    const { twin } = await twinWithUser();
    expect(await twin.request('/%E0%A4%A')).toMatchObject(problem(400));
  });
});

describe('405, 413 and 415', () => {
  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is not allowed, and the answer says what is', async (method) => {
    const { twin } = await twinWithUser();
    const answer = await twin.request('/api/microblog/followers', { method });
    expect(answer).toMatchObject(problem(405));
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });

  test('HEAD is not allowed either', async () => {
    const { twin } = await twinWithUser();
    expect((await twin.request('/api/microblog/token-info', { method: 'HEAD' })).status).toBe(405);
  });

  test('a body over 64 KB is too large', async () => {
    const { twin } = await twinWithUser();
    expect(await twin.post('search', { rawQuery: 'x'.repeat(65 * 1024) })).toMatchObject(problem(413));
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data; boundary=x',
  ])('a POST of %s is refused', async (type) => {
    const { twin } = await twinWithUser();
    const answer = await twin.request('/api/microblog/followers', {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: 'restId=1',
    });
    expect(answer).toMatchObject(problem(415, /Content-Type: application\/json/));
  });

  test('a POST without a content type is refused', async () => {
    const { twin } = await twinWithUser();
    expect(await twin.request('/api/microblog/token-info', { method: 'POST' })).toMatchObject(problem(415));
  });

  test('the content type may name a charset, and an absent body counts as an empty one', async () => {
    const { twin } = await twinWithUser();
    const headers = { 'Content-Type': 'Application/JSON; charset=utf-8' };
    expect((await twin.request('/api/microblog/token-info', { method: 'POST', headers })).status).toBe(200);
    expect(await twin.request('/api/microblog/followers', { method: 'POST', headers })).toMatchObject(
      problem(400, /restId is missing/),
    );
  });
});

describe('500', () => {
  test('says nothing of its cause', async () => {
    const { db, twin } = await twinWithUser();
    db.run(sql`drop table follows`);
    const answer = await twin.get('followers', { restId: '1' });
    expect(answer).toMatchObject(problem(500, 'The twin failed to answer; its log says why.'));
    expect(JSON.stringify(answer.body)).not.toContain('follows');
  });
});
