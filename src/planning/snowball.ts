import { parseCrawlOptions, type Estimate } from '../kinds/crawl-spec.ts';
import { getKind } from '../kinds/kinds.ts';
import type { PlanningFacts } from '../store/schema/planning-facts.ts';
import { createOpenEstimate, ONE, addEstimates, sumEstimates, multiplyEstimates, capEstimate } from './estimate.ts';
import { estimateItems, type ReportMissing, type PlannedList } from './list-items.ts';
import { type AccountCosts, estimateAccountCosts, listStoredAccounts, estimateRequests } from './per-account.ts';

/** The accounts that a snowball reaches, and the requests that it takes beside its first crawl. */
export interface SnowballPlan {
  readonly accounts: Estimate;
  readonly requests: Estimate;
  /** Of each kind of crawl; none where nothing limits the run. */
  readonly costs: readonly AccountCosts[];
  /** How many accounts all snowballs of the run may reach together. */
  readonly maxTargets: number | undefined;
}

export function planSnowball(root: PlannedList, facts: PlanningFacts, now: number, miss: ReportMissing): SnowballPlan {
  const { andThen = [], depth = 1, maxTargets, thenMaxPages } = parseCrawlOptions(root.spec);
  const kinds = andThen;
  const known = listStoredAccounts(root, facts);
  const leading = kinds.filter((kind) => getKind(kind).discoversAccounts);
  const costs = kinds.map((kind) => estimateAccountCosts(kind, root, facts, now));
  const ofOthers = sumEstimates(costs.map(({ other }) => other));
  let generation = capEstimate(firstGeneration(root, facts, miss), maxTargets);
  let accounts = generation;
  let requests = sumEstimates(costs.map((cost) => estimateRequests(generation, cost)));
  for (let n = 2; n <= depth && leading.length > 0; n++) {
    if (maxTargets !== undefined && accounts.min >= maxTargets) break;
    miss('overlap');
    const lists = sumEstimates(leading.map((kind) => listOf(kind, known, thenMaxPages, facts)));
    const found = { ...multiplyEstimates(generation, lists), min: 0 };
    const before = accounts;
    accounts = capEstimate(addEstimates(accounts, found), maxTargets);
    generation = {
      min: 0,
      expected: accounts.expected === null || before.expected === null ? null : accounts.expected - before.expected,
      max: accounts.max,
    };
    requests = addEstimates(requests, multiplyEstimates(generation, ofOthers));
  }
  if (requests.expected === null && ofOthers.expected === null) miss('children');
  return { accounts, requests, costs: maxTargets === undefined ? [] : costs, maxTargets };
}

function firstGeneration(root: PlannedList, facts: PlanningFacts, miss: ReportMissing): Estimate {
  const { spec, kind } = root;
  // Whoever crawls what an account wrote is led to the account.
  if (kind.targetType === 'account' && !kind.discoversAccounts) return ONE;
  const { maxPages } = parseCrawlOptions(spec);
  const seen = facts.kindStatistics(spec.kind);
  const size = seen && seen.fullPages > 0 ? seen.fullItems / seen.fullPages : undefined;
  const items = estimateItems(root, facts, miss);
  if (maxPages === undefined) return kind.discoversAccounts ? items : { ...items, min: 0 };
  return size === undefined
    ? { min: 0, expected: null, max: items.max }
    : capEstimate(items, Math.floor(maxPages * size));
}

/** How many accounts the list of one of the accounts leads to. */
function listOf(kind: string, known: readonly string[], maxPages: number | undefined, facts: PlanningFacts): Estimate {
  const seen = facts.kindStatistics(kind);
  const most =
    maxPages === undefined || !seen || seen.fullPages === 0 ? undefined : (maxPages * seen.fullItems) / seen.fullPages;
  const column = getKind(kind).countColumn;
  const counts = known.flatMap((id) => {
    const account = facts.account({ id });
    const count = column === undefined ? null : account?.[column as keyof typeof account];
    return typeof count === 'number' ? [Math.min(count, most ?? count)] : [];
  });
  if (counts.length === 0) return createOpenEstimate(0);
  const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  return { min: 0, expected: mean, max: most ?? null };
}
