import type { Plan } from './plan.ts';

/** A failure that the simulation once found, as the smallest plan that showed it. */
export interface Regression {
  /** The seed that found it, of the plans as they were then. */
  readonly seed: number;
  readonly broke: string;
  readonly plan: Plan;
}

/** A service, a key and a worker with nothing special about them. */
const plain = (seed: number, more: Partial<Plan>): Plan => ({
  seed,
  size: { accounts: 6, posts: 0, edges: 0, groups: 1 },
  traits: {
    ...{ page: 2, single: 8, end: 'none', pinned: 'not', people: 'mixed', moreCursors: false, emptyIs404: true },
    sparse: 0,
  },
  quota: { limit: 10_000, windowMs: 900_000, sliding: false },
  ...{ reserve: 5, processes: 1, slots: 1 },
  ...{ acts: [], changes: [], faults: [], blows: [], strangers: [] },
  ...more,
});

type Act = Plan['acts'][number];
const crawl = (at: number, kind: string, target: number, byId = false, options = {}): Act =>
  ({ at, what: 'crawl', kind, target, byId, options, class: 'scheduled' }) as Act;

export const REGRESSIONS: readonly Regression[] = [
  {
    seed: 423,
    broke:
      'law 5: a page of which all was set aside did not end the interval above it, which then claimed what it lacked',
    plan: plain(423, {
      size: { accounts: 9, posts: 31, edges: 0, groups: 1 },
      traits: { ...plain(0, {}).traits, page: 1, single: 11 },
      acts: [crawl(479, 'timeline', 10), crawl(1449, 'timeline', 7), crawl(3907, 'timeline', 0, true)],
      faults: [{ request: 10, kind: 'a number for an id', pick: 297 }],
    }),
  },
  {
    seed: 453,
    broke: 'law 5: a handle that went to somebody else between two requests of one step failed the crawl for good',
    plan: plain(453, {
      acts: [crawl(2510, 'profile', 0, true)],
      changes: [{ at: 2640, change: 'takeOver', a: 132, b: 961 }],
    }),
  },
  {
    seed: 1662,
    broke: 'law 6: followers of somebody else were stored, when the look-up of a handle by its id was answered wrongly',
    plan: plain(1662, {
      size: { accounts: 6, posts: 0, edges: 12, groups: 1 },
      acts: [crawl(100, 'profile', 2, true)],
      faults: [{ request: 1, kind: 'somebody else as the owner', pick: 1 }],
    }),
  },
  {
    seed: 209,
    broke: 'law 7: an empty list of somebody whose count nobody had said was taken for proof of an unfollow',
    plan: plain(209, {
      size: { accounts: 5, posts: 7, edges: 34, groups: 2 },
      traits: { ...plain(0, {}).traits, page: 2, single: 3, people: 'newest first', sparse: 32 },
      acts: [crawl(6_729_997, 'followers', 0), crawl(151_578_421, 'following', 1)],
      changes: [
        { at: 34_934_995, change: 'unfollow', a: 803, b: 182 },
        { at: 42_922_147, change: 'unfollow', a: 277, b: 781 },
        { at: 135_406_778, change: 'unfollow', a: 357, b: 839 },
      ],
    }),
  },
];
