import type { Estimate } from '../kinds/crawl-spec.ts';
import { mapEstimate, sumEstimates, capEstimate } from './estimate.ts';
import { type AccountCosts, estimateRequests } from './per-account.ts';
import type { SnowballPlan } from './snowball.ts';

/** The accounts that snowballs reach together, and the requests that these take. */
type SnowballTotal = Pick<SnowballPlan, 'accounts' | 'requests'>;

interface RunPlan {
  /** What all snowballs of the run come to. */
  readonly total: SnowballTotal;
  /** What one of them is likely to get of the limit: as much of it as of what all of them would take. */
  shareOf(one: SnowballPlan): SnowballTotal;
}

/** Plans the snowballs of one run together: `maxTargets` limits the accounts of all of them. */
export function planRun(snowballs: readonly SnowballPlan[]): RunPlan {
  const groups = new Map([...groupBy(snowballs)].map(([maxTargets, members]) => [maxTargets, planGroup(members)]));
  const totals = [...groups.values()].map(({ total }) => total);
  return {
    total: {
      accounts: sumEstimates(totals.map((one) => one.accounts)),
      requests: sumEstimates(totals.map((one) => one.requests)),
    },
    shareOf: (one) => groups.get(one.maxTargets)!.shareOf(one),
  };
}

function groupBy(snowballs: readonly SnowballPlan[]): Map<number | undefined, SnowballPlan[]> {
  const groups = new Map<number | undefined, SnowballPlan[]>();
  for (const one of snowballs) {
    const members = groups.get(one.maxTargets);
    if (members) members.push(one);
    else groups.set(one.maxTargets, [one]);
  }
  return groups;
}

/** Snowballs with the same limit. */
function planGroup(members: readonly SnowballPlan[]): RunPlan {
  const sum: SnowballTotal = {
    accounts: sumEstimates(members.map(({ accounts }) => accounts)),
    requests: sumEstimates(members.map(({ requests }) => requests)),
  };
  const { maxTargets } = members[0]!;
  const isEnough = maxTargets === undefined || (sum.accounts.max ?? Infinity) <= maxTargets;
  if (isEnough || members.length === 1) return { total: sum, shareOf: (one) => one };
  const total = limitedTotal(members, sum.accounts, maxTargets);
  const share = (one: SnowballPlan, what: keyof SnowballTotal): Estimate => {
    const wanted = sum[what].expected;
    const mine = one[what].expected;
    const all = total[what].expected;
    const likely = wanted === null || mine === null || all === null ? null : wanted === 0 ? 0 : (all * mine) / wanted;
    // Others may use the limit up.
    return { min: 0, expected: likely, max: one[what].max };
  };
  return { total, shareOf: (one) => ({ accounts: share(one, 'accounts'), requests: share(one, 'requests') }) };
}

function limitedTotal(snowballs: readonly SnowballPlan[], sum: Estimate, maxTargets: number): SnowballTotal {
  // An account of several lists counts once.
  const least = snowballs.reduce((most, { accounts }) => Math.max(most, accounts.min), 0);
  const accounts = capEstimate({ ...sum, min: least }, maxTargets);
  const kinds = snowballs[0]!.costs.map((_, n) => pooled(snowballs.map(({ costs }) => costs[n]!)));
  return { accounts, requests: sumEstimates(kinds.map((costs) => estimateRequests(accounts, costs))) };
}

/** What crawls of a kind take, whichever of the lists an account comes from. */
function pooled(costs: readonly AccountCosts[]): AccountCosts {
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
