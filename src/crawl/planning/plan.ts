import type { CrawlSpec, Estimate } from '#service/kinds/crawl-spec.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { PlanningFacts } from '#store/schema/planning-facts.ts';
import {
  createOpenEstimate,
  addEstimates,
  roundEstimate,
  sumEstimates,
  computeMean,
  ONE,
  multiplyEstimates,
  capEstimate,
} from './estimate.ts';
import {
  loadPlannedList,
  type PlanFact,
  estimateOwnRequests,
  computePageSize,
  estimateItems,
  type PlannedList,
} from './list-items.ts';
import { estimateAccountCost } from './per-account.ts';

/**
 * Estimates the requests of crawls from the store, without a request. A covered interval costs only the page that reaches
 * it. Failures, retries, renamed accounts and stale cursors are not planned.
 */

/** A fact that would narrow a plan. */
export interface MissingFact {
  readonly fact: PlanFact;
  readonly spec: CrawlSpec;
}

export type CrawlPlan = Awaited<ReturnType<typeof planCrawl>>;

/**
 * Plans the crawls of one run. Equal specs are one crawl.
 *
 * @param onPlanned called with the number of planned crawls after each.
 */
export async function planCrawls(
  specs: readonly CrawlSpec[],
  facts: PlanningFacts,
  now: number,
  onPlanned?: (count: number) => Promise<void> | void,
): Promise<CrawlPlan[]> {
  const distinct = new Map(specs.map((spec) => [buildCrawlKey(spec), spec]));
  const plans: CrawlPlan[] = [];
  for await (const plan of planEach(distinct.values(), facts, now)) {
    plans.push(plan);
    await onPlanned?.(plans.length);
  }
  const run = planRun(plans.flatMap(({ snowball }) => snowball ?? []));
  return plans.map((plan) => {
    if (plan.snowball === undefined) return plan;
    const { accounts, requests } = run.shareOf(plan.snowball);
    return {
      ...plan,
      accounts: roundEstimate(accounts),
      requests: roundEstimate(addEstimates(plan.ownRequests, requests)),
    };
  });
}

/** Adds its estimate to each spec. */
export async function addPlans(specs: readonly CrawlSpec[], facts: PlanningFacts, now: number): Promise<CrawlSpec[]> {
  const planned: CrawlSpec[] = [];
  for await (const { spec, requests } of planEach(specs, facts, now)) planned.push({ ...spec, plan: requests });
  return planned;
}

/** The identity of a crawl as text. */
export const buildCrawlKey = ({ kind, target, options }: CrawlSpec): string => JSON.stringify([kind, target, options]);

/** All crawls of one run together. */
export interface PlanTotals {
  readonly crawls: number;
  readonly requests: Estimate;
  /** The requests of the longest crawl, which are sequential. */
  readonly longest: number;
  /** Whether crawls create child crawls, so that more than the named ones are concurrent. */
  readonly hasChildren: boolean;
}

/** Sums the plans of one run, without keeping them. */
export async function sumPlans(plans: Iterable<CrawlPlan> | AsyncIterable<CrawlPlan>): Promise<PlanTotals> {
  let [crawls, longest, others] = [0, 0, sumEstimates([])];
  const snowballs: SnowballPlan[] = [];
  for await (const { snowball, ownRequests, requests } of plans) {
    crawls += 1;
    longest = Math.max(longest, ownRequests.expected ?? ownRequests.min);
    others = addEstimates(others, snowball === undefined ? requests : ownRequests);
    if (snowball !== undefined) snowballs.push(snowball);
  }
  const requests = roundEstimate(addEstimates(others, planRun(snowballs).total.requests));
  return { crawls, requests, longest, hasChildren: snowballs.length > 0 };
}

/** Plans crawls one by one. */
export async function* planEach(
  specs: Iterable<CrawlSpec>,
  facts: PlanningFacts,
  now: number,
): AsyncGenerator<CrawlPlan, void> {
  for (const spec of specs) yield await planCrawl(spec, facts, now);
}

/** Plans one crawl, as if it were the only one of its run. */
export async function planCrawl(spec: CrawlSpec, facts: PlanningFacts, now: number) {
  const missing = new Map<PlanFact, MissingFact>();
  const reportMissing = (fact: PlanFact): void => void missing.set(fact, { fact, spec });
  const list = await loadPlannedList(spec, { facts, now, reportMissing });
  const ownRequests = estimateOwnRequests(list);
  const { then, from } = list.options;
  // The number of bisections is known only from the pages.
  if (from !== undefined) reportMissing('halves');
  const snowball = from !== undefined || then === undefined ? undefined : await planSnowball(list);
  const children = from === undefined ? (snowball?.requests ?? []) : createOpenEstimate(0);
  return {
    spec,
    /** Requests of the crawl itself. */
    ownRequests,
    /** Requests including child crawls. */
    requests: roundEstimate(sumEstimates([ownRequests].concat(children))),
    snowball,
    /** Accounts that a snowball reaches; undefined for other crawls. */
    accounts: snowball?.accounts,
    /** The unfinished crawl that it joins. */
    resumedCrawlId: list.unfinished?.id,
    missing: [...missing.values()],
  };
}

/** The accounts that a snowball reaches, and the requests of its child crawls. */
interface SnowballPlan {
  readonly accounts: Estimate;
  readonly requests: Estimate;
  /** The requests of all child crawls of an account. */
  readonly costOfAccount: Estimate;
  /** The maximum number of accounts of all snowballs of the run. */
  readonly maxTargets: number | undefined;
}

/** The maximum number of stored accounts of a list whose counts are read. */
const MOST_MEMBERS = 200;

async function planSnowball(root: PlannedList): Promise<SnowballPlan> {
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
function planRun(snowballs: readonly SnowballPlan[]): RunPlan {
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
