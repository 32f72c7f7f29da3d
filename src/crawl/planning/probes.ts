import type { CrawlSpec } from '../../service/kinds/crawl-spec.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import { parseAccount } from '../../service/kinds/target.ts';
import type { PlanFact } from './list-items.ts';
import { type CrawlPlan, createFirstPageSpec, buildCrawlKey, createProfileSpec } from './plan.ts';

/** The maximum number of requests of the probes of a list: its profile and a page. */
const REQUESTS_PER_LIST = 2;

/**
 * Chooses crawls of one request that show most missing facts. First pages of lists come first: they show the page size, new
 * items, and all of a short list. A profile is requested only if the account is unknown, or if the page did not show the
 * length of the list.
 *
 * @param probed the keys of earlier probes.
 */
export function chooseProbes(plans: readonly CrawlPlan[], probed: ReadonlySet<string>): CrawlSpec[] {
  const isNew = (spec: CrawlSpec): boolean => !probed.has(buildCrawlKey(spec));
  const lacks = ({ missing }: CrawlPlan, ...names: PlanFact[]): boolean =>
    missing.some(({ fact }) => names.includes(fact));
  const longestFirst = plans.toSorted((a, b) => (b.requests.max ?? 0) - (a.requests.max ?? 0));
  const reachable = longestFirst.filter(({ spec, isAccountKnown }) => {
    const { targetType, shape } = getKind(spec.kind);
    const needsAccount = targetType === 'account' && 'handle' in parseAccount(spec.target);
    return shape !== 'object' && (!needsAccount || isAccountKnown);
  });
  // The length of a list needs a page of that list; the page size of a kind needs one page of any list.
  const pages = reachable.filter((plan) => lacks(plan, 'profile') && isNew(createFirstPageSpec(plan.spec)));
  const kinds = new Set(pages.map(({ spec }) => spec.kind));
  for (const plan of reachable) {
    if (kinds.has(plan.spec.kind) || !lacks(plan, 'pageSize', 'isPaged') || !isNew(createFirstPageSpec(plan.spec)))
      continue;
    kinds.add(plan.spec.kind);
    pages.push(plan);
  }
  if (pages.length > 0) return pages.map(({ spec }) => createFirstPageSpec(spec));
  const profiles = longestFirst.filter((plan) => lacks(plan, 'profile')).map(({ spec }) => createProfileSpec(spec));
  return [...new Map(profiles.map((spec) => [buildCrawlKey(spec), spec])).values()].filter(isNew);
}

/**
 * Returns the maximum number of requests of all probes: two for each list without a profile, whether its page or its profile
 * is probed first, and for the next list that may show the page size. Not counted are further ones, if that list is shorter.
 *
 * @param probed the keys of earlier probes.
 */
export function countProbeRequests(plans: readonly CrawlPlan[], probed: ReadonlySet<string>): number {
  const profiles = plans
    .filter(({ missing }) => missing.some(({ fact }) => fact === 'profile'))
    .map(({ spec }) => createProfileSpec(spec))
    .filter((spec) => !probed.has(buildCrawlKey(spec)));
  const targets = [...chooseProbes(plans, probed), ...profiles].map(({ target }) => target);
  return REQUESTS_PER_LIST * new Set(targets).size;
}
