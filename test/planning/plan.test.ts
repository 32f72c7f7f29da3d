import { describe, expect, test } from 'vitest';
import { DAY, MINUTE } from '#base/clock.ts';
import { planCrawl, planCrawls, planEach, sumPlans } from '#crawl/planning/plan.ts';
import { createCrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlOptions } from '#service/kinds/kinds.ts';
import { NO_PLANNING_READS, type PlanningQueries, type PlanningReads } from '#store/planning-reads.ts';
import type { KindStatistics } from '#store/schema/planning-facts.ts';
import type { StoredUser } from '#store/schema/query-results.ts';
import { toQueries } from '#store/store-reads.ts';

const NOW = Date.UTC(2026, 0);

const NASA: StoredUser = {
  restId: '1',
  screenName: 'NASA',
  statusesCount: 1000,
  followersCount: 990,
  followingCount: 0,
  createdAt: NOW - 1000 * DAY,
  profileAt: NOW - 100,
  summaryAt: NOW - 100,
};

const seen = (size: number, more: Partial<KindStatistics> = {}): KindStatistics => ({
  fullPages: 10,
  fullItems: 10 * size,
  ended: 3,
  ledOn: 3,
  crawls: 3,
  requests: 12,
  mostRequests: 6,
  ...more,
});

const KNOWN: PlanningReads = {
  ...NO_PLANNING_READS,
  account: () => NASA,
  kindStatistics: () => seen(50),
  listShares: () => ({ lists: 20, items: 600, reported: 1000, least: 0.4, most: 0.8 }),
};

const query = (facts: Partial<PlanningReads> = {}) => toQueries<PlanningQueries>({ ...KNOWN, ...facts });

/** A plan's requests, and which facts it lacks. */
async function plan(kind: string, facts: Partial<PlanningReads>, options: CrawlOptions = {}, target = 'nasa') {
  const spec = createCrawlSpec({ kind, target, options, priority: 'interactive' });
  const { requests, missing, accounts } = await planCrawl(spec, query(facts), NOW);
  return { requests, missing: missing.map(({ fact }) => fact), accounts };
}

const interval = (more: object) => ({
  newestAt: NOW - DAY,
  oldestAt: NOW - 11 * DAY,
  listEnd: 'served' as const,
  pages: 2,
  items: 100,
  gap: null,
  ...more,
});

describe('a plan of one crawl', () => {
  test('of an unknown account is a range, and says that its profile is missing', async () => {
    const spec = createCrawlSpec({ kind: 'followers', target: 'nasa', priority: 'backfill' });
    const nothing = await planCrawl(spec, query(NO_PLANNING_READS), NOW);
    expect(nothing.requests).toEqual({ min: 2, expected: null, max: null });
    expect(nothing.missing.map(({ fact }) => fact)).toEqual(['pageSize', 'profile']);
  });

  const noShares = { listShares: () => undefined };
  const noStatistics = { kindStatistics: () => undefined };
  const range = (min: number, expected: number | null, max: number | null) => ({ min, expected, max });

  test.each([
    // And the owner's profile, to compare its count with the list.
    ["of a list divides the profile's count by the page size", 'followers', noShares, {}, range(1, 21, 21), []],
    ['of a profile is one request', 'profile', {}, {}, range(1, 1, 1), []],
    // A timeline has no replies; other timelines show its share of the tweets.
    ['of a timeline uses the share that other timelines show', 'timeline', {}, {}, range(8, 12, 16), []],
    ['of a timeline without a known share is a range', 'timeline', noShares, {}, range(1, null, 20), ['share']],
    ['without a page size is a range', 'followers', noStatistics, {}, range(1, null, 794), ['pageSize']],
    ['of one page needs no page size', 'followers', noStatistics, { maxPages: 1 }, range(1, 1, 2), []],
    ['of an unknown endpoint is a range', 'search', noStatistics, {}, range(1, 1, null), ['isPaged']],
  ] as const)('%s', async (_, kind, facts, options, requests, missing) => {
    expect(await plan(kind, facts, options)).toMatchObject({ requests, missing });
  });

  test('of an empty timeline has the profile that shows whether the account exists, unless it was just seen', async () => {
    const empty = (seenAt: number) =>
      plan(
        'timeline',
        { account: () => ({ ...NASA, statusesCount: 0, profileAt: seenAt, summaryAt: seenAt }) },
        {},
        'id:1',
      );
    expect((await empty(NOW - 100)).requests).toEqual({ min: 1, expected: 1, max: 1 });
    expect((await empty(NOW - 2 * DAY)).requests).toEqual({ min: 1, expected: 2, max: 2 });
  });

  test('of a covered timeline is one request, and more if there are new tweets (invariant 9)', async () => {
    const covered = (at: number) => ({
      intervals: () => [interval({})],
      latestCrawls: () => ({
        at,
        whole: undefined,
      }),
    });
    expect((await plan('timeline', covered(NOW - 1000))).requests).toEqual(range(1, 1, 1));
    // Ten a day, for ten days: two pages of fifty.
    expect((await plan('timeline', covered(NOW - 10 * DAY))).requests).toEqual(range(1, 3, 9));
    expect((await plan('timeline', { intervals: () => [interval({})] }, { fullRefresh: true })).requests.expected).toBe(
      12,
    );
  });

  test('counts only the gap, and the pages above it if no cursor leads to it', async () => {
    const gap = { reason: 'max_pages', cursor: null, checkpoint: null };
    const facts = { intervals: () => [interval({ listEnd: null, gap })] };
    expect((await plan('timeline', facts)).requests.expected).toBe(1 + 1 + 10);
    // Items older than --since are not requested.
    expect((await plan('timeline', facts, { since: NOW - 5 * DAY })).requests.expected).toBe(1);
  });

  test('of a list whose endpoint has one page is one request', async () => {
    expect((await plan('search', { kindStatistics: () => seen(0, { fullPages: 0, ledOn: 0 }) })).requests.max).toBe(1);
    const cursorSupport = () => ({ endpoint: 'followers', cursor: 'ignored' as const, seenAt: NOW - 59 * MINUTE });
    expect((await plan('followers', { cursorSupport })).requests.max).toBe(1);
  });
});

describe('a plan of a snowball', () => {
  const snowball = (options: CrawlOptions, facts: Partial<PlanningReads> = {}) =>
    plan('followers', { listShares: () => undefined, ...facts }, options);

  test.each([
    ['adds a request for every profile', { then: ['profile'] }, { expected: 21 + 990 }],
    ['adds profiles up to the limit', { then: ['profile'], maxTargets: 7 }, { expected: 28, max: 28 }],
    ['estimates accounts by earlier crawls', { then: ['timeline'], maxTargets: 10 }, { expected: 21 + 10 * 4 }],
    [
      'limits the pages of child crawls',
      { then: ['timeline'], maxTargets: 10, thenMaxPages: 2 },
      { expected: 41, max: 41 },
    ],
  ])('%s', async (_, options, requests) => {
    expect((await snowball(options)).requests).toMatchObject(requests);
  });

  test('of several generations says that their overlap is unknown, and has no maximum', async () => {
    const options = { then: ['followers'], depth: 2, maxTargets: 2000 };
    const listed = () => Array.from({ length: 20 }, (_, i) => `${i}`);
    const { requests, missing, accounts } = await snowball(options, { listMembers: listed });
    expect(accounts).toMatchObject({ max: 2000 });
    expect((await snowball({ then: ['profile'] })).accounts).toMatchObject({ expected: 990 });
    expect(missing).toEqual(['overlap']);
    expect(requests).toMatchObject({ expected: 21 + 2000 * 4, max: null });
  });

  test('has a minimum where the whole list is known, and none where only tweets lead to accounts', async () => {
    const latestCrawls = () => ({ at: NOW, whole: { at: NOW, items: 2 } });
    const facts = { latestCrawls, listShares: () => undefined };
    // A page, and the profile of each account.
    const list = await plan('followers', facts, { then: ['profile'] });
    expect(list.accounts).toMatchObject({ min: 2, expected: 2 });
    const replies = await plan('tweet', facts, { then: ['profile'] }, '20');
    expect(replies.accounts).toMatchObject({ min: 0 });
  });

  test('reports its progress after each distinct crawl', async () => {
    const specs = ['nasa', 'esa', 'nasa', 'jaxa'].map((target) =>
      createCrawlSpec({ kind: 'profile', target, priority: 'interactive' }),
    );
    const counts: number[] = [];
    await planCrawls(specs, query({}), NOW, (count) => void counts.push(count));
    expect(counts).toEqual([1, 2, 3]);
  });

  test('counts --max-targets once for all targets of a run', async () => {
    const request = { kind: 'followers', options: { then: ['profile'], maxTargets: 100 } };
    const specs = ['nasa', 'esa', 'jaxa'].map((target) =>
      createCrawlSpec({ ...request, target, priority: 'interactive' }),
    );
    const plans = await planCrawls(specs, query({ listShares: () => undefined }), NOW);
    // Three lists of 20 pages with their owners' profiles, and a hundred profiles in all.
    expect((await sumPlans(plans)).requests).toMatchObject({ expected: 63 + 100, max: 63 + 100 });
    expect(plans.map(({ accounts }) => accounts?.expected)).toEqual([33, 33, 33]);
    expect(plans.map(({ requests }) => requests)).toEqual(
      Array.from({ length: 3 }, () => ({ min: 1, expected: 54, max: 121 })),
    );
    // A limit that all of them together keep to changes nothing.
    const wide = specs.map((spec) => ({ ...spec, options: spec.options.replace('100', '5000') }));
    expect((await sumPlans(planEach(wide, query({ listShares: () => undefined }), NOW))).requests).toMatchObject({
      expected: 3 * 1011,
    });
  });
});
