import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { FAILURES_TO_OPEN } from '#crawl/gates/outage/breaker-policy.ts';
import { runCli, runSuccessfully, startCli } from '../support/cli.ts';
import { killPrivateRedis } from '../support/redis-process.ts';
import { withRedis } from '../support/redis.ts';
import { tempFile } from '../support/temp.ts';
import { countStates, rowsOf, valueOf, writeTargets } from './support.ts';

const PLENTY = { app_limit: 100_000, remaining: 90_000, reset_at: '2099-01-01T00:00:00.000Z' };

/** A service of profiles and followers. `isOut` says which endpoints answer 503. */
async function service(isOut: (endpoint: string) => boolean, headers: Record<string, string> = {}) {
  const asked: { endpoint: string; status: number }[] = [];
  let server: Server;
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      server = createServer((request, response) => {
        const url = new URL(request.url!, 'http://service');
        const endpoint = url.pathname.split('/').at(-1)!;
        const isMetered = endpoint !== 'token-info';
        const status = isMetered && isOut(endpoint) ? 503 : 200;
        if (isMetered) asked.push({ endpoint, status });
        response.writeHead(status, { 'content-type': 'application/json', ...(status === 503 ? headers : {}) });
        response.end(status === 503 ? '{"title":"down"}' : JSON.stringify({ data: answer(endpoint, url) }));
      });
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  const port = await listen(0);
  const db = tempFile('crawled.db');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    asked,
    db,
    env: { TRAWL_API_URL: `http://127.0.0.1:${port}`, TRAWL_API_KEY: 'key', TRAWL_DB: db },
    /** Connections are refused until `open`. */
    close,
    open: () => listen(port),
  };
}

function answer(endpoint: string, url: URL): unknown {
  if (endpoint === 'token-info') return PLENTY;
  const name = url.searchParams.get('screenName');
  if (endpoint === 'user-profile') return { id: `1${name?.slice(1)}`, userName: name, name };
  const id = url.searchParams.get('restId')!;
  const entries = [{ content: { user: { id: `9${id}`, rest_id: `9${id}`, name: 'x', screen_name: `x${id}` } } }];
  return {
    user: { id, rest_id: id, name: id, screen_name: id },
    followers: { timeline: { instructions: [{ entries }] } },
  };
}

const targets = (count: number): string => writeTargets(Array.from({ length: count }, (_, i) => `u${i + 1}`));

/** Returns whether there is an outage: it begins with the n-th request. */
function createOutage(after: number, lastsMs: number, onBegin: () => void = () => undefined) {
  let [served, endsAt] = [0, Infinity];
  return () => {
    served += 1;
    if (served === after) {
      endsAt = Date.now() + lastsMs;
      onBegin();
    }
    return served >= after && Date.now() < endsAt;
  };
}

const CONCURRENCY = 16;
/** The requests of an outage besides probes: those in flight when the circuit opens, and those that failed before. */
const MOST_REFUSED = CONCURRENCY + FAILURES_TO_OPEN - 1;
/** Probes that an outage can see: the shortest back-off is a second, and then half of a doubled one. */
function mostProbes(ms: number): number {
  let [n, at] = [0, 0];
  for (; at <= ms; n++) at += Math.max(1000, 500 * 2 ** n);
  return n;
}

const LONG_MS = 6000;

test(
  '120 crawls complete after an outage that cost only requests in flight and probes',
  { timeout: 600_000 },
  async () => {
    const isOut = createOutage(60, LONG_MS);
    const { asked, db, env } = await service(isOut);
    const { code, stderr } = await runCli(
      ['crawl', 'profile', '--from-file', targets(120), '--concurrency', String(CONCURRENCY), '--yes'],
      { env },
    );
    const refused = asked.filter(({ status }) => status === 503).length;
    expect({ code, states: countStates(db) }).toEqual({
      code: 0,
      states: [{ state: 'complete', n: 120 }],
    });
    expect(refused).toBeGreaterThanOrEqual(5);
    expect(refused).toBeLessThanOrEqual(MOST_REFUSED + mostProbes(LONG_MS));
    expect(asked).toHaveLength(120 + refused);
    expect(valueOf(db, 'select max(consecutive_failures) from crawls')).toBe(0);
    expect(stderr).toMatch(/user-profile is unavailable, next probe in /);
    expect(stderr).toMatch(/the service is available again after/);
  },
);

test('a refused connection holds all requests back and costs no quota', async () => {
  const { asked, db, env, close, open } = await service(() => false);
  const work = startCli(['work', '--exit-when-idle'], { env });
  await work.waitForLine(/"working"/);
  await work.exited;
  await runCli(['enqueue', 'profile', '--from-file', targets(100)], { env });
  const again = startCli(['work', '--exit-when-idle'], { env });
  await again.waitForLine(/crawl ended/);
  await close();
  await again.waitForLine(/"event":"opened"/);
  await open();
  expect(await again.exited).toBe(0);
  expect(countStates(db)).toEqual([{ state: 'complete', n: 100 }]);
  expect(valueOf(db, 'select count(*) from requests where status is null')).toBeLessThanOrEqual(MOST_REFUSED);
  expect(asked.length).toBeLessThanOrEqual(100 + MOST_REFUSED);
  expect(again.lines.filter((line) => line.includes('"event":"opened"'))).toHaveLength(1);
  expect(again.lines.filter((line) => line.includes('"event":"closed"'))).toHaveLength(1);
});

test('a worker that is started while connections are refused waits for the service', async () => {
  const { db, env, close, open } = await service(() => false);
  await runCli(['enqueue', 'profile', '--from-file', targets(20)], { env });
  await close();
  const work = startCli(['work', '--exit-when-idle'], { env });
  await work.waitForLine(/waiting for the service: cannot reach/);
  await work.waitForLine(/"event":"opened"/);
  await open();
  expect(await work.exited).toBe(0);
  expect(countStates(db)).toEqual([{ state: 'complete', n: 20 }]);
});

test('the only crawl of an endpoint that stays out ends its command with 3 and is kept', async () => {
  const { asked, db, env } = await service((endpoint) => endpoint === 'followers');
  const result = await runCli(['crawl', 'followers', 'id:1', '--wait', '3s'], { env });
  expect(result.code).toBe(3);
  expect(result.stderr).toMatch(/the service was still unavailable after 3 s/);
  expect(result.stderr).toMatch(/1 crawl unfinished and kept/);
  expect(rowsOf(db, 'select state, reason, consecutive_failures from crawls')).toEqual([
    { state: 'paused', reason: 'outage', consecutive_failures: 0 },
  ]);
  // Other endpoints are not held back by it.
  await runSuccessfully(['crawl', 'profile', 'u1'], { env });
  expect(asked.filter(({ endpoint }) => endpoint === 'followers').length).toBeLessThanOrEqual(10);
});

test('after a 503 with a Retry-After of 600 s no command sends requests, and status shows it', async () => {
  const { asked, db, env: service503 } = await service(() => true, { 'retry-after': '600' });
  const redis = await withRedis();
  const env = { ...service503, REDIS_URL: `unix://${redis.connection.path}` };
  const args = ['crawl', 'profile', '--from-file', targets(40), '--wait', '4s'];
  expect((await runCli(args, { env })).code).toBe(3);
  expect(asked.length).toBeLessThanOrEqual(MOST_REFUSED);
  expect(rowsOf(db, "select count(*) n from crawls where state in ('queued', 'paused')")).toEqual([{ n: 40 }]);
  const before = asked.length;
  expect((await runCli(['work', '--exit-when-idle', '--wait', '2s'], { env })).code).toBe(3);
  expect(asked).toHaveLength(before);
  const status = await runCli(['status', '--json'], { env });
  expect(JSON.parse(status.stdout)).toMatchObject({
    outage: {
      isWholeService: false,
      endpoints: ['user-profile'],
      failedProbes: 0,
      error: expect.stringContaining('503'),
    },
  });
  expect((await runCli(['status'], { env })).stdout).toMatch(
    /^service the service's user-profile has been unavailable for .*next probe in .*: user-profile answered 503/m,
  );
});

test('a Redis that dies in an outage costs no crawl, and at most the requests in flight', async () => {
  const lasts = 8000;
  const isOut = createOutage(60, lasts, () => {
    setTimeout(() => void killPrivateRedis(db), 1500);
  });
  const { asked, db, env } = await service(isOut);
  await runSuccessfully(
    ['crawl', 'profile', '--from-file', targets(200), '--concurrency', String(CONCURRENCY), '--yes'],
    { env },
  );
  expect(rowsOf(db, 'select state, max(consecutive_failures) f, count(*) n from crawls group by 1')).toEqual([
    { state: 'complete', f: 0, n: 200 },
  ]);
  const refused = asked.filter(({ status }) => status === 503).length;
  expect(refused).toBeLessThanOrEqual(2 * MOST_REFUSED + mostProbes(lasts));
});
