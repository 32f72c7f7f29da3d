import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type EndpointName, endpointTable } from '#service/contract/endpoints.ts';
import { readPage } from '#service/contract/wire-page.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { type FaultRule, FAULT_NAMES, type FaultName, faultTable } from '#twin/faults/fault-table.ts';
import { buildTwin } from '#twin/serve/http/start-twin.ts';
import { createKey } from '#twin/serve/quota/twin-keys.ts';
import { createTempDir } from '../support/temp.ts';
import { addFollow, addTweet, addUser, NOW } from '../twin/support.ts';

const directory = createTempDir();
const db = openDatabase(join(directory.path, 'store.db'));
afterAll(() => {
  db.$client.close();
  directory[Symbol.dispose]();
});
beforeAll(() => {
  const ada = addUser(db, { restId: '1', screenName: 'ada' });
  for (let i = 0; i < 12; i += 1) {
    addFollow(db, addUser(db, { restId: `f${i}` }), ada);
    addTweet(db, { restId: `t${i}`, authorId: ada, createdAt: NOW - i * 1000 });
  }
});

interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly ms: number;
}

type Ask = (
  cursor?: string,
  more?: { endpoint?: EndpointName; headers?: Record<string, string> },
) => Promise<HttpAnswer>;

interface FaultyTwin {
  readonly ask: Ask;
  /** The log of each request, in order. */
  readonly log: readonly { status: number; faults?: string[] }[];
  readonly remaining: () => Promise<number>;
}

/** Starts a twin with one rule, and a client that requests one list. */
async function serveWithFault(rule: FaultRule, of: EndpointName): Promise<FaultyTwin> {
  const log: { status: number; faults?: string[] }[] = [];
  const lines = new Writable({ write: (line, _, done) => (log.push(JSON.parse(String(line)) as never), done()) });
  const { key } = createKey(db, { name: 'test', now: Date.now() });
  const app = buildTwin({ db, pageSize: 5, faults: { plan: [rule], seed: 7 }, log: pino({ base: null }, lines) });
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const ask: Ask = async (cursor, { endpoint = of, headers = {} } = {}) => {
    const parameters = { screenName: 'ada', restId: '1', ...(cursor !== undefined && { cursor }) };
    const began = performance.now();
    const response = await fetch(
      `${url}${endpointTable[endpoint].path}?${new URLSearchParams(parameters).toString()}`,
      {
        headers: { 'X-API-Key': key, ...headers },
        redirect: 'manual',
      },
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, ms: performance.now() - began };
  };
  const remaining = async () =>
    (JSON.parse((await ask(undefined, { endpoint: 'token-info' })).text) as { data: { remaining: number } }).data
      .remaining;
  return { ask, log, remaining };
}

interface FaultCheck {
  readonly of?: EndpointName;
  readonly rule?: Omit<FaultRule, 'fault'>;
  readonly check: (ask: Ask) => Promise<unknown>;
}

const page = (of: EndpointName, { status, text }: HttpAnswer) => {
  expect(status).toBe(200);
  const { items, cursor } = readPage(of, JSON.parse(text));
  return { ids: items.map(({ value }) => (value as { id: string }).id), next: cursor.value ?? undefined };
};
const data = ({ text }: HttpAnswer) => (JSON.parse(text) as { data: Record<string, unknown> }).data;
const followers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `f${from + i}`);

/** Requests the first page, which has no fault, and then the second, which has. */
const secondPage = async (ask: Ask): Promise<HttpAnswer> => ask(page('followers', await ask()).next);

const expectIds = async (answer: Promise<HttpAnswer>, from: number, to: number): Promise<void> =>
  expect(page('followers', await answer).ids).toEqual(followers(from, to));

/** Expects a status and headers. */
async function expectHead(answer: Promise<HttpAnswer>, status: number, expected: object = {}): Promise<HttpAnswer> {
  const { headers } = await answer;
  expect(await answer).toMatchObject({ status });
  expect(Object.fromEntries(headers)).toMatchObject(expected);
  return await answer;
}

/** Expects a text on the first page, and that its cursor leads to the second one. */
async function expectSecondPage(ask: Ask, text: string): Promise<void> {
  const first = await ask();
  expect(first.text).toContain(text);
  expect(page('followers', await ask(page('followers', first).next)).ids).toEqual(followers(5, 10));
}

/** The effect of each fault on a client. Each row of the fault table needs one. */
const CHECKS: Readonly<Record<FaultName, FaultCheck>> = {
  'move-entries': {
    rule: { at: [1] },
    async check(ask) {
      const first = page('followers', await ask());
      expect(first.ids).toEqual(followers(0, 3));
      await expectIds(ask(first.next), 3, 10);
    },
  },
  'repeat-entries': { check: (ask) => expectIds(secondPage(ask), 3, 10) },
  'duplicate-entries': {
    async check(ask) {
      const { ids } = page('followers', await ask());
      expect(ids).toHaveLength(7);
      expect(new Set(ids)).toEqual(new Set(followers(0, 5)));
    },
  },
  'shuffle-entries': {
    async check(ask) {
      const { ids } = page('followers', await ask());
      expect(ids).not.toEqual(followers(0, 5));
      expect(ids.toSorted()).toEqual(followers(0, 5));
    },
  },
  'pin-old-tweet': {
    of: 'user-tweets',
    check: async (ask) => expect(page('user-tweets', await ask()).ids).toEqual(['t4', 't0', 't1', 't2', 't3', 't4']),
  },
  'lose-entries': {
    rule: { lossy: true },
    check: async (ask) => expect(page('followers', await ask()).ids).toHaveLength(4),
  },
  'repeat-cursor': {
    async check(ask) {
      const { next } = page('followers', await ask());
      const second = page('followers', await ask(next));
      expect(second).toEqual({ ids: followers(5, 10), next });
    },
  },
  'cycle-cursors': {
    rule: { after: 2 },
    async check(ask) {
      const a = page('followers', await ask()).next;
      const b = page('followers', await ask(a)).next;
      expect(page('followers', await ask(b)).next).toBe(a);
    },
  },
  'unreadable-cursor': {
    async check(ask) {
      const shown = page('followers', await ask());
      expect(shown).toEqual({ ids: followers(0, 5), next: undefined });
    },
  },
  'misplaced-cursor': { check: (ask) => expectSecondPage(ask, 'cursor-bottom-0') },
  'top-cursor': { check: (ask) => expectSecondPage(ask, '"cursorType":"Top"') },
  'conflicting-cursors': { check: (ask) => expectSecondPage(ask, 'cursor-bottom-0') },
  'ignore-cursor': { check: (ask) => expectIds(secondPage(ask), 0, 5) },
  'refuse-cursor': {
    rule: { at: [2] },
    async check(ask) {
      const { next } = page('followers', await ask());
      expect(await ask(next)).toMatchObject({ status: 400, text: expect.stringContaining('cursor') });
      await expectIds(ask(next), 5, 10);
    },
  },
  'forget-cursors': { rule: { at: [2] }, check: (ask) => expectHead(secondPage(ask), 400) },
  'empty-page': {
    rule: { at: [1] },
    async check(ask) {
      const empty = page('followers', await ask());
      expect(empty.ids).toEqual([]);
      await expectIds(ask(empty.next), 0, 5);
    },
  },
  'endless-empty': {
    async check(ask) {
      let last = page('followers', await ask());
      for (let i = 0; i < 5; i += 1) last = page('followers', await ask(last.next));
      expect(last).toEqual({ ids: [], next: expect.any(String) });
    },
  },
  'token-info-lies': {
    of: 'token-info',
    rule: { by: -100 },
    check: async (ask) => expect(data(await ask())['remaining']).toBe(900),
  },
  'token-info-lags': {
    of: 'token-info',
    async check(ask) {
      await ask();
      await ask(undefined, { endpoint: 'followers' });
      expect(data(await ask())['remaining']).toBe(1000);
      expect(data(await ask())['remaining']).toBe(999);
    },
  },
  'reset-at': {
    of: 'token-info',
    rule: { as: 'past' },
    check: async (ask) =>
      expect(Date.parse(String(data(await ask())['reset_at']))).toBeLessThan(Date.now() - 3_000_000),
  },
  'null-fields': {
    of: 'user-profile',
    rule: { fields: ['name'] },
    check: async (ask) => expect(data(await ask())['name']).toBeNull(),
  },
  'missing-fields': {
    of: 'user-profile',
    rule: { fields: ['name'] },
    check: async (ask) => expect(data(await ask())).not.toHaveProperty('name'),
  },
  'wrong-types': {
    of: 'user-profile',
    rule: { fields: ['name'] },
    check: async (ask) => expect(typeof data(await ask())['name']).not.toBe('string'),
  },
  'unknown-fields': {
    of: 'user-profile',
    check: async (ask) => expect(Object.keys(data(await ask())).join()).toMatch(/x_field_\d/),
  },
  'lone-surrogates': {
    check: async (ask) => expect((await ask()).text).toContain(String.raw`\ud83d"`),
  },
  'deep-nesting': {
    rule: { depth: 5000 },
    check: async (ask) => expect((await ask()).text).toContain(`{"nested":${'['.repeat(5000)}]`),
  },
  'huge-page': {
    rule: { bytes: 3_000_000 },
    async check(ask) {
      const { text } = await ask();
      expect(text).toHaveLength(3_000_000);
      expect(JSON.parse(text)).toHaveProperty('data');
    },
  },
  'invalid-utf8': { check: async (ask) => expect((await ask()).text).toContain('\ufffd(\ufffd') },
  'server-error': {
    rule: { status: 503 },
    async check(ask) {
      const { text } = await expectHead(ask(), 503, { 'content-type': 'application/problem+json' });
      expect(JSON.parse(text)).toMatchObject({ status: 503 });
    },
  },
  'too-many-requests': {
    rule: { retryAfter: 'date', seconds: 90 },
    async check(ask) {
      const { headers } = await expectHead(ask(), 429);
      const waitMs = Date.parse(headers.get('retry-after')!) - Date.now();
      expect(waitMs).toBeGreaterThan(60_000);
      expect(waitMs).toBeLessThan(91_000);
    },
  },
  unavailable: {
    rule: { status: 425, seconds: 90 },
    check: (ask) => expectHead(ask(), 425, { 'retry-after': '90' }),
  },
  'not-found': { rule: { pages: 'next' }, check: (ask) => expectHead(secondPage(ask), 404) },
  'revoke-key': {
    rule: { after: 2 },
    async check(ask) {
      for (const status of [200, 200, 401]) await expectHead(ask(), status);
      await expectHead(ask(undefined, { endpoint: 'token-info' }), 401);
    },
  },
  redirect: {
    rule: { to: 'https://other.invalid/login' },
    check: (ask) => expectHead(ask(), 302, { location: 'https://other.invalid/login' }),
  },
  html: {
    async check(ask) {
      const { text } = await expectHead(ask(), 200, { 'content-type': 'text/html; charset=utf-8' });
      expect(text).toMatch(/^<!DOCTYPE html>/);
    },
  },
  'error-in-200': {
    async check(ask) {
      const { text } = await expectHead(ask(), 200);
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['errors']);
    },
  },
  'incomplete-response': {
    async check(ask) {
      const { text } = await expectHead(ask(), 200);
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['data', 'errors']);
    },
  },
  'empty-body': { check: async (ask) => expect(await ask()).toMatchObject({ status: 200, text: '' }) },
  'content-type': {
    rule: { type: 'text/plain' },
    check: (ask) => expectIds(expectHead(ask(), 200, { 'content-type': 'text/plain' }), 0, 5),
  },
  'half-json': {
    async check(ask) {
      const { headers, text } = await ask();
      expect(text).toHaveLength(Number(headers.get('content-length')));
      expect(() => void JSON.parse(text)).toThrow(SyntaxError);
    },
  },
  gzip: {
    async check(ask) {
      await expectIds(expectHead(ask(), 200, { 'content-encoding': 'gzip' }), 0, 5);
      const plain = await ask(undefined, { headers: { 'accept-encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
    },
  },
  'cut-body': { check: async (ask) => expect(ask()).rejects.toThrow('terminated') },
  'drop-connection': { check: async (ask) => expect(ask()).rejects.toThrow('fetch failed') },
  delay: { rule: { ms: 60 }, check: async (ask) => expect((await ask()).ms).toBeGreaterThan(55) },
  'slow-body': {
    rule: { ms: 100 },
    async check(ask) {
      const answer = await ask();
      expect(answer.ms).toBeGreaterThan(80);
      expect(page('followers', answer).ids).toEqual(followers(0, 5));
    },
  },
};

/** All headers that a response may have. */
const HEADERS = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'location',
  'retry-after',
  'vary',
];

test.each(FAULT_NAMES)('%s affects the client, and only the log names it', async (fault) => {
  const { of = 'followers', rule, check } = CHECKS[fault];
  const { ask, log } = await serveWithFault({ fault, ...rule }, of);
  const headers = new Set<string>();
  await check(async (...request) => {
    const answer = await ask(...request);
    for (const name of answer.headers.keys()) headers.add(name);
    return answer;
  });
  await expect.poll(() => log.flatMap(({ faults }) => faults ?? [])).toContain(fault);
  expect(new Set(log.flatMap(({ faults }) => faults ?? []))).toEqual(new Set([fault]));
  expect([...headers].filter((name) => !HEADERS.includes(name))).toEqual([]);
});

const COUNTED = FAULT_NAMES.filter((name) => faultTable[name].endpoints?.[0] !== 'token-info');

test.each(COUNTED)('%s costs the quota of its row', async (fault) => {
  const { endpoints, costs = true } = faultTable[fault];
  const of = !endpoints || endpoints.includes('followers') ? 'followers' : 'user-tweets';
  const { fields: _, ...rule } = CHECKS[fault].rule ?? {};
  const when = { fault, endpoints: [of], lossy: true, ...rule, pages: 'next', at: [1], after: 0 } as FaultRule;
  const { ask, remaining } = await serveWithFault(when, of);
  const { next } = page(of, await ask());
  await ask(next).catch(() => undefined);
  expect(await remaining()).toBe(1000 - 1 - (costs ? 1 : 0));
});

test('faults apply to POST like to GET, with its cursor', async () => {
  const { key } = createKey(db, { name: 'test', now: Date.now() });
  const app = buildTwin({ db, pageSize: 5, faults: { plan: [{ fault: 'empty-page', at: [1] }], seed: 1 } });
  onTestFinished(() => app.close());
  const post = async (payload: object) =>
    app.inject({ method: 'POST', url: '/api/microblog/followers', headers: { 'x-api-key': key }, payload });
  const first = readPage('followers', (await post({ restId: '1' })).json());
  const { items } = readPage('followers', (await post({ restId: '1', cursor: first.cursor.value })).json());
  expect(items).toHaveLength(5);
});

test('requests without a valid key or parameter are rejected as usual and not counted', async () => {
  const { ask, log } = await serveWithFault({ fault: 'server-error', at: [1], count: 'key' }, 'followers');
  expect((await ask(undefined, { headers: { 'X-API-Key': 'wrong' } })).status).toBe(401);
  expect((await ask(undefined, { endpoint: 'search' })).status).toBe(400);
  expect((await ask('no cursor')).status).toBe(400);
  expect((await ask()).status).toBe(200);
  expect(log.every(({ faults }) => faults === undefined)).toBe(true);
});
