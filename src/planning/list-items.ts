import type { CrawlSpec, Estimate } from '../kinds/crawl-spec.ts';
import type { Kind } from '../kinds/kinds.ts';
import type { LatestCrawls, PlanningFacts } from '../store/schema/planning-facts.ts';
import type { StoredUser } from '../store/schema/query-results.ts';
import { createOpenEstimate, mapEstimate, createExactEstimate } from './estimate.ts';

/** A list to be planned: what is asked for, and what the store knows of it. */
export interface PlannedList {
  readonly spec: CrawlSpec;
  readonly kind: Kind;
  readonly account: StoredUser | undefined;
  readonly walks: LatestCrawls | undefined;
}

/** What may not be known, so that a plan is a range. */
export type PlanFact = 'profile' | 'items' | 'share' | 'pageSize' | 'isPaged' | 'children' | 'overlap' | 'halves';

/** Says that a fact is missing. */
export type ReportMissing = (fact: PlanFact) => void;

/**
 * How many items the whole list has. The newest evidence counts: a walk to its end, or what the profile says; of that, a
 * list may show a part only (a timeline has no replies), and how large it is, other lists of the kind have shown.
 */
export function estimateItems(
  { spec, kind, account, walks }: PlannedList,
  facts: PlanningFacts,
  miss: ReportMissing,
): Estimate {
  if (kind.targetType === 'tweet') {
    const replies = facts.replyCount(spec.target);
    if (replies !== undefined) return createExactEstimate(replies);
  }
  const whole = walks?.whole;
  const { countColumn } = kind;
  const count = countColumn && account?.[countColumn];
  if (countColumn === undefined || count == null) {
    if (whole) return { min: 0, expected: whole.items, max: null };
    miss(countColumn ? 'profile' : 'items');
    return createOpenEstimate(0);
  }
  // Only a profile shows how many tweets there are; a summary shows the others, too.
  const saidAt = (countColumn === 'statusesCount' ? account?.profileAt : account?.summaryAt) ?? account?.profileAt ?? 0;
  if (whole && whole.at >= saidAt && !kind.isNewestFirst) return createExactEstimate(whole.items);
  const share = facts.listShares(spec.kind, countColumn);
  if (count === 0) return createExactEstimate(0);
  if (share === undefined) {
    if (countColumn === 'statusesCount') miss('share');
    return { min: 0, expected: countColumn === 'statusesCount' ? null : count, max: count };
  }
  const isEnough = share.lists >= ENOUGH;
  return {
    min: isEnough ? Math.floor(count * Math.min(1, share.least)) : 0,
    expected: Math.round(count * (share.items / share.reported)),
    max: Math.ceil(count * (isEnough ? share.most : Math.max(1, share.most))),
  };
}

/** So many lists show how different they are. */
const ENOUGH = 10;

/** Of items that came at an even pace up to `until`, those since a time. */
export function estimateItemsSince(
  items: Estimate,
  since: number,
  from: number | null | undefined,
  until: number,
): Estimate {
  if (since >= until) return { min: 0, expected: 0, max: items.max };
  if (from == null || from >= until) return { ...items, min: 0, expected: null };
  if (since <= from) return items;
  const even = mapEstimate(items, (n) => Math.ceil((n * (until - since)) / (until - from)));
  return { min: 0, expected: even.expected, max: items.max };
}
