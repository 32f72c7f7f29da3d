import { PROFILE_MAX_AGE } from '../engine/pagination/end-of-list.ts';
import { createCrawlSpec, parseCrawlOptions, type Estimate } from '../kinds/crawl-spec.ts';
import { getKind } from '../kinds/kinds.ts';
import type { PlanningFacts } from '../store/schema/planning-facts.ts';
import { createOpenEstimate, ONE, capEstimate } from './estimate.ts';
import type { PlannedList } from './list-items.ts';
import { estimateOwnRequests, loadPlannedList } from './own-requests.ts';

/** The requests of a snowball's crawls: of those accounts that are known to be in its list, and of any other one. */
export interface AccountCosts {
  readonly known: readonly Estimate[];
  readonly other: Estimate;
}

/** The most stored accounts of a list that are planned one by one. */
const MAX_PLANNED = 200;
/** The most accounts whose profile age is checked. */
const MAX_PROFILES_CHECKED = 10_000;
/** The fewest accounts from which the cost of others is estimated. */
const ENOUGH = 10;

/** What crawls of a kind take for the accounts that a list leads to. */
export function estimateAccountCosts(kind: string, root: PlannedList, facts: PlanningFacts, now: number): AccountCosts {
  if (getKind(kind).isSkippedIfFresh) return profileCosts(root, facts, now);
  const { thenMaxPages } = parseCrawlOptions(root.spec);
  const limit = getKind(kind).supportedOptions.includes('maxPages') ? thenMaxPages : undefined;
  const seen = facts.kindStatistics(kind);
  const before = seen && seen.crawls > 0 ? seen.requests / seen.crawls : null;
  const options = limit === undefined ? {} : { maxPages: limit };
  const accounts = listStoredAccounts(root, facts, MAX_PLANNED).map((id) => {
    const subject = loadPlannedList(
      createCrawlSpec({ kind, target: `id:${id}`, options, priority: root.spec.priority }),
      facts,
    );
    const guess = estimateOwnRequests(subject, facts, now, () => undefined);
    return { isWalked: subject.walks !== undefined, guess };
  });
  // Those that are known complete are cheap, and say nothing of those that were never looked at.
  const alike = accounts.flatMap(({ isWalked, guess }) =>
    isWalked || guess.expected === null ? [] : [guess.expected],
  );
  const likely = alike.length >= ENOUGH ? alike.reduce((sum, n) => sum + n, 0) / alike.length : before;
  const other = limit === 1 ? ONE : capEstimate({ ...createOpenEstimate(1), expected: likely }, limit);
  return {
    known: accounts.map(({ guess }) => capEstimate({ ...guess, expected: guess.expected ?? likely }, limit)),
    other,
  };
}

/** One that was seen lately is taken for fresh, unless it takes long to come to it. */
function profileCosts(root: PlannedList, facts: PlanningFacts, now: number): AccountCosts {
  const oneAtMost = (likely: number): Estimate => ({ min: 0, expected: likely, max: 1 });
  const known = listStoredAccounts(root, facts, MAX_PROFILES_CHECKED).map((id) =>
    now - (facts.account({ id })?.profileAt ?? 0) <= PROFILE_MAX_AGE ? oneAtMost(0) : ONE,
  );
  return { known, other: oneAtMost(1) };
}

/** Accounts that are stored as part of the first crawl's list; of what an account wrote, it is the account. */
export function listStoredAccounts(
  { kind, account }: PlannedList,
  facts: PlanningFacts,
  most: number = MAX_PLANNED,
): string[] {
  if (account === undefined) return [];
  return kind.edgeSide ? facts.listMembers(kind.edgeSide, account.restId, most) : [account.restId];
}

/**
 * What so many accounts take. Which of the known ones are among them is not said: the cheapest at least, the dearest at
 * most. What is not known of the others counts in full, also to the upper bound.
 */
export function estimateRequests(accounts: Estimate, { known, other }: AccountCosts): Estimate {
  const upward = (a: number, b: number): number => a - b;
  const mean = known.reduce((sum, { expected }) => sum + open(expected), 0) / known.length;
  const leasts = known.map(({ min }) => min).toSorted(upward);
  const mosts = known
    .map(({ max }) => open(max))
    .toSorted(upward)
    .reverse();
  return {
    min: sumFor(accounts.min, leasts, other.min),
    expected: closed(sumFor(open(accounts.expected), Array<number>(known.length).fill(mean), open(other.expected))),
    max: closed(sumFor(open(accounts.max), mosts, open(other.max))),
  };
}

/** The first of them, and for each beyond them what any other one takes. */
function sumFor(accounts: number, each: readonly number[], other: number): number {
  const sum = each.slice(0, accounts).reduce((total, n) => total + n, 0);
  if (accounts === Infinity) return Infinity;
  return accounts > each.length ? sum + (accounts - each.length) * other : sum;
}

const open = (n: number | null): number => n ?? Infinity;
const closed = (n: number): number | null => (n === Infinity ? null : n);
