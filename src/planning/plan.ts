import { optionsOf } from '../kinds/crawl-spec.ts';
import { type Kind, type KindName, kindTable } from '../kinds/kinds.ts';
import type { PlanFacts } from '../store/plan-facts.ts';
import type { CrawlSpec, Guess } from '../store/schema/messages.ts';
import { atLeast, plus, rounded, sumOf } from './estimate.ts';
import type { Fact } from './list-items.ts';
import { ownRequests, subjectOf } from './own-requests.ts';
import { planRun } from './run-limit.ts';
import { planSnowball, type SnowballPlan } from './snowball.ts';

/**
 * What crawls will cost, by what is stored, without a request: what is known complete costs nothing but the page that
 * shows it. Failures, retries, renamed accounts and cursors that the service forgets are not planned.
 */

/** A fact that would make a plan narrower, and the crawl of one request that would show it, where there is one. */
export interface Missing {
  readonly fact: Fact;
  readonly spec: CrawlSpec;
  readonly probe: CrawlSpec | undefined;
}

export interface CrawlPlan {
  readonly spec: CrawlSpec;
  /** Of the crawl itself. */
  readonly own: Guess;
  /** With all that comes of it. */
  readonly requests: Guess;
  /** Accounts that a snowball reaches; undefined where it is none. */
  readonly accounts: Guess | undefined;
  /** The snowball, as if it were the only one of its run. */
  readonly snowball: SnowballPlan | undefined;
  /** The unfinished crawl that it goes on with. */
  readonly goesOn: number | undefined;
  readonly missing: readonly Missing[];
}

/** Plans the crawls of one run; the same thing named twice is one crawl. */
export function planCrawls(specs: readonly CrawlSpec[], facts: PlanFacts, now: number): CrawlPlan[] {
  const distinct = new Map(specs.map((spec) => [keyOf(spec), spec]));
  const plans = [...distinct.values()].map((spec) => planCrawl(spec, facts, now));
  const run = planRun(snowballsOf(plans));
  return plans.map((plan) => {
    if (plan.snowball === undefined) return plan;
    const { accounts, requests } = run.shareOf(plan.snowball);
    return { ...plan, accounts: rounded(accounts), requests: rounded(plus(plan.own, requests)) };
  });
}

/** The crawls to ask for, each with what it is planned to cost; each is planned when it is asked for. */
export function* withPlans(specs: Iterable<CrawlSpec>, facts: PlanFacts, now: number): Generator<CrawlSpec, void> {
  for (const spec of specs) yield { ...spec, plan: planCrawl(spec, facts, now).requests };
}

/** What makes a crawl the same as another one. */
export const keyOf = ({ kind, target, options }: CrawlSpec): string => JSON.stringify([kind, target, options]);

/** What the crawls of one run take together. */
export function requestsOf(plans: readonly CrawlPlan[]): Guess {
  const others = plans.map(({ snowball, own, requests }) => (snowball === undefined ? requests : own));
  return rounded(plus(sumOf(others), planRun(snowballsOf(plans)).total.requests));
}

const snowballsOf = (plans: readonly CrawlPlan[]): SnowballPlan[] =>
  plans.flatMap(({ snowball }) => (snowball === undefined ? [] : [snowball]));

export function planCrawl(spec: CrawlSpec, facts: PlanFacts, now: number): CrawlPlan {
  const subject = subjectOf(spec, facts);
  const missing = new Map<Fact, Missing>();
  const miss = (fact: Fact): void => void missing.set(fact, { fact, spec, probe: probeFor(fact, spec) });
  const own = ownRequests(subject, facts, now, miss);
  const { andThen, from } = optionsOf(spec);
  // How often a window is halved is what its pages will tell.
  if (from !== undefined) miss('halves');
  const snowball = from !== undefined || andThen === undefined ? undefined : planSnowball(subject, facts, now, miss);
  const halves = from === undefined ? [] : [atLeast(0)];
  return {
    ...{ spec, own, goesOn: facts.unfinished(spec)?.id },
    requests: rounded(sumOf([own, ...halves, ...(snowball === undefined ? [] : [snowball.requests])])),
    accounts: snowball?.accounts,
    snowball,
    missing: [...missing.values()],
  };
}

/** One request that shows a fact; it is a crawl like any other, so what it brings is stored and need not be asked again. */
function probeFor(fact: Fact, spec: CrawlSpec): CrawlSpec | undefined {
  if (fact === 'profile') return profileOf(spec);
  return fact === 'pageSize' || fact === 'isPaged' ? firstPage(spec) : undefined;
}

export const profileOf = (spec: CrawlSpec): CrawlSpec => ({ ...spec, kind: 'profile', options: '{}' });

export function firstPage(spec: CrawlSpec): CrawlSpec {
  const { limits } = kindTable[spec.kind as KindName] as Kind;
  return { ...spec, options: limits.includes('maxPages') ? '{"maxPages":1}' : '{}' };
}
