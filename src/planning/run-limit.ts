import type { Estimate } from '../kinds/crawl-spec.ts';
import { mapEstimate, sumEstimates, capEstimate } from './estimate.ts';
import { type AccountCosts, estimateRequests } from './per-account.ts';
import type { SnowballPlan } from './snowball.ts';

/** The accounts that snowballs reach together, and their requests. */
type SnowballTotal = Pick<SnowballPlan, 'accounts' | 'requests'>;

interface RunPlan {
  readonly total: SnowballTotal;
  /** The expected share of one snowball in the limit: in proportion to its plan. */
  shareOf(one: SnowballPlan): SnowballTotal;
}

/** Plans the snowballs of one run together: `maxTargets` limits the accounts of all of them. */
export function planRun(snowballs: readonly SnowballPlan[]): RunPlan {
  const limits = new Set(snowballs.map(({ maxTargets }) => maxTargets));
  const groups = new Map(
    [...limits].map((limit) => [limit, planGroup(snowballs.filter(({ maxTargets }) => maxTargets === limit))]),
  );
  return {
    total: sumTotals([...groups.values()].map(({ total }) => total)),
    shareOf: (one) => groups.get(one.maxTargets)!.shareOf(one),
  };
}

const sumTotals = (totals: readonly SnowballTotal[]): SnowballTotal => ({
  accounts: sumEstimates(totals.map(({ accounts }) => accounts)),
  requests: sumEstimates(totals.map(({ requests }) => requests)),
});

/** Plans snowballs with the same limit. */
function planGroup(members: readonly SnowballPlan[]): RunPlan {
  const sum = sumTotals(members);
  const { maxTargets } = members[0]!;
  const isEnough = maxTargets === undefined || (sum.accounts.max ?? Infinity) <= maxTargets;
  if (isEnough || members.length === 1) return { total: sum, shareOf: (one) => one };
  const total = estimateLimitedTotal(members, sum.accounts, maxTargets);
  const share = (one: SnowballPlan, what: keyof SnowballTotal): Estimate => {
    const wanted = sum[what].expected;
    const mine = one[what].expected;
    const all = total[what].expected;
    const isUnknown = wanted === null || mine === null || all === null;
    // The other snowballs may use the whole limit.
    return { min: 0, expected: isUnknown ? null : wanted === 0 ? 0 : (all * mine) / wanted, max: one[what].max };
  };
  return { total, shareOf: (one) => ({ accounts: share(one, 'accounts'), requests: share(one, 'requests') }) };
}

function estimateLimitedTotal(snowballs: readonly SnowballPlan[], sum: Estimate, maxTargets: number): SnowballTotal {
  // An account of several lists counts once.
  const least = snowballs.reduce((most, { accounts }) => Math.max(most, accounts.min), 0);
  const accounts = capEstimate({ ...sum, min: least }, maxTargets);
  const kinds = snowballs[0]!.costs.map((_, n) => mergeCosts(snowballs.map(({ costs }) => costs[n]!)));
  return { accounts, requests: sumEstimates(kinds.map((costs) => estimateRequests(accounts, costs))) };
}

/** The costs of child crawls of a kind for the accounts of all lists. */
function mergeCosts(costs: readonly AccountCosts[]): AccountCosts {
  const others = costs.map(({ other }) => other);
  const most = others.reduce((max, one) => Math.max(max, one.max ?? Infinity), 0);
  return {
    known: costs.flatMap(({ known }) => known),
    other: {
      min: others.reduce((least, { min }) => Math.min(least, min), Infinity),
      expected: mapEstimate(sumEstimates(others), (n) => n / others.length).expected,
      max: most === Infinity ? null : most,
    },
  };
}
