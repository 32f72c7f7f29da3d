import { createServer, type AddressInfo } from 'node:net';
import { gzipSync, brotliCompressSync, deflateRawSync, deflateSync } from 'node:zlib';
import { Pool } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  BadRequestError,
  ContractError,
  ForbiddenError,
  NotFoundError,
  QuotaExceededError,
  ServiceError,
  TransientError,
  UnauthorizedError,
  UsageError,
} from '#base/errors.ts';
import { createClient } from '#service/client/client.ts';
import { type ReceivedRequest, CANARY, clientOf, errorOf, json, serve } from './service.ts';

const PROFILE = { data: { id: '1', userName: 'añb' } };

/** A response with its parsed body. */
async function search(...options: Parameters<typeof clientOf>) {
  const client = clientOf(...options);
  const response = await client.fetch('search', { rawQuery: 'a' });
  return { ...response, body: client.parse(response) };
}
const searchError = (...options: Parameters<typeof clientOf>) => errorOf(search(...options));

/** A TCP server that answers every connection with these bytes and ends it. */
async function rawServer(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('GET sends parameters in the query string, below the base URL, with the key in its header', async () => {
  const service = await serve((response) => json(response, PROFILE));
  const fetched = await clientOf(`${service.url}/deep/path/`).fetch('search', {
    rawQuery: 'from:a "b c"+é&x',
    cursor: '=',
  });
  expect(fetched).toMatchObject({ endpoint: 'search', status: 200 });
  expect(JSON.parse(fetched.raw.toString())).toEqual(PROFILE);
  expect(fetched.bytes).toBe(fetched.raw.length);
  const [requests] = service.requests;
  expect(requests?.method).toBe('GET');
  expect(requests?.url.pathname).toBe('/deep/path/api/microblog/search');
  expect(requests?.url.search).not.toContain('+');
  expect(Object.fromEntries(requests!.url.searchParams)).toEqual({ rawQuery: 'from:a "b c"+é&x', cursor: '=' });
  expect(requests?.headers['x-api-key']).toBe(CANARY);
});

test('POST sends parameters as a JSON body, and an empty body for token-info', async () => {
  const service = await serve((response) =>
    json(response, { data: { app_limit: 10, remaining: 3, reset_at: '2026-01-01T00:00:00.000Z' } }),
  );
  const client = clientOf(service.url, { method: 'POST' });
  await client.fetch('followers', { restId: '7' });
  expect(await client.tokenInfo()).toMatchObject({ limit: 10, remaining: 3, resetAt: Date.UTC(2026, 0, 1) });
  expect(
    service.requests.map(({ method, body, headers, url }) => [method, body, headers['content-type'], url.search]),
  ).toEqual([
    ['POST', '{"restId":"7"}', 'application/json', ''],
    ['POST', '{}', 'application/json', ''],
  ]);
});

test.each([
  ['null', null],
  ['absent', undefined],
  ['nonsense', 'soon'],
  ['without a zone', '2026-01-01T00:00:00'],
  ['an implausible number', 900],
  ['an object', { at: 5 }],
  ['a flag', true],
])('a reset_at that is %s is unknown, not an error', async (_, reset_at) => {
  const service = await serve((response) => json(response, { data: { app_limit: 10, remaining: 3, reset_at } }));
  expect((await clientOf(service.url).tokenInfo()).resetAt).toBeUndefined();
});

test.each([
  ['seconds', (at: number) => at / 1000],
  ['milliseconds', (at: number) => at],
  ['digits', (at: number) => String(at / 1000)],
  ['another form of text', (at: number) => new Date(at).toUTCString()],
])('a reset_at in %s is read', async (_, write) => {
  const at = Date.UTC(2026, 0, 1);
  const service = await serve((response) =>
    json(response, { data: { app_limit: 10, remaining: 3, reset_at: write(at) } }),
  );
  expect(await clientOf(service.url).tokenInfo()).toMatchObject({ limit: 10, remaining: 3, resetAt: at });
});

test.each([[{ data: { app_limit: 'many', remaining: 3 } }], [{ data: {} }], [{ error: 'upstream' }], ['<html>']])(
  'a token-info that cannot be read is a fault of the service: %j',
  async (body) => {
    const service = await serve((response) => json(response, body));
    await expect(clientOf(service.url).tokenInfo()).rejects.toThrow(TransientError);
  },
);

test.each([[{ error: 'upstream timed out' }], [{}], [[]], [null], ['text'], [7], [{ data: null }], [{ data: [] }]])(
  'a 200 without an object data is a fault of the service: %j (spec, General rules, 4)',
  async (body) => {
    const service = await serve((response) => json(response, body));
    const client = clientOf(service.url);
    const response = await client.fetch('followers', { restId: '1' });
    expect(() => client.parse(response)).toThrow(TransientError);
  },
);

test.each([
  [8000, 'GET'],
  [40_000, 'POST'],
])('a cursor of %i characters is sent by %s', async (length, method) => {
  const service = await serve((response) => json(response, { data: {} }));
  await clientOf(service.url).fetch('followers', { restId: '1', cursor: 'c'.repeat(length) });
  expect(service.requests.map((request) => request.method)).toEqual([method]);
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['Deflate', deflateRawSync],
])('a body encoded with %s is decoded', async (encoding, compress) => {
  const body = JSON.stringify(PROFILE);
  const service = await serve((response) => {
    response.setHeader('content-encoding', encoding);
    response.end(compress(body));
  });
  const client = clientOf(service.url);
  const fetched = await client.fetch('user-profile', { screenName: 'a' });
  expect(client.parse(fetched)).toEqual(PROFILE);
  expect(fetched.raw.toString()).toBe(body);
  expect(fetched.bytes).toBe(compress(body).length);
});

test('a response and a 404 have their headers as JSON, without the key and secrets', async () => {
  const service = await serve((response, { url, headers }) => {
    response.statusCode = url.pathname.endsWith('/followers') ? 404 : 200;
    response.setHeader('x-echo', `key ${String(headers['x-api-key'])}`);
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.setHeader('via', ['1.1 one', '1.1 two']);
    response.setHeader('date', 'Sun, 22 Nov 2026 23:00:00 GMT');
    json(response, PROFILE);
  });
  const client = clientOf(service.url);
  const expected = {
    'x-echo': 'key [key]',
    via: ['1.1 one', '1.1 two'],
    date: 'Sun, 22 Nov 2026 23:00:00 GMT',
    'content-type': 'application/json',
    '(omitted)': 2,
  };
  const { headers } = await client.fetch('user-profile', { screenName: 'a' });
  expect(JSON.parse(headers)).toMatchObject(expected);
  const error = (await errorOf(client.fetch('followers', { restId: '1' }))) as NotFoundError;
  expect(JSON.parse(error.headers!)).toMatchObject(expected);
});

const bomb = gzipSync(Buffer.alloc(3_000_000, ' '));
const nested = `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

test.each<
  [string, () => { headers?: Record<string, string>; body: string | Buffer }, new (m: string) => ServiceError, RegExp]
>([
  ['a gzip bomb', () => ({ headers: { 'content-encoding': 'gzip' }, body: bomb }), ContractError, /larger than 1.0 MB/],
  ['a body that is too large', () => ({ body: ' '.repeat(1_000_001) }), ContractError, /larger than 1.0 MB/],
  ['nesting of thousands', () => ({ body: nested }), ContractError, /nested deeper than 64 levels/],
  [
    'HTML',
    () => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<!doctype html>\n<p>\u001b[31mhi' }),
    TransientError,
    /^search: the service sent text\/html, not JSON: <!doctype html> <p> \[31mhi$/,
  ],
  ['nothing', () => ({ body: '' }), TransientError, /empty body/],
  ['JSON cut in the middle', () => ({ body: '{"data":{"id":"1' }), TransientError, /truncated or invalid JSON/],
  ['invalid UTF-8', () => ({ body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) }), TransientError, /not valid UTF-8/],
  [
    'gzip cut in the middle',
    () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"data":{}}').subarray(0, 20) }),
    TransientError,
    /gzip encoding is cut or broken/,
  ],
  [
    'an unknown encoding',
    () => ({ headers: { 'content-encoding': 'zstd' }, body: 'x' }),
    TransientError,
    /encoded as zstd/,
  ],
])('a success response that is %s is rejected with a message', async (_, make, kind, message) => {
  const { headers = {}, body } = make();
  const service = await serve((response) => response.writeHead(200, headers).end(body));
  const error = await searchError(service.url, { maxBytes: 1_000_000 });
  expect(error).toBeInstanceOf(kind);
  expect((error as ServiceError).message).toMatch(message);
  expect(error).toMatchObject({ sent: true, ms: expect.any(Number) });
});

test('a byte order mark and another content type of JSON are accepted', async () => {
  const service = await serve((response) =>
    response.setHeader('content-type', 'text/plain').end(`\ufeff${JSON.stringify(PROFILE)}`),
  );
  expect((await search(service.url)).body).toEqual(PROFILE);
});

test.each<[number, new (m: string) => ServiceError]>([
  [400, BadRequestError],
  [401, UnauthorizedError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [429, QuotaExceededError],
  [500, TransientError],
  [502, TransientError],
])('%i becomes its own error with the start of its body', async (status, kind) => {
  const body = `{"detail":"${'d'.repeat(5000)}"}`;
  const service = await serve((response) =>
    response.writeHead(status, { 'content-encoding': 'gzip' }).end(gzipSync(body)),
  );
  const error = await errorOf(clientOf(service.url).fetch('followers', { restId: '1' }));
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ status, sent: true });
  expect((error as ServiceError).body).toHaveLength(2048);
  expect((error as ServiceError).message.length).toBeLessThan(300);
});

test('a redirect is rejected and not followed, so that the key is not sent elsewhere', async () => {
  const other = await serve((response) => json(response, PROFILE));
  const service = await serve((response) => response.writeHead(302, { location: `${other.url}/x` }).end());
  const error = await searchError(service.url);
  expect(error).toBeInstanceOf(ContractError);
  expect((error as ServiceError).message).toBe(`search answered 302 Found, a redirect to ${other.url}/x`);
  expect(other.requests).toEqual([]);
});

test.each([
  ['an unreachable service', 'http://127.0.0.1:9', /^cannot reach http:\/\/127\.0\.0\.1:9\/: connection refused$/],
  ['an unknown host', 'http://no-such-host.invalid', /^cannot reach http:\/\/no-such-host\.invalid\/: /],
])('%s is reported with its address, and nothing was sent', async (_, url, message) => {
  const error = await searchError(url);
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({
    message: expect.stringMatching(message),
    hint: 'Is the service up? TRAWL_API_URL is its base address.',
    sent: false,
  });
});

test.each([
  [
    'a body shorter than its Content-Length',
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data":',
    /connection was closed|was cut/,
  ],
  ['a connection closed without an answer', '', /connection was closed/],
  ['an answer that is not HTTP', 'SSH-2.0-OpenSSH\r\n', /not HTTP/],
])('%s is transient, and counts as sent', async (_, bytes, message) => {
  const error = await searchError(await rawServer(bytes));
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({ message: expect.stringMatching(message), sent: true });
});

test('an endless response exceeds the deadline even while bytes arrive', async () => {
  const service = await serve((response) => {
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  });
  const error = await searchError(service.url, { timeoutMs: 150 });
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({ message: expect.stringContaining('no complete response within 150 ms'), sent: true });
});

test('a deadline while the request waits for a connection means that it was not sent', async () => {
  const service = await serve(() => undefined);
  const pool = new Pool(service.url, { connections: 1 });
  onTestFinished(() => pool.destroy());
  const pending = errorOf(clientOf(service.url, { dispatcher: pool }).fetch('search', { rawQuery: 'first' }));
  await vi.waitFor(() => expect(service.requests).toHaveLength(1));
  const impatientClient = clientOf(service.url, { dispatcher: pool, timeoutMs: 100 });
  expect(await errorOf(impatientClient.fetch('search', { rawQuery: 'second' }))).toMatchObject({
    name: 'TransientError',
    message: expect.stringContaining('no connection within 100 ms'),
    sent: false,
  });
  await pool.destroy();
  await pending;
  expect(service.requests.map(({ url }) => url.searchParams.get('rawQuery'))).toEqual(['first']);
});

test('an aborted request says whether it was sent and so counts against the quota', async () => {
  const controller = new AbortController();
  const service = await serve(() => controller.abort());
  const ask = () => errorOf(clientOf(service.url).fetch('search', { rawQuery: 'a' }, controller.signal));
  const ended = { name: 'TransientError', message: 'search: the request was aborted' };
  expect(await ask()).toMatchObject({ ...ended, sent: true });
  expect(await ask()).toMatchObject({ ...ended, sent: false });
  expect(service.requests).toHaveLength(1);
});

test('an aborted request that waits for a connection ends at once and is never sent', async () => {
  const queryOf = (requests: ReceivedRequest): string | null => requests.url.searchParams.get('rawQuery');
  const service = await serve((response, requests) => queryOf(requests) === 'third' && json(response, PROFILE));
  const client = clientOf(service.url, { connections: 1 });
  const first = new AbortController();
  const second = new AbortController();
  const pending = errorOf(client.fetch('search', { rawQuery: 'first' }, first.signal));
  const queued = errorOf(client.fetch('search', { rawQuery: 'second' }, second.signal));
  second.abort();
  expect(await queued).toMatchObject({ sent: false });
  first.abort();
  await pending;
  await client.fetch('search', { rawQuery: 'third' });
  expect(service.requests.map(queryOf)).not.toContain('second');
});

test('of the body of an error response only the start is read', async () => {
  const service = await serve((response) => {
    response.writeHead(400);
    response.write('start '.repeat(20_000));
  });
  const error = await searchError(service.url, { timeoutMs: 20_000 });
  expect(error).toBeInstanceOf(BadRequestError);
  expect((error as ServiceError).body).toMatch(/^start start /);
});

test('an error response with an endless body is still that error', async () => {
  const service = await serve((response) => {
    response.writeHead(404);
    response.write('{"detail":');
  });
  const error = await errorOf(clientOf(service.url, { timeoutMs: 150 }).fetch('followers', { restId: '1' }));
  expect(error).toBeInstanceOf(NotFoundError);
});

test('an early hint is not the response', async () => {
  const service = await serve((response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    json(response, PROFILE);
  });
  expect((await search(service.url)).body).toEqual(PROFILE);
});

test.each([
  ['small', 10, (body: string) => body],
  ['small and encoded', 10, gzipSync],
  ['common', 44_000, (body: string) => body],
  ['common and encoded', 44_000, gzipSync],
  ['large and encoded', 300_000, gzipSync],
])('a body that is %s owns its memory, so that it can be transferred', async (_, size, encode) => {
  const body = JSON.stringify({ data: { text: 'é'.repeat(size / 2) } });
  const service = await serve((response) => {
    if (encode === gzipSync) response.setHeader('content-encoding', 'gzip');
    response.end(encode(body));
  });
  const { raw } = await search(service.url);
  expect(raw.buffer.byteLength).toBe(raw.length);
  expect(raw.toString()).toBe(body);
});

test('a key that is not a header value is refused without being shown', () => {
  const make = (): unknown => createClient({ baseUrl: 'http://127.0.0.1', apiKey: `${CANARY}\n` });
  expect(make).toThrow(UsageError);
  expect(make).toThrow(/^(?!.*canary)/s);
});

/** Returns all texts of an error, also inherited ones and those of its cause. */
function collectTexts(error: unknown, seen = new Set<unknown>()): string {
  if (typeof error !== 'object' || error === null || seen.has(error)) return String(error);
  seen.add(error);
  return [...Object.getOwnPropertyNames(error), 'message', 'stack', 'cause']
    .map((name) => collectTexts((error as Record<string, unknown>)[name], seen))
    .concat(JSON.stringify(error) ?? '')
    .join('\n');
}

const echo = (requests: { headers: Record<string, unknown> }): string => String(requests.headers['x-api-key']);

test.each([200, 301, 400, 401, 403, 404, 418, 429, 500, 503])(
  'no error shows the key, even when a %i echoes it in every way',
  async (status) => {
    const service = await serve((response, requests) => {
      const key = echo(requests);
      response.writeHead(status, {
        location: `http://other/?key=${encodeURIComponent(key)}`,
        'content-type': `text/${key}`,
      });
      response.end(`${JSON.stringify({ detail: `bad key ${key}` })} ${key} ${encodeURIComponent(key)}`);
    });
    const error = await searchError(service.url);
    expect(error).toBeInstanceOf(ServiceError);
    expect(collectTexts(error)).toMatch(/\[key\]/);
    expect(collectTexts(error)).not.toContain('canary');
  },
);

/** Escaped forms of a text in several formats. */
const escapes: [string, (key: string) => string][] = [
  [
    'as PHP writes JSON',
    (key) =>
      JSON.stringify(key)
        .slice(1, -1)
        .replaceAll('/', String.raw`\/`),
  ],
  [
    'as .NET writes JSON',
    (key) => key.replace(/[^a-z0-9]/gi, (c) => String.raw`\u00${c.charCodeAt(0).toString(16).toUpperCase()}`),
  ],
  [
    'in JSON within JSON',
    (key) => JSON.stringify(JSON.stringify(JSON.stringify(key).slice(1, -1)).slice(1, -1)).slice(1, -1),
  ],
  ['in an address within an address', (key) => encodeURIComponent(encodeURIComponent(key))],
  [
    'in HTML',
    (key) => key.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('/', '&#x2F;').replaceAll('+', '&#43;'),
  ],
  [
    'with every character escaped in JSON',
    (key) => Array.from(key, (c) => String.raw`\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ],
  ['with one letter escaped in JSON', (key) => key.replace('n', String.raw`\u006E`).replace('"', String.raw`\"`)],
  ['in capitals', (key) => JSON.stringify(key.toUpperCase()).slice(1, -1)],
];

test.each(escapes)('no error shows the key, %s', async (_, escape) => {
  const service = await serve((response, requests) =>
    response.writeHead(403).end(`{"detail":"bad key ${escape(echo(requests))}"}`),
  );
  const error = await searchError(service.url);
  expect(collectTexts(error)).toContain('bad key [key]');
  expect(collectTexts(error)).not.toMatch(/canary/i);
});

test('no part of the key remains where a body is truncated', async () => {
  const apiKey = `canary${'x'.repeat(500)}`;
  const service = await serve((response) => response.end(`<p>${`${apiKey} `.repeat(1000)}`));
  const error = await searchError(service.url, { apiKey });
  expect((error as ServiceError).body).toHaveLength(2048);
  expect(collectTexts(error)).not.toContain('canary');
});

test('a stored body never contains the key', async () => {
  const service = await serve((response, requests) =>
    json(response, { data: { id: '1', requests: [`key ${echo(requests)}`] } }),
  );
  const { raw, body } = await search(service.url);
  expect(body).toEqual({ data: { id: '1', requests: ['key [key]'] } });
  expect(JSON.parse(raw.toString())).toEqual(body);
  expect(raw.buffer.byteLength).toBe(raw.length);
});

// A text in capitals is another one.
test.each(escapes.slice(0, -1))(
  'a stored body and its parsed strings never contain the key, %s',
  async (name, escape) => {
    const service = await serve((response, requests) => {
      response.setHeader('content-type', 'application/json');
      response.end(`{"data":{"text":"key ${escape(echo(requests))}"}}`);
    });
    const { raw, body } = await search(service.url);
    expect(body, name).toEqual({ data: { text: 'key [key]' } });
    expect(JSON.parse(raw.toString())).toEqual(body);
  },
);

test('a short key that could be normal text leaves responses unchanged', async () => {
  const service = await serve((response) => json(response, { data: { text: 'a demo' } }));
  const { body } = await search(service.url, { apiKey: 'demo' });
  expect(body).toEqual({ data: { text: 'a demo' } });
});

test('no network error shows the key', async () => {
  const urls = [
    'http://127.0.0.1:9',
    await rawServer(''),
    await rawServer('junk'),
    await rawServer(`HTTP/1.1 200 OK\r\nContent-Encoding: ${CANARY}\r\nContent-Length: 1\r\n\r\nx`),
  ];
  for (const url of urls) {
    for (const base of [url, `${url}/${encodeURIComponent(CANARY)}`]) {
      expect(collectTexts(await searchError(base))).not.toContain('canary');
    }
  }
});
