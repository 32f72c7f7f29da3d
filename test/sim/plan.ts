import { DAY, MINUTE, SECOND } from '#base/clock.ts';
import { createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import type { CrawlOptions, KindName } from '#service/kinds/kinds.ts';
import type { Priority } from '#service/quota/priorities.ts';
import { type DiskPlan, disksOf } from './disks.ts';
import { FAULTS, type FaultName } from './faults.ts';
import { type OutagePlan, outagesOf } from './outages.ts';
import type { Traits } from './present.ts';
import { type RefusalPlan, refusalsOf } from './refusals.ts';
import type { QuotaPlan } from './service.ts';
import { SHAPE_NAMES, type ShapePlan } from './shapes.ts';
import { type ChangeName, CHANGES, type Size } from './truth.ts';

export type Act = { readonly at: number } & (
  | {
      readonly what: 'crawl';
      readonly kind: KindName;
      readonly target: number;
      readonly also?: readonly number[] | undefined;
      readonly byId: boolean;
      /** Case of a typed handle; the service's spelling if absent. */
      readonly typed?: 'lower' | 'upper' | undefined;
      readonly options: CrawlOptions;
      readonly priority: Priority;
      /** It belongs to the run with the plan's budget. */
      readonly isBudgeted?: true;
    }
  | { readonly what: 'cancel' | 'resume'; readonly crawl: number }
  /** A run of a scheduled job that names an account by its first handle. */
  | { readonly what: 'run'; readonly kind: KindName; readonly target: number }
);

/** A failure of workers, after a number of events. */
export interface Disturbance {
  readonly after: number;
  readonly what: 'kill' | 'kill in a statement' | 'stop' | 'stall' | 'disk full' | 'store refuses';
  readonly which: number;
  /**
   * Downtime, or number of statements before a kill or a full disk. Of `store refuses`: how long the store throws a
   * TypeError for every tweet.
   */
  readonly span: number;
}

/** A simulation as plain data, so that parts can be removed. */
export interface Plan {
  readonly seed: number;
  readonly size: Size;
  readonly traits: Traits;
  readonly quota: QuotaPlan;
  readonly reserve: number;
  /** The budget of the run with `isBudgeted` crawls. */
  readonly budget?: number;
  readonly processes: number;
  /** The processes on other hosts than the store: all, every second one, or none if absent. */
  readonly hosts?: 'other' | 'both' | undefined;
  readonly slots: number;
  readonly acts: readonly Act[];
  readonly changes: readonly {
    readonly at: number;
    readonly change: ChangeName;
    readonly a: number;
    readonly b: number;
  }[];
  readonly faults: readonly { readonly request: number; readonly kind: FaultName; readonly pick: number }[];
  readonly disturbances: readonly Disturbance[];
  readonly outages?: readonly OutagePlan[];
  readonly refusals?: readonly RefusalPlan[];
  readonly disks?: readonly DiskPlan[];
  readonly shapes?: readonly ShapePlan[] | undefined;
  readonly strangers: readonly { readonly at: number; readonly requests: number }[];
}

/** The focus of a simulation: pure chance seldom combines the relevant events. */
interface Theme {
  readonly kinds: readonly KindName[];
  readonly targets: number;
  readonly changes: readonly ChangeName[];
  /** Faults of requests and workers; any if absent. */
  readonly faults?: readonly FaultName[];
  readonly disturbances?: readonly Disturbance['what'][];
  /** Parts of the world's size; any if absent. */
  readonly size?: Partial<Size>;
  /** Share of crawls with a full refresh. */
  readonly fullRefreshShare?: number;
  /** Share of plans with a regular service and one process, for which more can be checked. */
  readonly plainShare?: number;
  /** Number of different times of acts; all different if absent. */
  readonly actTimes?: number;
  /** Number of processes; one or two if absent. */
  readonly processes?: number;
  /** Duration in days; the general distribution if absent. */
  readonly days?: readonly number[];
  /** Minimum number of acts and changes. */
  readonly minimum?: { readonly acts: number; readonly changes: number };
  /** Maximum number of each. */
  readonly maximum: {
    readonly acts: number;
    readonly changes: number;
    readonly faults: number;
    readonly disturbances: number;
  };
}

const EVERY_CHANGE = Object.keys(CHANGES) as ChangeName[];
const ALL: readonly KindName[] = [
  ...(['timeline', 'timeline', 'timeline', 'followers', 'following', 'replies'] as const),
  ...(['profile', 'tweet', 'search', 'community', 'list'] as const),
];
/** The same timelines repeatedly, while tweets come and go. */
const TIMELINES: Theme = {
  kinds: ['timeline', 'timeline', 'replies', 'community', 'profile'],
  targets: 2,
  changes: ['post', 'burst', 'burst', 'delete', 'like', 'pin'],
  faults: [
    ...(['an item without an id', 'an id that cannot be read', 'an item that is null', 'a stray entry'] as const),
    ...(['items in another order', 'an item twice', 'connection reset', 'the cursor is refused'] as const),
  ],
  maximum: { acts: 8, changes: 14, faults: 6, disturbances: 5 },
};
/** Deleted and restored tweets of one account, with full refreshes. */
const DELETIONS: Theme = {
  kinds: ['timeline', 'timeline', 'timeline', 'replies', 'tweet', 'tweet'],
  targets: 2,
  changes: ['delete', 'deleteNew', 'deleteNew', 'deleteNew', 'restore', 'restore', 'restore', 'post'],
  faults: ['not our JSON', 'not our JSON', 'not our JSON', 'somebody else as the owner', 'status 500'],
  disturbances: ['kill', 'stall', 'disk full'],
  size: { accounts: 1, posts: 20 },
  fullRefreshShare: 0.8,
  plainShare: 0.7,
  minimum: { acts: 8, changes: 10 },
  maximum: { acts: 16, changes: 20, faults: 4, disturbances: 2 },
};
/** All kinds of one or two accounts at once, with slow responses and stopping workers. */
const TOGETHER: Theme = {
  kinds: ['timeline', 'replies', 'followers', 'following', 'profile', 'tweet', 'search'],
  targets: 2,
  changes: ['post', 'edit', 'like', 'follow'],
  faults: ['slow', 'slow', 'slow', 'no answer in time', 'status 500', 'not our JSON'],
  disturbances: ['stop', 'stop', 'stop', 'kill', 'stall'],
  actTimes: 2,
  maximum: { acts: 10, changes: 4, faults: 10, disturbances: 6 },
};
/** The same users, changing back and forth, with several workers and rollbacks. */
const PEOPLE: Theme = {
  kinds: ['followers', 'followers', 'following'],
  targets: 3,
  changes: ['edit', 'edit', 'edit', 'follow'],
  disturbances: ['disk full', 'disk full', 'stall'],
  size: { accounts: 4 },
  processes: 2,
  minimum: { acts: 6, changes: 8 },
  maximum: { acts: 12, changes: 20, faults: 0, disturbances: 8 },
};
/** Users who change after a list showed them, and are seen again as authors. */
const AUTHORS: Theme = {
  kinds: ['followers', 'following', 'search', 'list', 'community', 'replies'],
  targets: 4,
  changes: ['edit', 'edit', 'edit', 'post'],
  disturbances: ['kill', 'stop', 'stall'],
  size: { accounts: 4, posts: 12, edges: 10 },
  minimum: { acts: 8, changes: 4 },
  maximum: { acts: 14, changes: 8, faults: 2, disturbances: 2 },
};
/** Accounts that disappear from lists, and whose own lists are then requested. */
const GONE: Theme = {
  kinds: ['followers', 'followers', 'following'],
  targets: 3,
  changes: ['suspend', 'suspend', 'unfollow'],
  faults: ['status 500'],
  disturbances: ['kill', 'stall'],
  size: { accounts: 5, edges: 16 },
  plainShare: 0.7,
  minimum: { acts: 12, changes: 2 },
  maximum: { acts: 20, changes: 4, faults: 1, disturbances: 1 },
};
/** Lists of followed accounts, repeatedly within days, with a cache. */
const CACHED: Theme = {
  kinds: ['following', 'following', 'following', 'followers', 'profile'],
  targets: 2,
  changes: ['unfollow', 'unfollow', 'follow', 'follow', 'edit'],
  faults: ['no cursor too soon', 'status 500', 'an item without an id'],
  size: { accounts: 4, edges: 12 },
  days: [1, 3],
  minimum: { acts: 10, changes: 4 },
  maximum: { acts: 18, changes: 10, faults: 2, disturbances: 2 },
};
const HANDLES: Theme = {
  kinds: ['timeline', 'followers', 'profile', 'profile'],
  targets: 3,
  changes: ['rename', 'takeOver', 'takeOver', 'post', 'suspend'],
  maximum: { acts: 7, changes: 8, faults: 1, disturbances: 1 },
};
const THEMES: readonly Theme[] = [
  { kinds: ALL, targets: 40, changes: EVERY_CHANGE, maximum: { acts: 8, changes: 12, faults: 8, disturbances: 6 } },
  // Lists of the same accounts repeatedly, while users come and go.
  {
    kinds: ['followers', 'followers', 'following'],
    targets: 2,
    changes: ['follow', 'unfollow', 'unfollow', 'edit', 'rename', 'suspend'],
    maximum: { acts: 8, changes: 12, faults: 6, disturbances: 3 },
  },
  PEOPLE,
  TIMELINES,
  DELETIONS,
  TOGETHER,
  HANDLES,
  { kinds: ALL, targets: 6, changes: ['post', 'edit'], maximum: { acts: 5, changes: 2, faults: 20, disturbances: 1 } },
  { kinds: ALL, targets: 6, changes: ['post', 'edit'], maximum: { acts: 5, changes: 2, faults: 1, disturbances: 9 } },
];

/** Backfills with a service whose searches show little. */
const BACKFILLS: Theme = {
  kinds: ['search', 'search', 'search', 'timeline'],
  targets: 5,
  changes: ['post', 'delete', 'edit'],
  maximum: {
    acts: 4,
    changes: 4,
    faults: 3,
    disturbances: 4,
  },
};

const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];
const DISTURBANCE_KINDS: readonly Disturbance['what'][] = [
  ...(['kill', 'kill', 'kill in a statement', 'kill in a statement'] as const),
  ...(['stop', 'stall', 'disk full', 'disk full'] as const),
];
const PRIORITIES = ['interactive', 'scheduled', 'backfill'] as const;

export function planOf(seed: number): Plan {
  const random = createSeededRandom(seed, 'plan');
  const listOf = <T>(maximumCount: number, create: () => T, least = 0): T[] =>
    Array.from({ length: random.integerBetween(least, maximumCount) }, create);
  const theme = random.pick([...THEMES, TIMELINES, DELETIONS]);
  const backfillRandom = createSeededRandom(seed, 'past');
  const isBackfill = backfillRandom.chance(0.1);
  const peopleTheme = createSeededRandom(seed, 'people').pick([...Array<undefined>(8), PEOPLE, HANDLES]);
  const isOfAuthors = createSeededRandom(seed, 'authors').chance(0.05);
  const cached = createSeededRandom(seed, 'cached answers');
  const isOfCached = cached.chance(0.1);
  const uncachedTheme = isBackfill ? BACKFILLS : isOfAuthors ? AUTHORS : (peopleTheme ?? theme);
  const isOfGone = createSeededRandom(seed, 'gone').chance(0.05);
  const chosen = isOfCached ? CACHED : isOfGone ? GONE : uncachedTheme;
  const { kinds, targets, changes, minimum, maximum, size, fullRefreshShare = 0.1 } = chosen;
  const { faults = FAULT_NAMES, disturbances = DISTURBANCE_KINDS } = chosen;
  const isPlain = createSeededRandom(seed, 'plain').chance(chosen.plainShare ?? 0);
  const accounts = random.integerBetween(3, 9);
  const isTight = random.chance(0.35);
  // Some simulations take a minute, some take days.
  const generalLength = random.pick([5 * SECOND, MINUTE, 60 * MINUTE, 3 * DAY]);
  const length = chosen.days ? cached.pick(chosen.days) * DAY : generalLength;
  const randomTime = () => random.integerBetween(0, length);
  const actMoments = Array.from({ length: chosen.actTimes ?? 0 }, randomTime);
  const actTime = () => (actMoments.length > 0 ? random.pick(actMoments) : randomTime());
  const refused = refusalsOf(createSeededRandom(seed, 'refused'));
  const acts = [
    ...Array.from({ length: random.integerBetween(minimum?.acts ?? 2, maximum.acts) }, () =>
      crawlAct(random, actTime(), { kinds, targets, fullRefreshShare }),
    ),
    ...createSteeringActs(),
    ...jobRuns(createSeededRandom(seed, 'jobs'), length),
    ...refused.acts,
  ];

  const change = (): Plan['changes'][number] => ({
    at: randomTime(),
    change: random.pick(changes),
    a: random.integerBelow(1e3),
    b: random.integerBelow(1e3),
  });

  function createSteeringActs(): Act[] {
    return listOf(random.chance(0.3) ? 2 : 0, () => ({
      at: randomTime(),
      what: random.chance(0.5) ? ('cancel' as const) : ('resume' as const),
      crawl: random.integerBelow(6),
    }));
  }

  const budgetRandom = createSeededRandom(seed, 'budget');
  const budget = budgetRandom.chance(0.2) ? budgetRandom.integerBetween(2, 25) : undefined;
  // Beside the reserve, a page may need five requests at once.
  const limit = isTight ? Math.max(7, random.integerBetween(6, 30)) : 10_000;
  return {
    seed,
    size: {
      accounts,
      posts: random.integerBetween(0, 40),
      edges: random.integerBetween(0, 40),
      groups: random.integerBetween(1, 2),
      ...size,
      ...(isBackfill
        ? {
            posts: backfillRandom.integerBetween(10, 60),
            days: backfillRandom.pick([1, 2, 10, 60]),
          }
        : {}),
    },
    traits: {
      page: random.integerBetween(1, 4),
      single: isBackfill ? backfillRandom.integerBetween(1, 5) : random.integerBetween(3, 12),
      end: random.pick(['none', 'none', 'empty page', 'same cursor', 'new cursors']),
      pinned: random.pick(['twice', 'moved', 'not']),
      people: random.pick(['newest first', 'mixed']),
      moreCursors: random.chance(0.3),
      emptyIs404: random.chance(0.7),
      sparse: random.chance(0.4) ? random.integerBetween(5, 40) : 0,
      ...(isPlain ? { pinned: 'not', sparse: 0 } : {}),
      cased: createSeededRandom(seed, 'cased').chance(0.3),
      ...(isOfCached ? { end: 'none', sparse: 0 } : {}),
      ...(isOfCached || cached.chance(0.15)
        ? { followingCache: cached.pick([MINUTE, 15 * MINUTE, 20 * 60 * MINUTE]) }
        : {}),
      ...(createSeededRandom(seed, 'repeats').chance(0.1) ? { repeatsFirstPage: true } : {}),
      ...(cached.chance(0.1) ? { hidden: cached.pick([25, 5000]) } : {}),
    },
    quota: {
      limit,
      windowMs: isTight ? random.pick([2 * SECOND, 20 * SECOND, MINUTE]) : 15 * MINUTE,
      sliding: random.chance(0.5),
    },
    reserve: isTight ? random.integerBetween(0, 2) : 5,
    ...(budget === undefined ? {} : { budget }),
    processes: isPlain ? 1 : (chosen.processes ?? random.pick([1, 2, 2])),
    hosts: isPlain ? undefined : createSeededRandom(seed, 'hosts').pick(['other', 'both', undefined, undefined]),
    slots: random.integerBetween(1, 3),
    acts: acts
      .map((act) => withWindow(act, createSeededRandom(seed, `window ${act.at}`)))
      .map((act) => withTyped(act, createSeededRandom(seed, `typed ${act.at}`)))
      .map((act) => withMore(act, createSeededRandom(seed, `also ${act.at}`)))
      .flatMap((act) => withAgain(act, createSeededRandom(seed, `again ${act.at}`)))
      .map((act): Act => (act.what === 'crawl' && budget !== undefined ? { ...act, isBudgeted: true } : act))
      .toSorted((a, b) => a.at - b.at),
    changes: [
      ...listOf(minimum || random.chance(0.8) ? maximum.changes : 0, change, minimum?.changes),
      ...jobChanges(createSeededRandom(seed, 'job changes'), acts, length),
    ].toSorted((a, b) => a.at - b.at),
    faults: listOf(random.chance(0.8) ? maximum.faults : 0, () => ({
      request: random.integerBetween(1, 20),
      kind: random.pick(faults),
      pick: random.integerBelow(1e3),
    })),
    disturbances: [
      ...listOf(random.chance(0.7) ? maximum.disturbances : 0, (): Disturbance => {
        const what = random.pick(disturbances);
        const isInStatement = what === 'kill in a statement' || what === 'disk full';
        const span = isInStatement ? random.integerBetween(0, 80) : random.pick([0, 5, 50, 3000, 70_000]);
        return { after: random.integerBetween(5, 120), what, which: random.integerBelow(6), span };
      }),
      ...refusals(createSeededRandom(seed, 'refusals')),
    ].toSorted((a, b) => a.after - b.after),
    shapes: shapesOf(createSeededRandom(seed, 'shapes')),
    outages: outagesOf(createSeededRandom(seed, 'outages'), acts),
    refusals: refused.refusals,
    disks: disksOf(createSeededRandom(seed, 'disks'), acts),
    strangers:
      isTight && random.chance(0.3)
        ? listOf(4, () => ({ at: randomTime(), requests: random.integerBetween(1, 3) }))
        : [],
  };
}

/** Sometimes the store refuses tweets, for some tries or for longer than the retries. */
const refusals = (random: SeededRandom): Disturbance[] =>
  random.chance(0.05)
    ? [
        {
          after: random.integerBetween(5, 60),
          span: random.pick([3, 20, 3600]) * SECOND,
          what: 'store refuses',
          which: 0,
        },
      ]
    : [];

/** Half of the plans have other forms of responses. */
function shapesOf(random: SeededRandom): ShapePlan[] {
  if (!random.chance(0.45)) return [];
  return Array.from({ length: random.integerBetween(1, 3) }, () => ({
    name: random.pick(SHAPE_NAMES),
    after: random.pick([0, 0, random.integerBetween(1, 40)]),
    every: random.pick([1, 2, 5]),
    pick: random.integerBelow(1e3),
  }));
}

/** Most searches are backfills of a window. */
function withWindow(act: Act, random: SeededRandom): Act {
  if (act.what !== 'crawl' || act.kind !== 'search' || random.chance(0.2)) return act;
  const to = random.pick([1, 1, -random.integerBetween(0, 50)]);
  return { ...act, options: { from: to - random.pick([1, 2, 7, 30, 61]), to } };
}

function jobRuns(random: SeededRandom, length: number): Act[] {
  if (random.chance(0.85)) return [];
  const jobs = Array.from({ length: random.integerBetween(1, 2) }, () => ({
    kind: random.pick<KindName>(['timeline', 'followers', 'following', 'replies', 'profile']),
    target: random.integerBelow(3),
  }));
  return Array.from({ length: random.integerBetween(3, 8) }, () => ({
    at: random.integerBetween(0, length),
    what: 'run',
    ...random.pick(jobs),
  }));
}

/** The accounts of jobs are renamed, and others take their handles. */
function jobChanges(random: SeededRandom, acts: readonly Act[], length: number): Plan['changes'][number][] {
  const runs = acts.filter((act) => act.what === 'run');
  if (runs.length === 0) return [];
  return Array.from({ length: random.integerBetween(1, 4) }, () => ({
    at: random.integerBetween(0, length),
    change: random.pick<ChangeName>(['rename', 'takeOver', 'takeOver']),
    a: random.pick(runs).target,
    b: random.integerBelow(1e3),
  }));
}

const withMore = (act: Act, random: SeededRandom): Act =>
  act.what === 'crawl' && act.options.then && random.chance(0.6)
    ? { ...act, also: Array.from({ length: random.integerBetween(1, 2) }, () => random.integerBelow(8)) }
    : act;

/** A long command is interrupted and repeated. */
const withAgain = (act: Act, random: SeededRandom): Act[] =>
  act.what === 'crawl' && act.options.maxTargets !== undefined && random.chance(0.5)
    ? [act, { ...act, at: act.at + random.integerBetween(20, 600) }]
    : [act];

const withTyped = (act: Act, random: SeededRandom): Act =>
  act.what === 'crawl' ? { ...act, typed: random.pick([undefined, undefined, undefined, 'lower', 'upper']) } : act;

function crawlAct(
  random: SeededRandom,
  at: number,
  { kinds, targets, fullRefreshShare }: Required<Pick<Theme, 'kinds' | 'targets' | 'fullRefreshShare'>>,
): Act {
  const kind = random.pick(kinds);
  const isList = kind !== 'profile' && kind !== 'tweet';
  const maxPages =
    isList && random.chance(kind === 'timeline' ? 0.35 : 0.2) ? { maxPages: random.integerBetween(1, 3) } : {};
  const canSince = kind === 'timeline' || kind === 'replies' || kind === 'community';
  const days = random.chance(0.6) ? random.integerBetween(1, 5) : random.integerBetween(5, 60);
  const since = canSince && random.chance(0.25) ? { since: -days * DAY } : {};
  const isSnowball = (kind === 'followers' || kind === 'following') && random.chance(0.4);
  const snowball = isSnowball
    ? {
        then: random.pick([['profile'], ['timeline'], ['profile', 'timeline'], ['followers']]),
        ...(random.chance(0.5) ? { maxTargets: random.integerBetween(1, 4) } : {}),
        ...(random.chance(0.5) ? { depth: 2 } : {}),
      }
    : {};
  const options: CrawlOptions = {
    ...maxPages,
    ...since,
    ...snowball,
    ...(canSince && random.chance(fullRefreshShare) ? { fullRefresh: true } : {}),
  };
  const target = random.chance(0.6) ? random.integerBelow(Math.min(3, targets)) : random.integerBelow(targets);
  return { at, what: 'crawl', kind, target, byId: random.chance(0.3), options, priority: random.pick(PRIORITIES) };
}
