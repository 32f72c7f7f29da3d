import { describe, expect, it } from 'vitest';
import { FAILURES_TO_OPEN } from '#crawl/gates/outage/breaker-policy.ts';
import { MAX_FAILURES } from '#crawl/slice/failures/retry-policy.ts';
import { runSlice } from '#crawl/slice/slice.ts';
import { createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import { type Answer, crawlAgainst, followers, profile, reference, timeline } from './support.ts';

const never = new AbortController().signal;
const owner = (restId: string | undefined) => reference(restId ?? '', `s${restId}`);
const page = (restId: string | undefined): Answer => followers(owner(restId), [reference(`9${restId}`, 'x')], null);
const DOWN = { status: 503 };

/** A service that does not answer for the followers of some targets. */
const withDead = (isDead: (restId: string) => boolean, dead: Answer = DOWN) =>
  crawlAgainst({
    followers: ({ restId = '' }) => (isDead(restId) ? dead : page(restId)),
    'user-tweets': ({ restId }) => timeline(owner(restId), [`7${restId}`], null),
  });

describe('an outage is not a failure (invariant 14)', () => {
  it('a 5xx pauses the crawl at its page and counts nothing', async () => {
    const { run } = await withDead(() => true, { status: 500, body: 'oops' });
    const { crawl, slice } = await run('followers', 'id:1');
    expect(slice).toEqual({ next: 'wait', until: expect.any(Number) });
    expect(crawl).toMatchObject({
      state: 'paused',
      reason: 'outage',
      consecutiveFailures: 0,
      requests: 1,
      finishedAt: null,
      resumeAt: slice.next === 'wait' ? slice.until : 0,
    });
  });

  it('a single crawl never fails, and sends only the requests that open the circuit', async () => {
    const { run, asked } = await withDead(() => true);
    let last = await run('followers', 'id:1');
    for (let n = 0; n < 3 * MAX_FAILURES; n++) last = await run('followers', 'id:1');
    const paused = { state: 'paused', reason: 'outage', consecutiveFailures: 0 };
    expect(last.crawl).toMatchObject({ ...paused, requests: FAILURES_TO_OPEN });
    expect(asked).toHaveLength(FAILURES_TO_OPEN);
  });

  it('many crawls do not fail, and those that have not started do not change', async () => {
    const { run, asked, store } = await withDead(() => true);
    for (let n = 1; n <= 40; n++) await run('followers', `id:${n}`);
    expect(asked).toHaveLength(FAILURES_TO_OPEN);
    expect(store.read.crawl(FAILURES_TO_OPEN)).toMatchObject({ state: 'paused', reason: 'outage' });
    expect(store.read.crawl(40)).toMatchObject({ state: 'queued', leaseToken: 0, requests: 0 });
  });

  it('other endpoints go on', async () => {
    const { run } = await withDead(() => true);
    for (let n = 1; n <= 9; n++) await run('followers', `id:${n}`);
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete' });
  });

  it.each([
    ['a page for people', { status: 200, body: '<html>maintenance</html>' }],
    ['an empty body', { status: 200, body: '' }],
    ['408', { status: 408 }],
    ['425', { status: 425 }],
  ] as const)('%s counts as an outage, too', async (_, dead) => {
    const { run, asked } = await withDead(() => true, dead);
    for (let n = 1; n <= 9; n++) await run('followers', `id:${n}`);
    expect(asked).toHaveLength(FAILURES_TO_OPEN);
  });

  it('a 429 does not count as an outage', async () => {
    const { run, ports } = await withDead(() => true, { status: 429 });
    expect((await run('followers', 'id:1')).crawl.reason).toBe('refused');
    expect(await ports.breaker.readState()).toMatchObject({ service: { failures: 0 }, endpoints: {} });
  });
});

it('an aborted request is no failure: its crawl is queued again', async () => {
  const end = new AbortController();
  const { store, ports } = await crawlAgainst({ followers: () => (end.abort(), DOWN) });
  const spec = createCrawlSpec({ kind: 'followers', target: 'id:1', priority: 'backfill' });
  const [crawl] = await store.write.openCrawls([spec], ports.clock.now());
  expect(await runSlice(crawl!.id, ports, { stop: end.signal, abort: end.signal })).toEqual({ next: 'again' });
  expect(store.read.crawl(crawl!.id)).toMatchObject({ state: 'queued', requests: 1, consecutiveFailures: 0 });
  expect(await ports.breaker.readState()).toMatchObject({ service: { failures: 0 }, endpoints: {} });
  expect(await ports.breaker.startSession('x').checkEndpoint('followers')).toBeUndefined();
});

describe('a target that fails by itself', () => {
  it('fails after eight failures, while others of the endpoint succeed', async () => {
    const { run, asked } = await withDead((restId) => restId === '1');
    await run('followers', 'id:2');
    let last = await run('followers', 'id:1');
    expect(last.crawl).toMatchObject({ state: 'paused', reason: 'retry', consecutiveFailures: 1 });
    for (let n = 2; n <= MAX_FAILURES; n++) {
      await run('followers', `id:${n + 10}`);
      last = await run('followers', 'id:1');
    }
    expect(last.crawl).toMatchObject({ state: 'failed', reason: 'unreachable', requests: MAX_FAILURES });
    expect(asked.filter((one) => one === 'followers 1')).toHaveLength(MAX_FAILURES);
  });

  it('does not fail if only another endpoint succeeds, or nothing in between', async () => {
    const { run } = await withDead((restId) => restId === '1');
    let last = await run('followers', 'id:1');
    for (let n = 0; n < 2 * MAX_FAILURES; n++) {
      await run('timeline', `id:${n + 10}`);
      last = await run('followers', 'id:1');
    }
    expect(last.crawl).toMatchObject({ state: 'paused', reason: 'outage', consecutiveFailures: 0 });
  });

  it('is not retried early, even if its job was woken', async () => {
    const { run, asked, store, ports } = await withDead((restId) => restId === '1');
    await run('followers', 'id:2');
    const { crawl } = await run('followers', 'id:1');
    const sent = asked.length;
    const woken = await runSlice(crawl.id, ports, { stop: never, abort: never });
    expect(woken).toEqual({ next: 'wait', until: crawl.resumeAt });
    expect(store.read.crawl(crawl.id)).toEqual(crawl);
    expect(asked).toHaveLength(sent);
  });

  it('a failure keeps the checkpoint', async () => {
    const { run } = await crawlAgainst({
      'user-profile': () => profile('1', 'nasa'),
      followers: ({ cursor }) => (cursor ? DOWN : followers(owner('1'), [reference('2', 'x')], 'A')),
    });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ state: 'paused', cursor: 'A', pages: 1 });
  });
});
