import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type CliRun, startCli } from '../support/cli.ts';
import { type Hook, type Json, refuse, type ScriptedService, serveData } from './scripted-service.ts';
import { type Crawler, createCrawler, idsOf, people } from './support.ts';

const CRAWLS = 40;
const CONCURRENCY = 16;
/** Probes are at least a second apart; the outages of these tests last some seconds. */
const MOST_PROBES = 12;
const LASTS = 3000;

const fans = people(3, 1000, 'fan');
const owners = people(CRAWLS, 1, 'owner').map((owner) => ({ ...owner, followers: idsOf(fans) }));
const DATA = { accounts: [...owners, ...fans] };
const targets = owners.map(({ id }) => `id:${id}`);

const states = (crawler: Crawler): Json[] =>
  crawler.rows('select state, reason, count(*) as crawls from v_crawls group by state, reason');

/** Starts a worker that ends when nothing is unfinished. */
const drain = (service: ScriptedService, { file }: Crawler, concurrency = CONCURRENCY): CliRun =>
  startCli(['work', '--exit-when-idle', '--concurrency', String(concurrency)], {
    env: { ...service.env, TRAWL_DB: file },
    cwd: dirname(file),
  });

/** When outages began and ended, by the log of a worker. One may widen from an endpoint to the service between. */
const said = ({ lines }: CliRun): string[] =>
  lines
    .filter((line) => line.includes('"outage"'))
    .map((line) => JSON.parse(line).outage.event as string)
    .filter((event) => event !== 'widened');

test.each([
  ['503', { 'Retry-After': '2' }],
  ['500', {}],
  ['408', {}],
] as const)(
  'queued crawls survive an outage with the status %s %o, at the cost of few requests',
  async (status, headers) => {
    let isDown = true;
    const hook: Hook = (call, next) =>
      isDown && call.endpoint !== 'token-info' ? refuse(Number(status), headers) : next();
    const service = await serveData(DATA, { hook });
    const crawler = createCrawler(service);
    await crawler.trawl('enqueue', 'followers', ...targets);

    const worker = drain(service, crawler);
    await worker.waitForLine(/outage/i);
    await wait(LASTS);
    const during = service.metered();
    isDown = false;

    expect(await worker.exited, worker.lines.join('\n')).toBe(0);
    expect(states(crawler)).toEqual([{ state: 'complete', reason: null, crawls: CRAWLS }]);
    expect(during).toBeLessThanOrEqual(CONCURRENCY + MOST_PROBES);
    expect(said(worker)).toEqual(['opened', 'closed']);
  },
);

test('an outage of two endpoints counts as one of the service: the other endpoints are not tried', async () => {
  let isDown = true;
  const hook: Hook = (call, next) => (isDown && call.endpoint !== 'token-info' ? refuse(503) : next());
  const service = await serveData(DATA, { hook });
  const crawler = createCrawler(service);
  for (const kind of ['followers', 'following']) await crawler.trawl('enqueue', kind, ...targets.slice(0, 8));
  await crawler.trawl('enqueue', 'profile', ...owners.slice(0, 8).map(({ handle }) => handle));

  const worker = drain(service, crawler, 2);
  await worker.waitForLine(/"event":"widened"/);
  await wait(LASTS);
  const tried = new Set(service.calls.map(({ endpoint }) => endpoint));
  const during = service.metered();
  isDown = false;

  expect(await worker.exited, worker.lines.join('\n')).toBe(0);
  // An account that is shown to follow nobody, while its count is not known, is capped.
  expect(crawler.value("select count(*) from v_crawls where state in ('complete', 'capped')")).toBe(24);
  expect(tried).not.toContain('user-profile');
  expect(during).toBeLessThanOrEqual(5 + 5 + 2 + MOST_PROBES);
});
