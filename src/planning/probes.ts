import type { CrawlSpec } from '../kinds/crawl-spec.ts';
import { getKind } from '../kinds/kinds.ts';
import { parseAccount } from '../kinds/target.ts';
import type { PlanFact } from './list-items.ts';
import { type CrawlPlan, createFirstPageSpec, buildCrawlKey, createProfileSpec } from './plan.ts';

/**
 * The crawls of one request that show most of what is missing. First pages of the lists themselves come first: they
 * show the page size, what is new, and all of a short list. A profile is asked for only where no page can be, since nothing
 * is known of the account, or where its page did not show how long the list is.
 *
 * @param asked what was probed before, by its key.
 */
export function chooseProbes(
  plans: readonly CrawlPlan[],
  options: { readonly asked: ReadonlySet<string>; readonly isKnown: (handle: string) => boolean },
): CrawlSpec[] {
  const { asked, isKnown } = options;
  const isNew = (spec: CrawlSpec): boolean => !asked.has(buildCrawlKey(spec));
  const lacks = ({ missing }: CrawlPlan, ...facts: PlanFact[]): boolean =>
    missing.some(({ fact }) => facts.includes(fact));
  const longestFirst = plans.toSorted((a, b) => (b.requests.max ?? 0) - (a.requests.max ?? 0));
  const reachable = longestFirst.filter(({ spec }) => {
    const { targetType, shape } = getKind(spec.kind);
    const account = targetType === 'account' ? parseAccount(spec.target) : undefined;
    return shape !== 'object' && (account === undefined || 'id' in account || isKnown(account.handle));
  });
  // Each list whose length is not known shows its own. A page size is that of the kind, and one page shows it.
  const pages = reachable.filter((plan) => lacks(plan, 'profile') && isNew(createFirstPageSpec(plan.spec)));
  const seen = new Set(pages.map(({ spec }) => spec.kind));
  for (const plan of reachable) {
    if (seen.has(plan.spec.kind) || !lacks(plan, 'pageSize', 'isPaged') || !isNew(createFirstPageSpec(plan.spec)))
      continue;
    seen.add(plan.spec.kind);
    pages.push(plan);
  }
  if (pages.length > 0) return pages.map(({ spec }) => createFirstPageSpec(spec));
  const profiles = longestFirst.filter((plan) => lacks(plan, 'profile')).map(({ spec }) => createProfileSpec(spec));
  return [...new Map(profiles.map((spec) => [buildCrawlKey(spec), spec])).values()].filter(isNew);
}
