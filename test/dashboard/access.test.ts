import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { isOwnHost } from '#base/listen.ts';
import { createStoreFile } from '../support/store-file.ts';
import { shareDashboard, startTestDashboard } from './support.ts';
import { TOKEN } from './token.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Sends a request with any headers, also with those that fetch does not allow. */
async function send(
  url: string,
  headers: Record<string, string> = {},
  { method = 'GET', body }: { method?: string; body?: string } = {},
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      text(response).then(
        (all) => resolve({ status: response.statusCode!, body: all, headers: response.headers }),
        reject,
      );
    });
    sent.on('error', reject).end(body);
  });
}

const shared = shareDashboard(createStoreFile);
/** Saved queries run for these, and their rows are sent. */
const QUERY_PATHS = ['/api/queries/tweets-per-period/result', '/api/queries/tweets-per-period/file?file-format=csv'];
const AUTHORISED = { authorization: `Bearer ${TOKEN}` };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('on loopback', () => {
  test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '192.168.1.7', 'a b'])(
    'a request for the host %j is refused',
    async (host) => {
      const { url } = shared;
      for (const path of ['/', '/api/overview', '/api/live', '/assets/x.js'])
        expect(await send(url + path, { host }), path).toMatchObject({ status: 421 });
    },
  );

  test.each(['localhost', '127.0.0.1:1', '[::1]:9999'])('a request for %s is answered', async (host) => {
    const { url } = shared;
    expect(await send(`${url}/`, { host, ...AUTHORISED })).toMatchObject({ status: 200 });
  });

  test('pages of other sites may not read', async () => {
    const { url } = shared;
    const cases: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of cases) {
      for (const path of [
        '/api/overview',
        '/%61pi/overview',
        '/api/live',
        '/%61pi/live',
        '/api/nothing',
        ...QUERY_PATHS,
      ])
        expect(await send(url + path, { ...headers, ...AUTHORISED }), path).toMatchObject({ status: 403 });
    }
    const own = { ...AUTHORISED, origin: url, 'sec-fetch-site': 'same-origin' };
    expect(await send(`${url}/api/overview`, own)).toMatchObject({ status: 200 });
  });
});

describe('the token', () => {
  test.each([
    ['127.0.0.1', undefined],
    ['127.0.0.1', { echo: async () => null }],
    ['0.0.0.0', undefined],
  ])(
    'on %s, everything needs it: as a bearer token, or by the cookie that the address with it sets',
    async (host, actions) => {
      const { url, signInUrl } = await startTestDashboard(createStoreFile(), { host, actions });
      for (const path of ['/', '/api/overview', '/api/live', '/?token=wrong', '/assets/x.js'])
        expect(await send(url + path), path).toMatchObject({ status: 401 });
      expect(await send(`${url}/`, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
      expect(await send(`${url}/api/overview`, AUTHORISED)).toMatchObject({ status: 200 });

      const signIn = await send(signInUrl);
      expect(signIn).toMatchObject({ status: 303, headers: { location: '/' } });
      const [cookie] = signIn.headers['set-cookie'] as string[];
      expect(cookie).toMatch(/; HttpOnly; SameSite=Lax$/);
      expect(await send(`${url}/api/overview`, { cookie: cookie!.split(';', 1)[0]! })).toMatchObject({ status: 200 });
    },
  );

  test.each([
    '//evil.example/',
    '/\\\\evil.example/',
    '/.//evil.example/',
    '/%2f/evil.example',
    '//evil.example:80/a',
    '/a//b',
  ])('the sign-in leads to an own path: %s', async (path) => {
    const { url } = shared;
    const { status, headers } = await send(`${url}${path}?token=${TOKEN}`);
    expect(status).toBe(303);
    const { host, search } = new URL(headers['location'] as string, url);
    expect({ host, search }).toEqual({ host: new URL(url).host, search: '' });
  });

  test('on all addresses, it prints those that other machines open', async () => {
    const { url, others } = await startTestDashboard(createStoreFile(), { host: '0.0.0.0' });
    const { port } = new URL(url);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const external = Object.values(networkInterfaces()).flatMap((all) =>
      all!.filter(({ internal, family }) => !internal && family === 'IPv4'),
    );
    expect(others.map((other) => other.url)).toEqual(external.map(({ address }) => `http://${address}:${port}`));
    for (const { signInUrl } of others) expect(await send(signInUrl), signInUrl).toMatchObject({ status: 303 });
    expect((await startTestDashboard(createStoreFile())).others).toEqual([]);
  });

  test('it answers to names that are allowed', async () => {
    const { url } = await startTestDashboard(createStoreFile(), { allowedHosts: ['Crawler.example.org'] });
    expect(await send(`${url}/`, { host: 'crawler.example.org', ...AUTHORISED })).toMatchObject({ status: 200 });
    expect(await send(`${url}/`, { host: 'evil.example', ...AUTHORISED })).toMatchObject({ status: 421 });
  });

  test('it answers to addresses and to its own name', () => {
    expect(isOwnHost('192.168.1.7:8899', '0.0.0.0')).toBe(true);
    expect(isOwnHost('[fe80::1]:8899', '::')).toBe(true);
    expect(isOwnHost('crawler.example.org', 'crawler.example.org')).toBe(true);
    expect(isOwnHost('evil.example', 'crawler.example.org')).toBe(false);
    expect(isOwnHost('evil.example', '0.0.0.0')).toBe(false);
    expect(isOwnHost('192.168.1.7', '127.0.0.1')).toBe(false);
    expect(isOwnHost(undefined, '0.0.0.0')).toBe(false);
  });
});

describe('changes', () => {
  const withEcho = { actions: { echo: async (input: unknown) => ({ input }) } };
  const body = JSON.stringify({ ids: [1] });

  test('a dashboard that only reads refuses them, also with the token', async () => {
    const { url } = shared;
    const answer = await send(
      `${url}/api/actions/echo`,
      { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` },
      { method: 'POST', body },
    );
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('only reads') });
  });

  test('they need the token, also on loopback, and the same origin', async () => {
    const { url, signInUrl } = await startTestDashboard(createStoreFile(), withEcho);
    const post = (headers: Record<string, string>) =>
      send(`${url}/api/actions/echo`, { ...JSON_TYPE, ...headers }, { method: 'POST', body });
    const authorization = `Bearer ${TOKEN}`;
    expect(await post({})).toMatchObject({ status: 403 });
    expect(await post({ authorization: `Bearer ${TOKEN}x` })).toMatchObject({ status: 403 });
    expect(await post({ authorization, origin: 'http://evil.example' })).toMatchObject({ status: 403 });
    expect(await post({ authorization, 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 });
    expect(await post({ authorization, host: 'evil.example' })).toMatchObject({ status: 421 });
    const result = { status: 200, body: JSON.stringify({ result: { input: { ids: [1] } } }) };
    expect(await post({ authorization })).toMatchObject(result);

    const unknown = await send(`${url}/api/actions/other`, { ...JSON_TYPE, authorization }, { method: 'POST', body });
    expect(unknown).toMatchObject({ status: 404, body: '{"error":"there is no such address","hint":null}' });

    const [cookie] = (await send(signInUrl)).headers['set-cookie'] as string[];
    const signedIn = { cookie: cookie!.split(';', 1)[0]!, origin: url, 'sec-fetch-site': 'same-origin' };
    expect(await post(signedIn)).toMatchObject(result);
    // A form of another site can send a cookie, and no JSON.
    expect(
      await send(`${url}/api/actions/echo`, { ...signedIn, 'content-type': 'text/plain' }, { method: 'POST', body }),
    ).toMatchObject({ status: 415 });
  });

  test('a page knows whether it may change something', async () => {
    for (const [options, isWritable] of [
      [{}, false],
      [withEcho, true],
    ] as const) {
      const { url } = await startTestDashboard(createStoreFile(), options);
      expect((await send(`${url}/`, AUTHORISED)).body).toContain(`&quot;isWritable&quot;:${isWritable}`);
    }
  });
});

test('a malformed address is 400 with the usual headers, for the own host only', async () => {
  const { url } = shared;
  for (const path of ['/%ff', '/api/%ff', '/assets/%c0']) {
    expect(await send(url + path), path).toMatchObject({
      status: 400,
      body: JSON.stringify({
        error: 'the address is malformed',
        hint: null,
      }),
      headers: {
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cache-control': 'no-store',
      },
    });
    expect(await send(url + path, { host: 'evil.example' }), path).toMatchObject({ status: 421 });
  }
});

test('HEAD has the headers of GET, and ends, also for the stream of updates', async () => {
  const { url } = shared;
  for (const [path, type] of [
    ['/', 'text/html'],
    ['/api/overview', 'application/json'],
    ['/api/live', 'text/event-stream'],
  ] as const)
    expect(await send(url + path, AUTHORISED, { method: 'HEAD' }), path).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-type': expect.stringContaining(type) },
    });
});

test('every response has the content policy, without inline scripts and styles', async () => {
  const { url } = shared;
  for (const path of ['/', '/api/overview', '/api/none', '/assets/none.js', '/any/page']) {
    const { headers } = await send(url + path);
    expect(headers['content-security-policy'], path).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});
