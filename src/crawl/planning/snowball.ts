import type { Estimate } from '../../service/kinds/crawl-spec.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import {
  computeMean,
  createOpenEstimate,
  ONE,
  addEstimates,
  sumEstimates,
  multiplyEstimates,
  capEstimate,
} from './estimate.ts';
import { computePageSize, estimateItems, type PlannedList } from './list-items.ts';
import { estimateAccountCost } from './per-account.ts';

/** The accounts that a snowball reaches, and the requests of its child crawls. */
export interface SnowballPlan {
  readonly accounts: Estimate;
  readonly requests: Estimate;
  /** The requests of all child crawls of an account. */
  readonly costOfAccount: Estimate;
  /** The maximum number of accounts of all snowballs of the run. */
  readonly maxTargets: number | undefined;
}

/** The maximum number of stored accounts of a list whose counts are read. */
const MOST_MEMBERS = 200;

export async function planSnowball(root: PlannedList): Promise<SnowballPlan> {
  const { then: kinds = [], depth = 1, maxTargets } = root.options;
  const discovering = kinds.filter((kind) => getKind(kind).discoversAccounts);
  const costOfAccount = sumEstimates(await Promise.all(kinds.map((kind) => estimateAccountCost(kind, root))));
  let generation = capEstimate(estimateFirstGeneration(root), maxTargets);
  let accounts = generation;
  let requests = multiplyEstimates(generation, costOfAccount);
  for (let n = 2; n <= depth && discovering.length > 0; n++) {
    if (maxTargets !== undefined && accounts.min >= maxTargets) break;
    root.reportMissing('overlap');
    const lists = sumEstimates(await Promise.all(discovering.map((kind) => estimateListLength(kind, root))));
    const found = { ...multiplyEstimates(generation, lists), min: 0 };
    const before = accounts.expected;
    accounts = capEstimate(addEstimates(accounts, found), maxTargets);
    const { expected, max } = accounts;
    generation = { min: 0, expected: expected === null || before === null ? null : expected - before, max };
    requests = addEstimates(requests, multiplyEstimates(generation, costOfAccount));
  }
  if (requests.expected === null && costOfAccount.expected === null) root.reportMissing('children');
  return { accounts, requests, costOfAccount, maxTargets };
}

/** Estimates the accounts that the first crawl discovers. */
function estimateFirstGeneration(root: PlannedList): Estimate {
  const { kind, options, statistics } = root;
  // The tweets of an account lead to that account only.
  if (kind.targetType === 'account' && !kind.discoversAccounts) return ONE;
  const items = estimateItems(root);
  if (options.maxPages === undefined) return kind.discoversAccounts ? items : { ...items, min: 0 };
  const size = computePageSize(statistics);
  return size === undefined
    ? { min: 0, expected: null, max: items.max }
    : capEstimate(items, Math.floor(options.maxPages * size));
}

/** Estimates the accounts in the list of a discovered account, by the counts of known ones. */
async function estimateListLength(kind: string, root: PlannedList): Promise<Estimate> {
  const { facts, options } = root;
  const size = computePageSize(await facts.kindStatistics(kind));
  const most = options.thenMaxPages === undefined || size === undefined ? undefined : options.thenMaxPages * size;
  const { countColumn } = getKind(kind);
  const { edgeSide } = root.kind;
  const members = edgeSide && root.account ? await facts.listMembers(edgeSide, root.account.restId, MOST_MEMBERS) : [];
  const accounts = await Promise.all(members.map((restId) => facts.account({ id: restId })));
  const counts = accounts.flatMap((account) => {
    const count = countColumn && account?.[countColumn];
    return count == null ? [] : [Math.min(count, most ?? count)];
  });
  return counts.length === 0 ? createOpenEstimate(0) : { min: 0, expected: computeMean(counts), max: most ?? null };
}

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
