import { DAY } from '#base/clock.ts';
import { toCursorRequest } from '#crawl/pagination/cursor-origin.ts';
import { findCursorBelow } from '#crawl/pagination/incremental.ts';
import { type CrawlSpec, type Estimate, parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { getKind, isIncremental, IGNORED_CURSORS_MAX_AGE } from '#service/kinds/kinds.ts';
import { createHandleTarget, parseAccount } from '#service/kinds/target.ts';
import type { KindStatistics, PlanningFacts } from '#store/schema/planning-facts.ts';
import { createOpenEstimate, mapEstimate, createExactEstimate, ONE, addEstimates, capEstimate } from './estimate.ts';

/** A fact that may be unknown, so that a plan is a range. */
export type PlanFact = 'profile' | 'items' | 'share' | 'pageSize' | 'isPaged' | 'children' | 'overlap' | 'halves';

/** The facts that plans are made from, and the time of the plan. */
export interface PlanContext {
  readonly facts: PlanningFacts;
  readonly now: number;
  /** Called for each unknown fact. */
  readonly reportMissing: (fact: PlanFact) => void;
}

/** A list to be planned: the requested crawl, and what the store knows of its list. */
export type PlannedList = Awaited<ReturnType<typeof loadPlannedList>>;

/** Reads everything that the plan of one list needs, without its child crawls. */
export async function loadPlannedList(spec: CrawlSpec, context: PlanContext) {
  const { facts } = context;
  const { target } = spec;
  const kind = getKind(spec.kind);
  const { targetType, countColumn } = kind;
  const options = parseCrawlOptions(spec);
  const account = targetType === 'account' ? await facts.account(parseAccount(target)) : undefined;
  // A list may have been crawled by the account's handle or by its id.
  const names = account ? [target, `id:${account.restId}`] : [target];
  if (account?.screenName != null) names.push(createHandleTarget(account.screenName));
  const listId = targetType === 'account' ? account?.restId : target;
  const [earlier, unfinished, statistics, cursorSupport, intervals, share, replies] = await Promise.all([
    facts.latestCrawls(spec.kind, names),
    facts.unfinishedCrawl(spec),
    facts.kindStatistics(spec.kind),
    facts.cursorSupport(kind.endpoint),
    // The intervals at which an incremental crawl stops.
    isIncremental(kind, options) && listId !== undefined ? facts.intervals(spec.kind, listId) : [],
    // The share of the reported items that lists of the kind show.
    countColumn && facts.listShares(spec.kind, countColumn),
    targetType === 'tweet' ? facts.replyCount(target) : undefined,
  ]);
  const known = { account, earlier, unfinished, statistics, cursorSupport, intervals, share, replies };
  return { ...context, spec, kind, options, ...known };
}

/** Estimates the number of items of the whole list, by the newer of its last complete crawl and the count of the profile. */
export function estimateItems({ kind, account, earlier, share, replies, reportMissing }: PlannedList): Estimate {
  if (replies !== undefined) return createExactEstimate(replies);
  const whole = earlier?.whole;
  const { countColumn } = kind;
  const count = countColumn && account?.[countColumn];
  if (countColumn === undefined || count == null) {
    if (whole) return { min: 0, expected: whole.items, max: null };
    reportMissing(countColumn ? 'profile' : 'items');
    return createOpenEstimate(0);
  }
  // Only a profile has the number of tweets; a summary has the other counts.
  const countedAt =
    (countColumn === 'statusesCount' ? account?.profileAt : account?.summaryAt) ?? account?.profileAt ?? 0;
  if (whole && whole.at >= countedAt && !kind.isNewestFirst) return createExactEstimate(whole.items);
  if (count === 0) return createExactEstimate(0);
  // A list may show a part of the count only: a timeline has no replies.
  if (share === undefined) {
    if (countColumn === 'statusesCount') reportMissing('share');
    return { min: 0, expected: countColumn === 'statusesCount' ? null : count, max: count };
  }
  const isEnough = share.lists >= ENOUGH;
  return {
    min: isEnough ? Math.floor(count * Math.min(1, share.least)) : 0,
    expected: Math.round(count * (share.items / share.reported)),
    max: Math.ceil(count * (isEnough ? share.most : Math.max(1, share.most))),
  };
}

/** The minimum number of lists that show the range of shares. */
const ENOUGH = 10;

/** Returns the mean number of items on a full page; undefined if no full page was seen. */
export const computePageSize = (statistics: KindStatistics | undefined): number | undefined =>
  statistics && statistics.fullPages > 0 && statistics.fullItems > 0
    ? statistics.fullItems / statistics.fullPages
    : undefined;

/** Estimates how many of the items are not older than `since`, if they are evenly distributed from `from` to `until`. */
function estimateItemsSince(items: Estimate, since: number, from: number | null | undefined, until: number): Estimate {
  if (since >= until) return { min: 0, expected: 0, max: items.max };
  if (from == null || from >= until) return { ...items, min: 0, expected: null };
  if (since <= from) return items;
  const even = mapEstimate(items, (n) => Math.ceil((n * (until - since)) / (until - from)));
  return { min: 0, expected: even.expected, max: items.max };
}

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
