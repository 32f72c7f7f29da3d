import { DAY, MINUTE, SECOND } from '../../src/clock.ts';
import type { CrawlOptions, KindName } from '../../src/crawl/kinds.ts';
import { createDice, type Dice } from '../../src/dice.ts';
import type { CrawlClass } from '../../src/store/messages.ts';
import { FAULTS, type FaultName } from './faults.ts';
import type { Traits } from './present.ts';
import type { QuotaPlan } from './service.ts';
import { type ChangeName, CHANGES, type Size } from './truth.ts';

/** What somebody asks of trawl. */
export type Act = { readonly at: number } & (
  | {
      readonly what: 'crawl';
      readonly kind: KindName;
      /** Which of the world's things of that sort. */
      readonly target: number;
      /** An account is named by its id, not its handle. */
      readonly byId: boolean;
      readonly options: CrawlOptions;
      readonly class: CrawlClass;
    }
  | { readonly what: 'cancel' | 'resume'; readonly crawl: number }
);

/** Something that befalls the workers, after so many events. */
export interface Blow {
  readonly after: number;
  readonly what: 'kill' | 'kill in a statement' | 'stop' | 'stall' | 'disk full';
  /** Which of the processes, or of the crawls that they work on. */
  readonly which: number;
  /** How long nobody takes its place, or how many statements go well before it is killed in one, or the disk is full. */
  readonly span: number;
}

/** Everything that happens in a simulation: plain data, so that parts of it can be left out. */
export interface Plan {
  readonly seed: number;
  readonly size: Size;
  readonly traits: Traits;
  readonly quota: QuotaPlan;
  readonly reserve: number;
  readonly processes: number;
  readonly slots: number;
  readonly acts: readonly Act[];
  readonly changes: readonly {
    readonly at: number;
    readonly change: ChangeName;
    readonly a: number;
    readonly b: number;
  }[];
  readonly faults: readonly { readonly request: number; readonly kind: FaultName; readonly pick: number }[];
  readonly blows: readonly Blow[];
  /** What other clients of the key spend. */
  readonly strangers: readonly { readonly at: number; readonly requests: number }[];
}

const KINDS: readonly KindName[] = [
  ...(['timeline', 'timeline', 'timeline', 'timeline', 'followers', 'followers', 'following', 'replies'] as const),
  ...(['profile', 'tweet', 'search', 'community', 'list'] as const),
];
const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];
const CHANGE_NAMES = Object.keys(CHANGES) as ChangeName[];
const BLOWS = ['kill', 'kill', 'kill in a statement', 'kill in a statement', 'stop', 'stall', 'disk full'] as const;
const CLASSES = ['interactive', 'scheduled', 'backfill'] as const;

/** The plan of a seed. */
export function planOf(seed: number): Plan {
  const dice = createDice(seed, 'plan');
  const many = <T>(most: number, make: () => T): T[] => Array.from({ length: dice.between(0, most) }, make);
  const accounts = dice.between(3, 9);
  const isTight = dice.chance(0.35);
  // Some simulations are of one hectic minute, some of days.
  const length = dice.pick([5 * SECOND, MINUTE, 60 * MINUTE, 3 * DAY]);
  const when = () => dice.between(0, length);
  const acts = [...Array.from({ length: dice.between(2, 8) }, () => crawlAct(dice, when())), ...steering()];

  function steering(): Act[] {
    return many(dice.chance(0.3) ? 2 : 0, () => ({
      ...{ at: when(), what: dice.chance(0.5) ? ('cancel' as const) : ('resume' as const), crawl: dice.below(6) },
    }));
  }

  const limit = isTight ? dice.between(6, 30) : 10_000;
  return {
    seed,
    size: { accounts, posts: dice.between(0, 40), edges: dice.between(0, 40), groups: dice.between(1, 2) },
    traits: {
      page: dice.between(1, 5),
      single: dice.between(3, 12),
      end: dice.pick(['none', 'none', 'empty page', 'same cursor', 'new cursors']),
      pinned: dice.pick(['twice', 'moved', 'not']),
      people: dice.pick(['newest first', 'mixed']),
      moreCursors: dice.chance(0.3),
      emptyIs404: dice.chance(0.7),
      sparse: dice.chance(0.4) ? dice.between(5, 40) : 0,
    },
    quota: {
      limit,
      windowMs: isTight ? dice.pick([2 * SECOND, 20 * SECOND, MINUTE]) : 15 * MINUTE,
      sliding: dice.chance(0.5),
    },
    reserve: isTight ? dice.between(0, 2) : 5,
    processes: dice.between(1, 2),
    slots: dice.between(1, 3),
    acts: acts.toSorted((a, b) => a.at - b.at),
    changes: many(dice.chance(0.7) ? 12 : 0, () => ({
      ...{ at: when(), change: dice.pick(CHANGE_NAMES), a: dice.below(1000), b: dice.below(1000) },
    })).toSorted((a, b) => a.at - b.at),
    faults: many(dice.chance(0.6) ? 8 : 0, () => ({
      ...{ request: dice.between(1, 25), kind: dice.pick(FAULT_NAMES), pick: dice.below(1000) },
    })),
    blows: many(dice.chance(0.6) ? 4 : 0, () => ({
      ...{
        after: dice.between(5, 400),
        what: dice.pick(BLOWS),
      },
      ...{ which: dice.below(6), span: dice.chance(0.5) ? dice.between(0, 60) : dice.pick([100, 3000, 70_000]) },
    })).toSorted((a, b) => a.after - b.after),
    strangers: isTight && dice.chance(0.3) ? many(4, () => ({ at: when(), requests: dice.between(1, 3) })) : [],
  };
}

function crawlAct(dice: Dice, at: number): Act {
  const kind = dice.pick(KINDS);
  const isList = kind !== 'profile' && kind !== 'tweet';
  const maxPages = isList && dice.chance(0.15) ? { maxPages: dice.between(1, 3) } : {};
  const canSince = kind === 'timeline' || kind === 'replies' || kind === 'community';
  const since = canSince && dice.chance(0.15) ? { since: -dice.between(1, 60) * DAY } : {};
  const rolls = (kind === 'followers' || kind === 'following') && dice.chance(0.3);
  const snowball = rolls
    ? {
        andThen: dice.pick([['profile'], ['timeline'], ['profile', 'timeline'], ['followers']]),
        ...(dice.chance(0.5) ? { maxTargets: dice.between(1, 4) } : {}),
        ...(dice.chance(0.3) ? { depth: 2 } : {}),
      }
    : {};
  const options: CrawlOptions = { ...maxPages, ...since, ...snowball };
  const target = dice.chance(0.6) ? dice.below(3) : dice.below(40);
  return { at, what: 'crawl', kind, target, byId: dice.chance(0.3), options, class: dice.pick(CLASSES) };
}
