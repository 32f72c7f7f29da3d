import { endpointTable } from '../contract/endpoints.ts';
import { type Kind, type KindName, kindTable } from '../kinds/kinds.ts';
import { accountOf } from '../kinds/target.ts';
import type { CrawlSpec } from '../store/schema/messages.ts';
import type { Fact } from './list-items.ts';
import { type CrawlPlan, firstPage, keyOf, profileOf } from './plan.ts';

/**
 * The crawls of one request that show most of what is missing. First pages of the lists themselves come first: they
 * show the page size, what is new, and all of a short list. A profile is asked for only where no page can be, since nothing
 * is known of the account, or where its page did not show how long the list is.
 *
 * @param asked what was probed before, by its key.
 */
export function nextProbes(
  plans: readonly CrawlPlan[],
  options: { readonly asked: ReadonlySet<string>; readonly isKnown: (handle: string) => boolean },
): CrawlSpec[] {
  const { asked, isKnown } = options;
  const isNew = (spec: CrawlSpec): boolean => !asked.has(keyOf(spec));
  const lacks = ({ missing }: CrawlPlan, ...facts: Fact[]): boolean => missing.some(({ fact }) => facts.includes(fact));
  const longestFirst = plans.toSorted((a, b) => (b.requests.most ?? 0) - (a.requests.most ?? 0));
  const reachable = longestFirst.filter(({ spec }) => {
    const { target, endpoint } = kindTable[spec.kind as KindName] as Kind;
    const account = target === 'account' ? accountOf(spec.target) : undefined;
    const isList = endpointTable[endpoint].layout !== undefined;
    return isList && (account === undefined || 'id' in account || isKnown(account.handle));
  });
  // Each list whose length is not known shows its own. A page size is that of the kind, and one page shows it.
  const pages = reachable.filter((plan) => lacks(plan, 'profile') && isNew(firstPage(plan.spec)));
  const seen = new Set(pages.map(({ spec }) => spec.kind));
  for (const plan of reachable) {
    if (seen.has(plan.spec.kind) || !lacks(plan, 'pageSize', 'isPaged') || !isNew(firstPage(plan.spec))) continue;
    seen.add(plan.spec.kind);
    pages.push(plan);
  }
  if (pages.length > 0) return pages.map(({ spec }) => firstPage(spec));
  const profiles = longestFirst.filter((plan) => lacks(plan, 'profile')).map(({ spec }) => profileOf(spec));
  return [...new Map(profiles.map((spec) => [keyOf(spec), spec])).values()].filter(isNew);
}
