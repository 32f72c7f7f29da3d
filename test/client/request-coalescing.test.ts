import { describe, expect, it } from 'vitest';
import type { FetchedResponse } from '#crawl/page/page-record.ts';
import { runSlice } from '#crawl/slice/slice.ts';
import {
  type CoalescedRequest,
  createRequestCoalescer,
  type RequestCoalescer,
} from '#service/client/request-coalescing.ts';
import { crawlAgainst, followers, profile, reference, timeline } from '../engine/support.ts';
import { readerOf } from '../store/support.ts';

const nasa = reference('1', 'nasa');
const REQUEST: CoalescedRequest = { endpoint: 'user-profile', parameters: { screenName: 'nasa' }, since: -Infinity };
const answer: FetchedResponse = {
  at: 5,
  status: 200,
  headers: '{}',
  content: Buffer.from('{}'),
  gzip: undefined,
  body: {},
};

/** A request whose response the test controls. */
function createPendingRequest() {
  let respond!: (response: FetchedResponse) => void;
  let fail!: (error: Error) => void;
  const pending = new Promise<FetchedResponse>((resolve, reject) => {
    [respond, fail] = [resolve, reject];
  });
  let sent = 0;
  const send = (): Promise<FetchedResponse> => ((sent += 1), pending);
  return { respond, fail, send, sent: () => sent };
}

/** Wraps `coalesce`: `all` resolves when `count` requests of an endpoint have called it. */
function awaitRequests(coalesce: RequestCoalescer<FetchedResponse>['coalesce'], endpoint: string, count: number) {
  let [called, open] = [0, (): void => undefined];
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  const counted: RequestCoalescer<FetchedResponse>['coalesce'] = (request, send) => {
    const response = coalesce(request, send);
    if (request.endpoint === endpoint && (called += 1) === count) open();
    return response;
  };
  return { all, coalesce: counted };
}

describe('equal requests in flight (invariant 9)', () => {
  it('are sent once and share the response; a later request is sent again', async () => {
    const { coalesce } = createRequestCoalescer<FetchedResponse>({ now: () => 5 });
    const first = createPendingRequest();
    const all = [coalesce(REQUEST, first.send), coalesce(REQUEST, first.send), coalesce(REQUEST, first.send)];
    first.respond(answer);
    expect(await Promise.all(all)).toEqual([answer, answer, answer]);
    expect(first.sent()).toBe(1);
    const second = createPendingRequest();
    second.respond(answer);
    await coalesce(REQUEST, second.send);
    expect(second.sent()).toBe(1);
  });

  it('are equal in endpoint and parameters', async () => {
    const { coalesce } = createRequestCoalescer<FetchedResponse>({ now: () => 5 });
    const first = createPendingRequest();
    const all = [
      coalesce(REQUEST, first.send),
      coalesce({ ...REQUEST, parameters: { screenName: 'esa' } }, first.send),
      coalesce({ ...REQUEST, endpoint: 'followers' }, first.send),
    ];
    first.respond(answer);
    await Promise.all(all);
    expect(first.sent()).toBe(3);
  });

  it('that fail do so for their sender only: one of the waiting callers sends again', async () => {
    const { coalesce } = createRequestCoalescer<FetchedResponse>({ now: () => 5 });
    const [first, second] = [createPendingRequest(), createPendingRequest()];
    const sender = coalesce(REQUEST, first.send);
    const waiting = [coalesce(REQUEST, second.send), coalesce(REQUEST, second.send)];
    first.fail(new Error('cut'));
    second.respond(answer);
    await expect(sender).rejects.toThrow('cut');
    expect(await Promise.all(waiting)).toEqual([answer, answer]);
    expect(second.sent()).toBe(1);
  });

  it('are not shared with a caller that needs a later response', async () => {
    const { coalesce } = createRequestCoalescer<FetchedResponse>({ now: () => 5 });
    const [first, second, third] = [createPendingRequest(), createPendingRequest(), createPendingRequest()];
    const early = coalesce(REQUEST, first.send);
    const late = coalesce({ ...REQUEST, since: 6 }, second.send);
    const equal = coalesce({ ...REQUEST, since: 5 }, third.send);
    first.respond(answer);
    second.respond(answer);
    await Promise.all([early, late, equal]);
    expect([first.sent(), second.sent(), third.sent()]).toEqual([1, 1, 0]);
  });
});

describe('crawls that need the same response at the same time', () => {
  /** Crawls a timeline and a profile, with a response for the profile when both have requested it. */
  async function crawlTogether(respond: () => ReturnType<typeof profile> | { status: number; body: string }) {
    let both: Promise<void>;
    const crawl = await crawlAgainst({
      'user-profile': () => both.then(respond),
      'user-tweets': () => timeline(nasa, ['11@2'], null),
    });
    const gate = awaitRequests(crawl.ports.coalescer.coalesce, 'user-profile', 2);
    both = gate.all;
    Object.assign(crawl.ports.coalescer, { coalesce: gate.coalesce });
    const results = await Promise.all([crawl.run('timeline', 'nasa'), crawl.run('profile', 'nasa')]);
    return { ...crawl, both: results.map((result) => result.crawl) };
  }

  it('spend one request, counted for its sender, and both store the response', async () => {
    const { asked, both, store } = await crawlTogether(() => profile('1', 'nasa'));
    expect(asked).toEqual(['user-profile nasa', 'user-tweets 1']);
    expect(both.map(({ state, requests }) => [state, requests])).toEqual([
      ['complete', 2],
      ['complete', 0],
    ]);
    const kept = readerOf(store)
      .prepare(
        "select crawl_id, endpoint, headers ->> 'content-type' as type from raw_pages order by endpoint, crawl_id",
      )
      .all();
    const type = 'application/json';
    expect(kept).toEqual([
      { crawl_id: 1, endpoint: 'user-profile', type },
      { crawl_id: 2, endpoint: 'user-profile', type },
      { crawl_id: 1, endpoint: 'user-tweets', type },
    ]);
    expect(readerOf(store).prepare('select count(*) as n from requests').get()).toEqual({ n: 2 });
  });

  it('both get the 404', async () => {
    const { asked, both } = await crawlTogether(() => ({ status: 404, body: '{}' }));
    expect(asked).toEqual(['user-profile nasa']);
    expect(both.map(({ state, reason }) => [state, reason])).toEqual([
      ['failed', 'not_found'],
      ['failed', 'not_found'],
    ]);
  });

  it('of a list send it each, and do not count as two lists in a row (invariant 7)', async () => {
    let now = 1_000_000;
    let people = [reference('2', 'ada'), reference('3', 'bob')];
    let [asked, open] = [0, (): void => undefined];
    const both = new Promise<void>((resolve) => (open = resolve));
    const { ports, run, store } = await crawlAgainst({
      'user-profile': () => profile('1', 'nasa', 3, { followers: people.length }),
      followers: async () => {
        asked += 1;
        if (asked === 3) open();
        if (asked > 1) await both;
        return followers(nasa, people, null);
      },
    });
    Object.assign(ports, { clock: { ...ports.clock, now: () => now } });
    await run('followers', 'id:1');
    people = people.slice(1);
    now += 1000;
    await Promise.all([run('followers', 'id:1'), run('followers', 'id:1', { maxPages: 9 })]);
    expect(asked).toBe(3);
    const edges = () =>
      readerOf(store).prepare('select first_missed_at, ended_at from follows order by follower_id').all() as unknown[];
    expect(edges()).toEqual([
      { first_missed_at: now, ended_at: null },
      { first_missed_at: null, ended_at: null },
    ]);
    now += 1;
    await run('followers', 'id:1');
    expect(edges()[0]).toEqual({ first_missed_at: now - 1, ended_at: now - 1 });
  });
});

describe('a snowball', () => {
  it('does not fetch a profile that was seen minutes ago, unless it is named', async () => {
    const ids: Record<string, string> = { s2: '2', s3: '3' };
    const { asked, ports, run, store } = await crawlAgainst({
      'user-profile': ({ screenName }) => profile(ids[screenName!]!, screenName!),
      followers: () => followers(nasa, [reference('2', 's2'), reference('3', 's3')], null),
    });
    await run('profile', 's2');
    await run('followers', 'id:1', { then: ['profile'] });
    const never = new AbortController().signal;
    for (const { id } of store.read.unfinished()) await runSlice(id, ports, { stop: never, abort: never });
    expect(asked).toEqual(['user-profile s2', 'followers 1', 'user-profile nasa', 'user-profile s3']);
    const children = readerOf(store).prepare('select target, state, reason, requests from crawls where parent_id = 2');
    expect(children.all()).toEqual([
      { target: 'id:2', state: 'complete', reason: 'seen_lately', requests: 0 },
      { target: 'id:3', state: 'complete', reason: null, requests: 1 },
    ]);
    await run('profile', 'id:2');
    expect(asked.at(-1)).toBe('user-profile s2');
  });
});
