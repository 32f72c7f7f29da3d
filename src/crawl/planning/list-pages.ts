import { DAY } from '../../base/clock.ts';
import type { Estimate } from '../../service/kinds/crawl-spec.ts';
import { IGNORED_CURSORS_MAX_AGE } from '../../service/kinds/kinds.ts';
import { parseAccount } from '../../service/kinds/target.ts';
import { toCursorRequest } from '../pagination/cursor-origin.ts';
import { findCursorBelow } from '../pagination/incremental.ts';
import { mapEstimate, createExactEstimate, ONE, addEstimates, capEstimate } from './estimate.ts';
import { computePageSize, estimateItems, estimateItemsSince, type PlannedList } from './list-items.ts';

/** The maximum rate of new items, as a multiple of the usual rate. */
const BURST = 4;

/** Estimates the requests of a crawl without its child crawls: the account resolution and the pages. */
export function estimateOwnRequests(list: PlannedList): Estimate {
  const { spec, kind, account } = list;
  if (kind.targetType !== 'account') return estimatePages(list);
  const hasHandle = 'handle' in parseAccount(spec.target);
  // The handle of an id is found in a list of the account.
  if (kind.idForm === 'handle') return hasHandle || account?.screenName != null ? ONE : createExactEstimate(2);
  const lookUp = hasHandle && account === undefined ? 1 : 0;
  const pages = addEstimates(createExactEstimate(lookUp), estimatePages(list));
  return kind.edgeSide && lookUp === 0 ? addEstimates(pages, estimateOwnerCount(list)) : pages;
}

/** The profile of the owner of a list of followers or followed accounts: for a first list, or one that lacks stored edges. */
function estimateOwnerCount(list: PlannedList): Estimate {
  if (isPaged(list) === false) return createExactEstimate(0);
  // A limit may stop the crawl before the end of its list.
  const isExpected = !list.earlier?.whole && list.options.maxPages === undefined;
  return { min: 0, expected: isExpected ? 1 : 0, max: 1 };
}

function estimatePages(list: PlannedList): Estimate {
  const { spec, kind, options, account, earlier, unfinished, intervals, now, reportMissing } = list;
  const { since } = options;
  const limit = options.maxPages === undefined ? undefined : Math.max(1, options.maxPages - (unfinished?.pages ?? 0));
  if (kind.shape === 'object') return ONE;
  const size = computePageSize(list.statistics);
  const hasPages = isPaged(list);
  if (hasPages === false) return ONE;
  if (hasPages === undefined) {
    reportMissing('isPaged');
    return capEstimate({ min: 1, expected: 1, max: null }, limit);
  }
  if (size === undefined && limit !== 1) reportMissing('pageSize');

  const whole = estimateItems(list);
  if (unfinished && unfinished.cursor !== null) {
    const left = mapEstimate(whole, (n) => Math.max(0, n - unfinished.items));
    return capEstimate(toPages(left, size), limit);
  }
  const [top] = intervals;
  if (!top) {
    const wanted =
      since === undefined || !kind.isNewestFirst ? whole : estimateItemsSince(whole, since, account?.createdAt, now);
    return capEstimate(addEmptyListCheck(toPages(wanted, size), whole, list), limit);
  }

  // The first page reaches the interval, unless there are more new items than a page has.
  const rate = top.items / Math.max(1, top.newestAt - top.oldestAt);
  const newItems = rate * Math.max(0, now - (earlier?.at ?? now));
  const above = size === undefined ? 0 : newItems / size;
  const onTop: Estimate = { min: 1, expected: 1 + Math.floor(above), max: 1 + Math.floor(BURST * above) };
  if (top.listEnd !== null || (since !== undefined && top.oldestAt < since)) return capEstimate(onTop, limit);

  const items = intervals.reduce((sum, each) => sum + each.items, 0);
  const below = mapEstimate(whole, (n) => Math.max(0, n - items));
  const wanted = since === undefined ? below : estimateItemsSince(below, since, account?.createdAt, top.oldestAt);
  const request = toCursorRequest({ endpoint: kind.endpoint, value: account?.restId ?? spec.target });
  const through = findCursorBelow(top, request, now) ? 0 : Math.max(0, Math.ceil(top.items / (size ?? top.items)) - 1);
  return capEstimate(addEstimates(addEstimates(onTop, createExactEstimate(through)), toPages(wanted, size)), limit);
}

/** Whether a list has more than one page, by the specification and by earlier crawls; undefined if that is unknown. */
function isPaged({ kind: { shape }, statistics, cursorSupport, now }: PlannedList): boolean | undefined {
  if (cursorSupport?.cursor === 'ignored' && now - cursorSupport.seenAt <= IGNORED_CURSORS_MAX_AGE) return false;
  if (shape === 'paged list' || (statistics?.ledOn ?? 0) > 0) return true;
  return (statistics?.ended ?? 0) > 0 ? false : undefined;
}

/** Converts items to pages. An empty list has one page. */
function toPages({ min, expected, max }: Estimate, size: number | undefined): Estimate {
  if (size !== undefined) return mapEstimate({ min, expected, max }, (n) => Math.max(1, Math.ceil(n / size - 1e-9)));
  if (max !== null && max <= 1) return ONE;
  // Every page but the last has an item, whatever the page size.
  return { min: 1, expected: expected !== null && expected <= 1 ? 1 : null, max: max === null ? null : max + 1 };
}

/** Adds the profile that shows whether an account without tweets exists, unless it was seen in the last day. */
function addEmptyListCheck(pages: Estimate, items: Estimate, { kind, account, now }: PlannedList): Estimate {
  if (!kind.mayBeEmpty || now - Math.max(account?.profileAt ?? 0, account?.summaryAt ?? 0) <= DAY) return pages;
  return {
    min: pages.min,
    expected: pages.expected === null ? null : pages.expected + (items.expected === 0 ? 1 : 0),
    max: pages.max === null ? null : Math.max(pages.max, 2),
  };
}
