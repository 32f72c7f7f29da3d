import type { Estimate } from '../../service/kinds/crawl-spec.ts';
import { capEstimate, multiplyEstimates, sumEstimates } from './estimate.ts';
import type { SnowballPlan } from './snowball.ts';

/** The accounts that snowballs reach together, and their requests. */
type SnowballTotal = Pick<SnowballPlan, 'accounts' | 'requests'>;

interface RunPlan {
  readonly total: SnowballTotal;
  /** The expected share of one snowball in the limit: in proportion to its plan. */
  shareOf(one: SnowballPlan): SnowballTotal;
}

/** Plans the snowballs of one run together: `maxTargets`, which is the same for all, limits the accounts of all of them. */
export function planRun(snowballs: readonly SnowballPlan[]): RunPlan {
  const sum: SnowballTotal = {
    accounts: sumEstimates(snowballs.map(({ accounts }) => accounts)),
    requests: sumEstimates(snowballs.map(({ requests }) => requests)),
  };
  const [first] = snowballs;
  const isEnough = first?.maxTargets === undefined || (sum.accounts.max ?? Infinity) <= first.maxTargets;
  if (isEnough || snowballs.length === 1) return { total: sum, shareOf: (one) => one };
  // An account of several lists counts once.
  const least = snowballs.reduce((most, { accounts }) => Math.max(most, accounts.min), 0);
  const accounts = capEstimate({ ...sum.accounts, min: least }, first.maxTargets);
  const total = { accounts, requests: multiplyEstimates(accounts, first.costOfAccount) };
  const share = (one: SnowballPlan, what: keyof SnowballTotal): Estimate => {
    const [wanted, mine, all] = [sum[what].expected, one[what].expected, total[what].expected];
    const isUnknown = wanted === null || mine === null || all === null;
    // The other snowballs may use the whole limit.
    return { min: 0, expected: isUnknown ? null : wanted === 0 ? 0 : (all * mine) / wanted, max: one[what].max };
  };
  return { total, shareOf: (one) => ({ accounts: share(one, 'accounts'), requests: share(one, 'requests') }) };
}
