import { DAY } from '../clock.ts';
import { toCursorRequest } from '../engine/pagination/cursor-origin.ts';
import { hasCursorBelow } from '../engine/pagination/incremental.ts';
import { parseCrawlOptions, type Estimate } from '../kinds/crawl-spec.ts';
import { CAPABILITY_MAX_AGE } from '../kinds/kinds.ts';
import type { PlanningFacts } from '../store/schema/planning-facts.ts';
import { mapEstimate, createExactEstimate, ONE, addEstimates, capEstimate } from './estimate.ts';
import { estimateItems, estimateItemsSince, type ReportMissing, type PlannedList } from './list-items.ts';

/** How often the usual pace of new items may have been exceeded since somebody looked. */
const BURST = 4;

/** The requests that the pages of a list take, limits and what is known of it counted in. */
export function estimatePages(subject: PlannedList, facts: PlanningFacts, now: number, miss: ReportMissing): Estimate {
  const { spec, kind } = subject;
  const options = parseCrawlOptions(spec);
  const going = facts.unfinishedCrawl(spec);
  const limit = options.maxPages === undefined ? undefined : Math.max(1, options.maxPages - (going?.pages ?? 0));
  if (kind.shape === 'object') return ONE;
  const { paged, size } = pagingOf(subject, facts, now);
  if (paged === 'no') return ONE;
  if (paged === 'unknown') {
    miss('isPaged');
    return capEstimate({ min: 1, expected: 1, max: null }, limit);
  }
  if (size === undefined && limit !== 1) miss('pageSize');
  const pages = (items: Estimate): Estimate => inPages(items, size);

  const whole = estimateItems(subject, facts, miss);
  const joins = kind.isNewestFirst && !options.full && !options.andThen;
  const known = joins && subject.account ? facts.intervals(spec.kind, subject.account.restId) : [];
  const listed = joins && kind.targetType !== 'account' ? facts.intervals(spec.kind, spec.target) : known;
  const { since } = options;

  if (going && going.cursor !== null) {
    const left = mapEstimate(whole, (n) => Math.max(0, n - going.items));
    return capEstimate(pages(left), limit);
  }
  const [top] = listed;
  if (!top) {
    const wanted =
      since === undefined || !kind.isNewestFirst
        ? whole
        : estimateItemsSince(whole, since, subject.account?.createdAt, now);
    return capEstimate(orConfirm(pages(wanted), whole, subject, now), limit);
  }

  // The first page joins what is known, unless more is new than a page holds.
  const pace = top.items / Math.max(1, top.newestAt - top.oldestAt);
  const fresh = pace * Math.max(0, now - (subject.walks?.at ?? now));
  const above = size === undefined ? 0 : fresh / size;
  const onTop: Estimate = { min: 1, expected: 1 + Math.floor(above), max: 1 + Math.floor(BURST * above) };
  if (top.listEnd !== null || (since !== undefined && top.oldestAt < since)) return capEstimate(onTop, limit);

  const items = listed.reduce((sum, each) => sum + each.items, 0);
  const below = mapEstimate(whole, (n) => Math.max(0, n - items));
  const wanted =
    since === undefined ? below : estimateItemsSince(below, since, subject.account?.createdAt, top.oldestAt);
  const request = toCursorRequest(kind.endpoint, kind.parameter, subject.account?.restId ?? spec.target);
  const through = hasCursorBelow(top, request, now) ? 0 : Math.max(0, Math.ceil(top.items / (size ?? top.items)) - 1);
  return capEstimate(addEstimates(addEstimates(onTop, createExactEstimate(through)), pages(wanted)), limit);
}

/** Whether an endpoint has more than one page, and how much is on one: as the specification says, or as it was seen. */
function pagingOf({ spec, kind }: PlannedList, facts: PlanningFacts, now: number) {
  const { endpoint } = kind;
  const seen = facts.kindStatistics(spec.kind);
  const fact = facts.cursorSupport(endpoint);
  const size = seen && seen.fullPages > 0 && seen.fullItems > 0 ? seen.fullItems / seen.fullPages : undefined;
  if (fact?.cursor === 'ignored' && now - fact.seenAt <= CAPABILITY_MAX_AGE) return { paged: 'no', size } as const;
  if (kind.shape === 'paged list' || (seen?.ledOn ?? 0) > 0) return { paged: 'yes', size } as const;
  return { paged: (seen?.ended ?? 0) > 0 ? 'no' : 'unknown', size } as const;
}

/** An empty list has a page, too. */
function inPages({ min, expected, max }: Estimate, size: number | undefined): Estimate {
  const pages = (n: number): number => Math.max(1, Math.ceil(n / (size ?? 1) - 1e-9));
  if (size !== undefined) return mapEstimate({ min, expected, max }, pages);
  if (max !== null && max <= 1) return ONE;
  // Every page but the last has an item, whatever its size.
  return { min: 1, expected: expected !== null && expected <= 1 ? 1 : null, max: max === null ? null : max + 1 };
}

/** Of an account without tweets, the profile has to tell whether it exists, unless it was seen today. */
function orConfirm(pages: Estimate, items: Estimate, { kind, account }: PlannedList, now: number): Estimate {
  if (!kind.mayBeEmpty || now - Math.max(account?.profileAt ?? 0, account?.summaryAt ?? 0) <= DAY) return pages;
  const more = (n: number | null): number => (n === 0 ? 1 : 0);
  return {
    min: pages.min,
    expected: pages.expected === null ? null : pages.expected + more(items.expected),
    max: pages.max === null ? null : Math.max(pages.max, 2),
  };
}
