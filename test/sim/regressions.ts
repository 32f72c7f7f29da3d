import type { Plan } from './plan.ts';

export interface Regression {
  /** The seed that found it at that time. */
  readonly seed: number;
  readonly broke: string;
  readonly plan: Plan;
}

type Act = Plan['acts'][number];
const crawl = (at: number, kind: string, target: number, byId = false, options = {}): Act =>
  ({ at, what: 'crawl', kind, target, byId, options, priority: 'scheduled' }) as Act;

/** Former failures: the differences of their plans from PLAIN. */
const FAILURES: readonly (Partial<Omit<Plan, 'traits'>> &
  Pick<Regression, 'seed' | 'broke'> & { readonly traits?: Partial<Plan['traits']> })[] = [
  {
    seed: 423,
    broke:
      'invariant 5: a page with only rejected items did not end the interval above it, which then claimed missing items',
    size: { accounts: 9, posts: 31, edges: 0, groups: 1 },
    traits: { page: 1, single: 11 },
    acts: [crawl(479, 'timeline', 10), crawl(1449, 'timeline', 7), crawl(3907, 'timeline', 0, true)],
    faults: [{ request: 10, kind: 'an id that cannot be read', pick: 297 }],
  },
  {
    seed: 453,
    broke:
      'invariant 5: a handle that changed its holder between two requests of one page failed the crawl permanently',
    acts: [crawl(2510, 'profile', 0, true)],
    changes: [{ at: 2640, change: 'takeOver', a: 132, b: 961 }],
  },
  {
    seed: 1662,
    broke: 'invariant 6: followers of another account were stored after a wrong response to a look-up',
    size: { accounts: 6, posts: 0, edges: 12, groups: 1 },
    acts: [crawl(100, 'profile', 2, true)],
    faults: [{ request: 1, kind: 'somebody else as the owner', pick: 1 }],
  },
  {
    seed: 209,
    broke: 'invariant 7: an empty list of an account without a known count was evidence of an unfollow',
    size: { accounts: 5, posts: 7, edges: 34, groups: 2 },
    traits: { page: 2, single: 3, people: 'newest first', sparse: 32 },
    acts: [crawl(6_729_997, 'followers', 0), crawl(151_578_421, 'following', 1)],
    changes: [
      { at: 34_934_995, change: 'unfollow', a: 803, b: 182 },
      { at: 42_922_147, change: 'unfollow', a: 277, b: 781 },
      { at: 135_406_778, change: 'unfollow', a: 357, b: 839 },
    ],
  },
  {
    seed: 1809,
    broke:
      'invariant 9: a crawl joined an interval that a concurrent crawl had just read, and returned to its own cursor',
    size: { accounts: 1, posts: 20, edges: 0, groups: 1 },
    traits: { page: 1, single: 5, people: 'newest first', sparse: 37 },
    slots: 3,
    acts: [
      { ...crawl(727, 'replies', 0), priority: 'backfill' } as Act,
      { ...crawl(1371, 'tweet', 0), priority: 'backfill' } as Act,
      crawl(1601, 'timeline', 1, false, { fullRefresh: true }),
      crawl(2463, 'timeline', 0, false, { since: -172_800_000, fullRefresh: true }),
      crawl(3819, 'timeline', 1, false, { fullRefresh: true }),
      crawl(4538, 'timeline', 1, true),
    ],
    changes: [
      { at: 229, change: 'post', a: 871, b: 818 },
      { at: 1809, change: 'deleteNew', a: 900, b: 990 },
      { at: 2944, change: 'deleteNew', a: 192, b: 546 },
      { at: 3080, change: 'deleteNew', a: 974, b: 353 },
      { at: 4537, change: 'deleteNew', a: 464, b: 352 },
    ],
    faults: [
      { request: 19, kind: 'status 500', pick: 357 },
      { request: 11, kind: 'not our JSON', pick: 200 },
    ],
    disturbances: [{ after: 73, what: 'stall', which: 4, span: 70_000 }],
  },
  {
    seed: 4954,
    broke: 'invariant 9: a crawl reached the stop of another one by its own cursor, and treated that cursor as stale',
    size: { accounts: 6, posts: 34, edges: 0, groups: 1 },
    traits: { single: 11, end: 'same cursor', moreCursors: true, emptyIs404: false },
    acts: [
      { ...crawl(1047, 'replies', 5, true, { since: -432_000_000 }), priority: 'backfill' } as Act,
      { ...crawl(1213, 'timeline', 0, true, { since: -2_246_400_000 }), priority: 'backfill' } as Act,
      { ...crawl(1967, 'list', 1), priority: 'interactive' } as Act,
      { ...crawl(4318, 'timeline', 0, false, { maxPages: 3 }), priority: 'backfill' } as Act,
    ],
    faults: [
      { request: 4, kind: 'status 429', pick: 111 },
      { request: 9, kind: 'a time of another form', pick: 660 },
    ],
  },
  {
    seed: 65668,
    broke: 'invariant 5: a crawl that skipped rejected items of another crawl ended complete at the end of the list',
    size: {
      accounts: 4,
      posts: 28,
      edges: 0,
      groups: 1,
    },
    traits: {
      page: 1,
      single: 7,
      emptyIs404: false,
    },
    processes: 2,
    slots: 2,
    acts: [
      crawl(260, 'timeline', 35),
      {
        ...crawl(355, 'list', 2, false, { maxPages: 3 }),
        priority: 'interactive',
      } as Act,
      crawl(498, 'timeline', 9, true, { since: -42336e5 }),
      {
        ...crawl(1833, 'tweet', 1),
        priority: 'interactive',
      } as Act,
      crawl(3479, 'replies', 1),
      {
        ...crawl(3823, 'timeline', 1),
        priority: 'backfill',
      } as Act,
      {
        ...crawl(4619, 'replies', 0, false, { since: -432e6 }),
        priority: 'backfill',
      } as Act,
      crawl(4664, 'replies', 0),
    ],
    changes: [
      {
        at: 618,
        change: 'burst',
        a: 911,
        b: 903,
      },
      {
        at: 2516,
        change: 'burst',
        a: 797,
        b: 266,
      },
      {
        at: 3941,
        change: 'suspend',
        a: 464,
        b: 994,
      },
    ],
    faults: [
      {
        request: 4,
        kind: 'status 429 with retry-after',
        pick: 512,
      },
      {
        request: 2,
        kind: 'slow',
        pick: 20,
      },
      {
        request: 16,
        kind: 'an id that cannot be read',
        pick: 768,
      },
    ],
  },
  {
    seed: 68_836,
    broke: 'invariant 7: after a skipped interval, a page without times let the next page count for that interval',
    size: { accounts: 1, posts: 20, edges: 14, groups: 2 },
    traits: { page: 2, single: 10, pinned: 'moved', people: 'newest first', sparse: 27 },
    reserve: 5,
    acts: [
      { ...crawl(59_480, 'timeline', 1), priority: 'interactive' } as Act,
      { ...crawl(142_239, 'timeline', 1, true, { since: -3_196_800_000 }), priority: 'backfill' } as Act,
    ],
    faults: [{ request: 5, kind: 'somebody else as the owner', pick: 643 }],
  },
  {
    seed: 750,
    broke: 'invariant 10: a page that was requested once more counted in the digest of its list after a rebuild',
    size: { accounts: 4, posts: 5, edges: 3, groups: 1 },
    traits: { page: 2, single: 11, end: 'empty page', people: 'newest first', repeatsFirstPage: true },
    acts: [{ ...crawl(18_746_914, 'following', 2), typed: 'upper' } as Act],
  },
  {
    seed: 1481,
    broke: 'invariant 5: a list with items whose account became unavailable was complete, without tweets',
    size: { accounts: 1, posts: 10, edges: 0, groups: 1 },
    traits: { page: 4, single: 3, moreCursors: true, emptyIs404: false },
    acts: [
      crawl(161_878, 'replies', 0),
      crawl(321_917, 'timeline', 1, false, { maxPages: 2, since: -4_579_200_000, fullRefresh: true }),
      crawl(928_493, 'tweet', 1, true),
      crawl(1_337_765, 'timeline', 1),
    ],
    changes: [{ at: 1_273_795, change: 'deleteNew', a: 758, b: 265 }],
    shapes: [{ name: 'an unavailable owner', after: 0, every: 5, pick: 955 }],
  },
  {
    seed: 10_108,
    broke: 'invariant 14: a 403 failed a crawl, since the list of another target had been empty',
    size: { accounts: 4, posts: 0, edges: 0, groups: 1 },
    traits: { page: 4, single: 8, emptyIs404: false },
    acts: [crawl(11_461, 'followers', 2), crawl(132_131, 'followers', 0, true)],
    refusals: [{ at: 128_515, lasts: 5_400_000, status: 403, endpoint: 'followers', targets: undefined }],
  },
  {
    seed: 10_370,
    broke: 'invariant 5: items that were rejected in a page that was requested once more did not count',
    size: { accounts: 7, posts: 28, edges: 0, groups: 1 },
    traits: {
      cased: true,
      page: 2,
      single: 7,
      end: 'same cursor',
      people: 'newest first',
      emptyIs404: false,
      repeatsFirstPage: true,
    },
    acts: [
      crawl(411_521, 'timeline', 0),
      { ...crawl(464_434, 'timeline', 0, false, { fullRefresh: true }), typed: 'lower' } as Act,
      { ...crawl(730_277, 'timeline', 1), typed: 'lower' } as Act,
      crawl(1_673_695, 'timeline', 1),
      crawl(3_131_164, 'timeline', 0),
    ],
    reserve: 2,
    faults: [
      { request: 6, kind: 'the cursor is refused', pick: 411 },
      { request: 17, kind: 'a stray entry', pick: 617 },
      { request: 7, kind: 'an item that is null', pick: 956 },
    ],
  },
  {
    seed: 25845,
    broke: 'invariant 5: the replies of a suspended account ended as complete, without tweets',
    size: { accounts: 8, posts: 27, edges: 0, groups: 1 },
    traits: { page: 3, single: 7, people: 'newest first' },
    acts: [
      { at: 329_943, what: 'run', kind: 'replies', target: 0 },
      { at: 1_339_474, what: 'run', kind: 'replies', target: 0 },
    ],
    changes: [{ at: 776_597, change: 'suspend', a: 128, b: 197 }],
  },
];

const PLAIN: Omit<Plan, 'seed'> = {
  size: {
    accounts: 6,
    posts: 0,
    edges: 0,
    groups: 1,
  },
  traits: {
    page: 2,
    single: 8,
    end: 'none',
    pinned: 'not',
    people: 'mixed',
    moreCursors: false,
    emptyIs404: true,
    sparse: 0,
  },
  quota: {
    limit: 1e4,
    windowMs: 9e5,
    sliding: false,
  },
  reserve: 5,
  processes: 1,
  slots: 1,
  acts: [],
  changes: [],
  faults: [],
  disturbances: [],
  strangers: [],
};

export const REGRESSIONS: readonly Regression[] = FAILURES.map(({ broke, traits, ...more }) => ({
  seed: more.seed,
  broke,
  plan: {
    ...PLAIN,
    ...more,
    traits: {
      ...PLAIN.traits,
      ...traits,
    },
  },
}));
