import { createCrawlSpec, type Estimate } from '../kinds/crawl-spec.ts';
import { getKind, PROFILE_MAX_AGE } from '../kinds/kinds.ts';
import type { ListMember } from '../store/schema/planning-facts.ts';
import { computeMean, createOpenEstimate, ONE, capEstimate } from './estimate.ts';
import { loadPlannedList, type PlannedList } from './list-items.ts';
import { estimateOwnRequests } from './list-pages.ts';

/** The requests of child crawls of a kind: of each account that is known to be in the list, and of any other account. */
export interface AccountCosts {
  readonly known: readonly Estimate[];
  readonly other: Estimate;
}

/** The maximum number of stored accounts of a list that are planned one by one. */
const MAX_PLANNED = 200;
/** The maximum number of accounts whose profile age is checked. */
const MAX_PROFILES_CHECKED = 10_000;
/** The minimum number of accounts from which the cost of others is estimated. */
const ENOUGH = 10;

/** Estimates the requests of child crawls of a kind for the accounts of a list. */
export async function estimateAccountCosts(kind: string, root: PlannedList): Promise<AccountCosts> {
  const { isSkippedIfFresh, supportedOptions } = getKind(kind);
  if (isSkippedIfFresh) return await estimateProfileCosts(root);
  const { spec, facts } = root;
  const limit = supportedOptions.includes('maxPages') ? root.options.thenMaxPages : undefined;
  const statistics = await facts.kindStatistics(kind);
  const mean = statistics && statistics.crawls > 0 ? statistics.requests / statistics.crawls : null;
  const options = limit === undefined ? {} : { maxPages: limit };
  const members = await listStoredAccounts(root, MAX_PLANNED);
  const lists = await Promise.all(
    members.map(async ({ restId }) => {
      const child = createCrawlSpec({ kind, target: `id:${restId}`, options, priority: spec.priority });
      return await loadPlannedList(child, { facts, now: root.now, reportMissing: () => undefined });
    }),
  );
  const estimates = lists.map(estimateOwnRequests);
  // Accounts that were crawled before are cheap, and are no sample of the others.
  const alike = estimates.flatMap((one, i) => (lists[i]!.earlier ? [] : (one.expected ?? [])));
  const expected = alike.length >= ENOUGH ? computeMean(alike) : mean;
  return {
    known: estimates.map((one) => capEstimate({ ...one, expected: one.expected ?? expected }, limit)),
    other: limit === 1 ? ONE : capEstimate({ ...createOpenEstimate(1), expected }, limit),
  };
}

/** A profile that is fresh now is expected to be still fresh when its crawl starts. */
async function estimateProfileCosts(root: PlannedList): Promise<AccountCosts> {
  const oneAtMost = (expected: number): Estimate => ({ min: 0, expected, max: 1 });
  const members = await listStoredAccounts(root, MAX_PROFILES_CHECKED);
  const known = members.map(({ profileAt }) => (root.now - (profileAt ?? 0) <= PROFILE_MAX_AGE ? oneAtMost(0) : ONE));
  return { known, other: oneAtMost(1) };
}

/** The stored accounts that the crawl discovers: members of its list, or the author of its tweets. */
export async function listStoredAccounts(
  { kind, account, facts }: PlannedList,
  most = MAX_PLANNED,
): Promise<readonly ListMember[]> {
  if (account === undefined) return [];
  return kind.edgeSide ? await facts.listMembers(kind.edgeSide, account.restId, most) : [account];
}

/**
 * Estimates the requests for a number of accounts. It is unknown which of the known accounts are among them: at least the
 * cheapest, at most the most expensive.
 */
export function estimateRequests(accounts: Estimate, { known, other }: AccountCosts): Estimate {
  const mean = computeMean(known.map(({ expected }) => open(expected)));
  const leasts = known.map(({ min }) => min).toSorted((a, b) => a - b);
  const mosts = known.map(({ max }) => open(max)).toSorted((a, b) => (a === b ? 0 : b - a));
  const means = Array<number>(known.length).fill(mean);
  return {
    min: sumFirst(accounts.min, leasts, other.min),
    expected: closed(sumFirst(open(accounts.expected), means, open(other.expected))),
    max: closed(sumFirst(open(accounts.max), mosts, open(other.max))),
  };
}

/** Sums the costs of the first accounts; those beyond the list cost `other` each. */
function sumFirst(accounts: number, each: readonly number[], other: number): number {
  if (accounts === Infinity) return Infinity;
  const sum = each.slice(0, accounts).reduce((total, n) => total + n, 0);
  return accounts > each.length ? sum + (accounts - each.length) * other : sum;
}

const open = (n: number | null): number => n ?? Infinity;
const closed = (n: number): number | null => (n === Infinity ? null : n);
