import { once } from 'node:events';
import { connect } from 'node:net';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKey, revokeKey } from '#twin/serve/quota/twin-keys.ts';
import { addList, addTweet, addUser, answerOf, NOW, temporaryStore, testTwin } from '../support.ts';
import { pathOf, serveWorld } from './served-world.ts';
import { ENDPOINTS, NOT_FOUND } from './spec.ts';

/** Specification, "Errors": its rows by endpoint, then the decisions on what it leaves open. */

const world = serveWorld();
beforeAll(() => void addUser(world.db, { restId: '1', screenName: 'ada' }));

/** Creates a twin for a test that changes the store. */
async function twinWithUser() {
  const db = temporaryStore();
  const userId = addUser(db, { restId: '1', screenName: 'ada' });
  return { db, userId, twin: await testTwin({ db }) };
}

/** Matches an error response (RFC 9457). */
const problem = (status: number, detail: string | RegExp = /./) => ({
  status,
  type: 'application/problem+json',
  body: { type: 'about:blank', title: expect.stringMatching(/./), status, detail: expect.stringMatching(detail) },
});

const ALL = ENDPOINTS.map(([, path]) => path!.replaceAll('`', ''));
const JSON_TYPE = { 'Content-Type': 'application/json' };
const postOf = (body: string | Uint8Array<ArrayBuffer>) => ({ method: 'POST', headers: JSON_TYPE, body });

/** "(restId for endpoints 3-7, rawQuery for 8, communityId for 9, listId for 10, screenName for 2). Not listed for token-info." */
const REQUIRED = [
  [2, 'screenName'],
  [3, 'restId'],
  [4, 'restId'],
  [5, 'restId'],
  [6, 'restId'],
  [7, 'restId'],
  [8, 'rawQuery'],
  [9, 'communityId'],
  [10, 'listId'],
] as const;

describe('| 400 | A required parameter is missing |', () => {
  test.each(REQUIRED)('endpoint %i: %s, absent, null, empty or blank, with GET and with POST', async (n, parameter) => {
    const path = ALL[n - 1]!;
    const missing = problem(400, `The required parameter ${parameter} is missing.`);
    for (const query of ['', '?', `?${parameter}`, `?${parameter}=`, `?${parameter}=%20`, '?other=1'])
      expect(await world.ask(path + query)).toMatchObject(missing);
    for (const value of [undefined, null, '', ' '])
      expect(await world.ask(path, postOf(JSON.stringify({ [parameter]: value })))).toMatchObject(missing);
    expect(await world.ask(path, postOf(''))).toMatchObject(missing);
  });

  test('Not listed for token-info', async () => {
    expect((await world.ask(ALL[0]!)).status).toBe(200);
  });
});

describe('| 401 | API key invalid or missing (all endpoints) |', () => {
  test.each(ALL)('%s: a missing, empty, wrong, doubled and revoked key give the same response', async (path) => {
    const { key: revoked, record } = createKey(world.db, { name: 'revoked', now: NOW });
    revokeKey(world.db, String(record.id), NOW);
    const text = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'x' };
    const answers = [
      await answerOf(await fetch(world.url + path)),
      await answerOf(await fetch(world.url + path, postOf('{}'))),
      await answerOf(await fetch(world.url + path, text)),
      await answerOf(await fetch(world.url + path, { headers: { Authorization: `Bearer ${world.key}` } })),
    ];
    for (const key of ['', 'trawl_wrong', `${world.key}, ${world.key}`, revoked])
      answers.push(await answerOf(await fetch(world.url + path, { headers: { 'X-API-Key': key } })));
    for (const answer of answers) expect(answer).toMatchObject(problem(401, 'The API key is invalid or missing.'));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });
});

test('| 401 | however the path is written', async () => {
  for (const path of ['/api/microblog/%73earch?rawQuery=x', '/api/microblog/searc%68'])
    expect(await answerOf(await fetch(world.url + path))).toMatchObject(problem(401));
});

describe('| 404 |', () => {
  const parameterOf = Object.fromEntries(REQUIRED.map(([n, name]) => [ALL[n - 1]!, name]));

  test.each(NOT_FOUND)('%s: %s', async (endpoint, reason) => {
    const value = reason === 'or has no tweets' ? '1' : '404';
    const parameter = parameterOf[pathOf(endpoint)]!;
    const detail = new RegExp(
      reason.replace('or has no tweets', 'has no tweets').replace('caller', '(the )?caller'),
      'i',
    );
    const query = `?${parameter}=${value}`;
    const post = postOf(JSON.stringify({ [parameter]: value }));
    for (const answer of [await world.ask(pathOf(endpoint) + query), await world.ask(pathOf(endpoint), post)])
      expect(answer).toMatchObject(problem(404, detail));
  });

  test('Not listed for token-info and search: a search that finds nothing is a 200', async () => {
    expect(await world.get('search', { rawQuery: 'qxqxq' })).toMatchObject({
      status: 200,
      body: { data: { search_metadata: { count: 0 } } },
    });
    expect(await world.get('search', { rawQuery: 'from:nobody' })).toMatchObject({ status: 200 });
  });

  test('user-tweets: a user with replies only has no tweets; user-tweets-replies shows them', async () => {
    const { db, userId, twin } = await twinWithUser();
    addTweet(db, { restId: '10', authorId: userId, inReplyToStatusRestId: '5' });
    expect(await twin.get('user-tweets', { restId: '1' })).toMatchObject(problem(404));
    expect(await twin.get('user-tweets-replies', { restId: '1' })).toMatchObject({ status: 200 });
  });

  test('an id of another resource is unknown', async () => {
    const { db, twin } = await twinWithUser();
    addList(db, { restId: '7' });
    expect(await twin.get('tweet-detail', { restId: '1' })).toMatchObject(problem(404));
    expect(await twin.get('community-tweets', { communityId: '7' })).toMatchObject(problem(404));
    expect(await twin.get('list-latest-tweets', { listId: '7' })).toMatchObject({ status: 200 });
  });

  test('ids are text: other spellings of a number are other ids', async () => {
    for (const restId of ['01', '1.0', '1e0', ' 1', '+1', '1\0', '１'])
      expect(await world.get('followers', { restId })).toMatchObject(problem(404));
  });

  test.each(['/', '/api/microblog', '/api/microblog/followers/', '/api/microblog/nope', '/API/microblog/search'])(
    '%s is unknown, with or without a key',
    async (path) => {
      expect(await world.ask(path)).toMatchObject(problem(404, 'The path does not exist.'));
      expect(await answerOf(await fetch(world.url + path))).toMatchObject(problem(404));
    },
  );
});

describe('| 500 | Internal server error (all endpoints) |', () => {
  test('does not show its cause', async () => {
    const { db, twin } = await twinWithUser();
    db.run(sql`drop table follows`);
    const answer = await twin.get('followers', { restId: '1' });
    expect(answer).toMatchObject(problem(500, 'The twin failed to process the request. Its log has the cause.'));
    expect(JSON.stringify(answer.body)).not.toContain('follows');
    expect(answer.headers.get('x-powered-by')).toBeNull();
  });
});

describe('"Status returned when the quota is exceeded: not shown." Here it is 429', () => {
  const query = '?restId=1&screenName=ada&rawQuery=x&communityId=1&listId=1';

  test.each(ALL.slice(1))('%s', async (path) => {
    const { key } = createKey(world.db, { name: 'small', limit: 1, windowMs: 60_000, now: NOW });
    const headers = { 'X-API-Key': key };
    await world.ask(pathOf('search') + query, { headers });
    expect((await world.ask(ALL[0]!, { headers })).status).toBe(200);
    const answer = await world.ask(path + query, { headers });
    expect(answer.headers.get('retry-after')).toMatch(/^(59|60|61)$/);
    expect(answer).toMatchObject(problem(429, /The quota of 1 requests per 60 s is used up/));
  });
});

describe('a parameter that is no text is a 400 that names it:', () => {
  const refusal = problem(400, 'The parameter restId must be a single string.');

  test.each(['1', 'true', '["1"]', '{"restId": "1"}'])('%s', async (value) => {
    expect(await world.ask(pathOf('followers'), postOf(`{"restId": ${value}}`))).toMatchObject(refusal);
  });

  test.each(['restId=1&restId=2', 'restId=1&restId=1', 'restId=&restId=1'])('%s', async (query) => {
    expect(await world.ask(`${pathOf('followers')}?${query}`)).toMatchObject(refusal);
  });

  test('given twice in a body, the last one counts, as JSON is commonly read', async () => {
    expect(await world.ask(pathOf('followers'), postOf('{"restId": "404", "restId": "1"}'))).toMatchObject({
      status: 200,
    });
  });

  test('longer than 1,000 characters', async () => {
    expect(await world.get('search', { rawQuery: '語'.repeat(1000) })).toMatchObject({ status: 200 });
    for (const ask of [world.get, world.post])
      expect(await ask('search', { rawQuery: 'x'.repeat(1001) })).toMatchObject(problem(400, /longer than 1000/));
  });
});

describe('a body that cannot be read is a 400:', () => {
  test.each(['{', '[]', '"text"', 'null', '1', '{}{}', 'restId=1', ' '])('%j', async (body) => {
    expect(await world.ask(pathOf('followers'), postOf(body))).toMatchObject(problem(400, /^The body /));
  });

  test('bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"rawQuery": "'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(await world.ask(pathOf('search'), postOf(new Uint8Array(body)))).toMatchObject(
      problem(400, 'The body is not UTF-8.'),
    );
  });

  test.each(['{"__proto__": {"restId": "1"}}', '{"constructor": {"prototype": {"restId": "1"}}}'])(
    '%s has no parameter',
    async (body) => {
      expect(await world.ask(pathOf('followers'), postOf(body))).toMatchObject(problem(400, /restId is missing/));
      expect(await world.get('followers')).toMatchObject(problem(400));
    },
  );

  test('nested deeply in an unknown parameter is accepted', async () => {
    const body = `{"restId": "1", "other": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    expect(await world.ask(pathOf('followers'), postOf(body))).toMatchObject({ status: 200 });
  });
});

describe('an invalid URL is a 400:', () => {
  test.each(['/%E0%A4%A', `${pathOf('search')}?rawQuery=%FF`, `${pathOf('search')}?rawQuery=%E0%A4%A`])(
    '%s',
    async (address) => {
      expect(await world.ask(address)).toMatchObject(problem(400, /^The URL is invalid/));
    },
  );

  test.each([`${pathOf('search')}?__proto__=x&rawQuery=x`, '/api/microblog/%73earch?rawQuery=x'])(
    '%s can',
    async (address) => {
      expect(await world.ask(address)).toMatchObject({ status: 200 });
    },
  );
});

describe('405', () => {
  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s is not allowed, and the response names the allowed methods',
    async (method) => {
      for (const path of ALL) {
        const answer = await world.ask(path, { method });
        expect(answer).toMatchObject(problem(405));
        expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
      }
    },
  );
});

describe('413 and 431', () => {
  test('a body over 64 KB is too large', async () => {
    expect(await world.post('search', { rawQuery: 'x'.repeat(65 * 1024) })).toMatchObject(problem(413));
  });

  test('an address or headers over 16 KB are too large', async () => {
    expect(await world.get('search', { rawQuery: 'x'.repeat(17 * 1024) })).toMatchObject(problem(431));
    expect(await world.ask('/', { headers: { 'X-More': 'x'.repeat(17 * 1024) } })).toMatchObject(problem(431));
  });

  test('bytes that are not HTTP are a 400', async () => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    socket.end('EHLO\r\n\r\n');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\ncontent-type: application\/problem\+json/);
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({ status: 400 });
  });
});

describe('415', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-patch+json',
    'multipart/form-data; boundary=x',
  ])('a POST of %s is refused', async (type) => {
    for (const path of ALL) {
      const headers = { 'Content-Type': type };
      const answer = await world.ask(path, { method: 'POST', headers, body: 'restId=1' });
      expect(answer).toMatchObject(problem(415, /Content-Type: application\/json/));
    }
  });

  test('a POST without a content type is refused', async () => {
    expect(await world.ask(pathOf('token-info'), { method: 'POST' })).toMatchObject(problem(415));
  });

  test('the content type may be written in any case, and name a charset', async () => {
    const headers = { 'Content-Type': 'Application/JSON; charset=utf-8' };
    const body = '{"restId": "1"}';
    expect((await world.ask(pathOf('followers'), { method: 'POST', headers, body })).status).toBe(200);
  });
});
