import { DAY, TIME_UNITS } from '#base/clock.ts';
import { pluralize } from '#base/text.ts';
import { formatDay, toIso } from '#base/units.ts';
import type { Db } from '#store/sqlite/database.ts';
import { countDueItems } from './due-items.ts';

/** How old the evidence of deletions is (invariant 7): tweets that nobody has asked for may be deleted by now. */
export interface EvidenceAge {
  /**
   * The stored tweets whose last check is older than `olderThan`. Deleted tweets and those of unavailable accounts are not
   * counted: they are not checked again.
   */
  readonly unchecked: number;
  /** As on the command line: `30d`. */
  readonly olderThan: string;
  /** The oldest of these checks, in ISO 8601; null without any. */
  readonly oldestCheckAt: string | null;
  /** In words, without a full stop. */
  readonly sentence: string;
  /** The arguments of `trawl` that check them; null if there are none, or if the accounts must not be named. */
  readonly command: string | null;
}

/** After this, the last check of a tweet is old. */
const DEFAULT_AGE = 30 * DAY;
/** The maximum number of accounts that a command names. */
const NAMED = 20;

export interface EvidenceRequest {
  /** Milliseconds UTC. */
  readonly now: number;
  /** Milliseconds; 30 days by default. */
  readonly olderThan?: number | undefined;
  /** The service's ids of the authors; all tweets if absent. */
  readonly accountIds?: readonly string[] | undefined;
}

/** Reads how many stored tweets were not checked for a time. They are those that `trawl recheck tweets` checks. */
export function readEvidenceAge(db: Db, { now, olderThan = DEFAULT_AGE, accountIds }: EvidenceRequest): EvidenceAge {
  const { due, oldestCheckAt } = countDueItems(db, { items: 'tweets', before: now - olderThan, accountIds });
  const [amount, unit] = splitAge(olderThan);
  const age = `${amount}${unit}`;
  const words = pluralize(amount, UNIT_NAMES[unit]!);
  return {
    unchecked: due,
    olderThan: age,
    oldestCheckAt: oldestCheckAt === null ? null : toIso(oldestCheckAt),
    sentence:
      oldestCheckAt === null
        ? `all stored tweets were checked within the last ${words}`
        : `${pluralize(due, 'stored tweet has', 'stored tweets have')} not been checked for longer than ${words}, ${due === 1 ? '' : 'the oldest '}since ${formatDay(oldestCheckAt)}: later deletions are not known`,
    command: due === 0 ? null : `recheck tweets --older-than ${age}${formatAccounts(accountIds)}`,
  };
}

/** More accounts are read from a file of the user. */
function formatAccounts(accountIds: readonly string[] | undefined): string {
  if (accountIds === undefined) return '';
  return accountIds.length > NAMED
    ? ' --from-file <accounts>'
    : ` --accounts ${accountIds.map((id) => `id:${id}`).join(',')}`;
}

const UNIT_NAMES: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
};

/** An age in its largest whole unit, as it is typed: `30` and `d`. */
function splitAge(ms: number): [amount: number, unit: string] {
  const [unit, size] = Object.entries(TIME_UNITS).findLast(([, each]) => ms % each === 0)!;
  return [ms / size, unit];
}
