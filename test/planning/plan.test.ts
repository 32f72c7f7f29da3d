import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/clock.ts';
import { createCrawlSpec } from '../../src/kinds/crawl-spec.ts';
import type { CrawlOptions } from '../../src/kinds/kinds.ts';
import { planCrawl, planCrawls, sumPlans } from '../../src/planning/plan.ts';
import { NO_PLANNING_READS, type PlanningReads } from '../../src/store/planning-reads.ts';
import type { KindStatistics } from '../../src/store/schema/planning-facts.ts';
import type { StoredUser } from '../../src/store/schema/query-results.ts';

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
  ...{ fullPages: 10, fullItems: 10 * size, ended: 3, ledOn: 3, crawls: 3, requests: 12, mostRequests: 6 },
  ...more,
});

const KNOWN: PlanningReads = {
  ...NO_PLANNING_READS,
  account: () => NASA,
  kindStatistics: () => seen(50),
  listShares: () => ({ lists: 20, items: 600, reported: 1000, least: 0.4, most: 0.8 }),
};

/** A plan's requests, and which facts it lacks. */
function plan(kind: string, facts: Partial<PlanningReads>, options: CrawlOptions = {}, target = 'nasa') {
  const spec = createCrawlSpec({ kind, target, options, priority: 'interactive' });
  const { requests, missing, accounts } = planCrawl(spec, { ...KNOWN, ...facts }, NOW);
  return { requests, missing: missing.map(({ fact }) => fact), accounts };
}

const interval = (more: object) => ({
  ...{ newestAt: NOW - DAY, oldestAt: NOW - 11 * DAY, listEnd: 'served' as const, pages: 2, items: 100, gap: null },
  ...more,
});

describe('a plan of one crawl', () => {
  test('of an unknown account is a range, and says that its profile is missing', () => {
    const nothing = planCrawl(
      createCrawlSpec({ kind: 'followers', target: 'nasa', priority: 'backfill' }),
      NO_PLANNING_READS,
      NOW,
    );
    expect(nothing.requests).toEqual({ min: 2, expected: null, max: null });
    expect(nothing.missing.map(({ fact }) => fact)).toEqual(['pageSize', 'profile']);
    expect(nothing.missing[1]!.probe).toMatchObject({ kind: 'profile', target: 'nasa' });
  });

  test("divides the profile's count by the observed page size", () => {
    expect(plan('followers', { listShares: () => undefined })).toMatchObject({
      requests: { min: 1, expected: 20, max: 20 },
      missing: [],
    });
    expect(plan('profile', {}).requests).toEqual({ min: 1, expected: 1, max: 1 });
    // A timeline has no replies: how many of the posts it shows, other timelines have shown.
    expect(plan('timeline', {})).toMatchObject({ requests: { min: 8, expected: 12, max: 16 }, missing: [] });
    expect(plan('timeline', { listShares: () => undefined })).toMatchObject({
      requests: { min: 1, expected: null, max: 20 },
      missing: ['share'],
    });
  });

  test('without a page size is a range, unless one page is requested', () => {
    expect(plan('followers', { kindStatistics: () => undefined })).toMatchObject({
      requests: { min: 1, expected: null, max: 793 },
      missing: ['pageSize'],
    });
    expect(plan('followers', { kindStatistics: () => undefined }, { maxPages: 1 })).toMatchObject({
      requests: { min: 1, expected: 1, max: 1 },
      missing: [],
    });
  });

  test('of a covered timeline is one request, and more if there are new tweets (invariant 9)', () => {
    const walks = (at: number) => () => ({ at, whole: undefined });
    expect(plan('timeline', { intervals: () => [interval({})], latestCrawls: walks(NOW - 1000) }).requests).toEqual({
      ...{ min: 1, expected: 1, max: 1 },
    });
    // Ten a day, for ten days: two pages of fifty.
    expect(plan('timeline', { intervals: () => [interval({})], latestCrawls: walks(NOW - 10 * DAY) }).requests).toEqual(
      {
        ...{ min: 1, expected: 3, max: 9 },
      },
    );
    expect(plan('timeline', { intervals: () => [interval({})] }, { full: true }).requests.expected).toBe(12);
  });

  test('counts only the gap, and the way there if no cursor leads to it', () => {
    const gap = { reason: 'max_pages', cursor: null, checkpoint: null };
    expect(plan('timeline', { intervals: () => [interval({ listEnd: null, gap })] }).requests.expected).toBe(
      1 + 1 + 10,
    );
    // What is older than --since is not wanted.
    const since = NOW - 5 * DAY;
    expect(plan('timeline', { intervals: () => [interval({ listEnd: null, gap })] }, { since }).requests.expected).toBe(
      1,
    );
  });

  test('of a list whose endpoint has one page is one request', () => {
    expect(plan('search', { kindStatistics: () => seen(0, { fullPages: 0, ledOn: 0 }) }).requests.max).toBe(1);
    expect(plan('search', { kindStatistics: () => undefined })).toMatchObject({
      requests: { min: 1, expected: 1, max: null },
      missing: ['isPaged'],
    });
    const cursorFact = () => ({ endpoint: 'followers', cursor: 'ignored' as const, seenAt: NOW - DAY });
    expect(plan('followers', { cursorSupport: cursorFact }).requests.max).toBe(1);
  });
});

describe('a plan of a snowball', () => {
  test('adds a request for every profile, of all accounts or up to the limit', () => {
    const share = () => undefined;
    expect(plan('followers', { listShares: share }, { andThen: ['profile'] })).toMatchObject({
      requests: { expected: 20 + 990 },
      accounts: { expected: 990 },
    });
    expect(plan('followers', { listShares: share }, { andThen: ['profile'], maxTargets: 7 }).requests).toMatchObject({
      ...{ expected: 27, max: 27 },
    });
  });

  test('estimates unknown accounts by earlier crawls', () => {
    const plain = plan('followers', { listShares: () => undefined }, { andThen: ['timeline'], maxTargets: 10 });
    expect(plain.requests.expected).toBe(20 + 10 * 4);
    const limits = { andThen: ['timeline'], maxTargets: 10, thenMaxPages: 2 };
    expect(plan('followers', { listShares: () => undefined }, limits).requests).toMatchObject({
      expected: 40,
      max: 40,
    });
  });

  test('of several generations says that their overlap is unknown, and has no maximum', () => {
    const options = { andThen: ['followers'], depth: 2, maxTargets: 2000 };
    const listed = () => Array.from({ length: 20 }, (_, i) => `${i}`);
    const { requests, missing } = plan('followers', { listMembers: listed, listShares: () => undefined }, options);
    expect(missing).toEqual(['overlap']);
    expect(requests).toMatchObject({ expected: 20 + 2000 * 20, max: null });
  });

  test('counts --max-targets once for all targets of a run', () => {
    const specs = ['nasa', 'esa', 'jaxa'].map((target) =>
      createCrawlSpec({
        kind: 'followers',
        target,
        options: { andThen: ['profile'], maxTargets: 100 },
        priority: 'interactive',
      }),
    );
    const plans = planCrawls(specs, { ...KNOWN, listShares: () => undefined }, NOW);
    // Three lists of 20 pages, and a hundred profiles in all.
    expect(sumPlans(plans).requests).toMatchObject({ expected: 60 + 100, max: 60 + 100 });
    expect(plans.map(({ accounts }) => accounts?.expected)).toEqual([33, 33, 33]);
    expect(plans.map(({ requests }) => requests)).toEqual(
      Array.from({ length: 3 }, () => ({ min: 1, expected: 53, max: 120 })),
    );
    // A limit that all of them together keep to changes nothing.
    const wide = specs.map((spec) => ({ ...spec, options: spec.options.replace('100', '5000') }));
    expect(sumPlans(planCrawls(wide, { ...KNOWN, listShares: () => undefined }, NOW)).requests).toMatchObject({
      expected: 3 * 1010,
    });
  });

  const stranger: StoredUser = { ...NASA, restId: '2', profileAt: null };
  const fresh: StoredUser = { ...NASA, restId: '3', profileAt: NOW - 1000 };
  const account: PlanningReads['account'] = (by) => ('handle' in by ? NASA : by.id === '3' ? fresh : stranger);

  test('does not assume that unknown accounts are fresh because the known ones are (invariant 5)', () => {
    const then = (listed: readonly string[]) =>
      plan(
        'followers',
        { account, listMembers: () => [...listed], listShares: () => undefined },
        { andThen: ['profile'] },
      );
    expect(then(['3']).requests).toEqual({ min: 1, expected: 20 + 989, max: 20 + 990 });
    expect(then(['3', '2']).requests).toEqual({ min: 1, expected: 20 + 989, max: 20 + 990 });
    // A walk that came to the end says who they all are.
    const whole = { at: NOW, items: 2 };
    const walked = {
      account,
      listMembers: () => ['3', '2'],
      latestCrawls: () => ({ at: NOW, whole }),
      listShares: () => undefined,
    };
    expect(plan('followers', walked, { andThen: ['profile'] }).requests).toEqual({ min: 2, expected: 2, max: 3 });
  });

  test('does not assume that unknown lists are short because covered ones are (invariant 5)', () => {
    const walks: PlanningReads['latestCrawls'] = (kind) =>
      kind === 'timeline' ? { at: NOW, whole: undefined } : undefined;
    const intervals = () => [interval({})];
    const facts = { account, latestCrawls: walks, intervals, listMembers: () => Array.from({ length: 20 }, () => '3') };
    const { requests } = plan('followers', { ...facts, listShares: () => undefined }, { andThen: ['timeline'] });
    // Twenty take one each; of the others one takes four, as such crawls took before, and nothing says how many at most.
    expect(requests).toEqual({ min: 1, expected: 20 + 20 + 970 * 4, max: null });
  });
});
