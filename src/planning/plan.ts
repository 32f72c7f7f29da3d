import { parseCrawlOptions } from '../kinds/crawl-spec.ts';
import { type Kind, type KindName, kindTable } from '../kinds/kinds.ts';
import type { PlanFacts } from '../store/plan-facts.ts';
import type { CrawlSpec, Estimate } from '../store/schema/messages.ts';
import { createOpenEstimate, addEstimates, roundEstimate, sumEstimates } from './estimate.ts';
import type { PlanFact } from './list-items.ts';
import { estimateOwnRequests, loadPlannedList } from './own-requests.ts';
import { planRun } from './run-limit.ts';
import { planSnowball, type SnowballPlan } from './snowball.ts';

/**
 * What crawls will cost, by what is stored, without a request: what is known complete costs nothing but the page that
 * shows it. Failures, retries, renamed accounts and cursors that the service forgets are not planned.
 */

/** A fact that would make a plan narrower, and the crawl of one request that would show it, where there is one. */
export interface MissingFact {
  readonly fact: PlanFact;
  readonly spec: CrawlSpec;
  readonly probe: CrawlSpec | undefined;
}

export interface CrawlPlan {
  readonly spec: CrawlSpec;
  /** Of the crawl itself. */
  readonly ownRequests: Estimate;
  /** With all that comes of it. */
  readonly requests: Estimate;
  /** Accounts that a snowball reaches; undefined where it is none. */
  readonly accounts: Estimate | undefined;
  /** The snowball, as if it were the only one of its run. */
  readonly snowball: SnowballPlan | undefined;
  /** The unfinished crawl that it goes on with. */
  readonly resumedCrawlId: number | undefined;
  readonly missing: readonly MissingFact[];
}

/** Plans the crawls of one run; the same thing named twice is one crawl. */
export function planCrawls(specs: readonly CrawlSpec[], facts: PlanFacts, now: number): CrawlPlan[] {
  const distinct = new Map(specs.map((spec) => [buildCrawlKey(spec), spec]));
  const plans = [...distinct.values()].map((spec) => planCrawl(spec, facts, now));
  const run = planRun(snowballsOf(plans));
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

/** The crawls to ask for, each with what it is planned to cost; each is planned when it is asked for. */
export function* addPlans(specs: Iterable<CrawlSpec>, facts: PlanFacts, now: number): Generator<CrawlSpec, void> {
  for (const spec of specs) yield { ...spec, plan: planCrawl(spec, facts, now).requests };
}

/** What makes a crawl the same as another one. */
export const buildCrawlKey = ({ kind, target, options }: CrawlSpec): string => JSON.stringify([kind, target, options]);

/** What the crawls of one run take together. */
export function sumRequests(plans: readonly CrawlPlan[]): Estimate {
  const others = plans.map(({ snowball, ownRequests, requests }) => (snowball === undefined ? requests : ownRequests));
  return roundEstimate(addEstimates(sumEstimates(others), planRun(snowballsOf(plans)).total.requests));
}

const snowballsOf = (plans: readonly CrawlPlan[]): SnowballPlan[] =>
  plans.flatMap(({ snowball }) => (snowball === undefined ? [] : [snowball]));

export function planCrawl(spec: CrawlSpec, facts: PlanFacts, now: number): CrawlPlan {
  const subject = loadPlannedList(spec, facts);
  const missing = new Map<PlanFact, MissingFact>();
  const miss = (fact: PlanFact): void => void missing.set(fact, { fact, spec, probe: probeFor(fact, spec) });
  const own = estimateOwnRequests(subject, facts, now, miss);
  const { andThen, from } = parseCrawlOptions(spec);
  // How often a window is halved is what its pages will tell.
  if (from !== undefined) miss('halves');
  const snowball = from !== undefined || andThen === undefined ? undefined : planSnowball(subject, facts, now, miss);
  const halves = from === undefined ? [] : [createOpenEstimate(0)];
  return {
    ...{ spec, ownRequests: own, resumedCrawlId: facts.unfinished(spec)?.id },
    requests: roundEstimate(sumEstimates([own, ...halves, ...(snowball === undefined ? [] : [snowball.requests])])),
    accounts: snowball?.accounts,
    snowball,
    missing: [...missing.values()],
  };
}

/** One request that shows a fact; it is a crawl like any other, so what it brings is stored and need not be asked again. */
function probeFor(fact: PlanFact, spec: CrawlSpec): CrawlSpec | undefined {
  if (fact === 'profile') return createProfileSpec(spec);
  return fact === 'pageSize' || fact === 'isPaged' ? createFirstPageSpec(spec) : undefined;
}

export const createProfileSpec = (spec: CrawlSpec): CrawlSpec => ({ ...spec, kind: 'profile', options: '{}' });

export function createFirstPageSpec(spec: CrawlSpec): CrawlSpec {
  const { supportedOptions } = kindTable[spec.kind as KindName] as Kind;
  return { ...spec, options: supportedOptions.includes('maxPages') ? '{"maxPages":1}' : '{}' };
}
