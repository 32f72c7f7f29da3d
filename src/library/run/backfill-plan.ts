import { DAY, MINUTE, systemClock } from '#base/clock.ts';
import { foldHandle } from '#base/text.ts';
import { mergeRanges, subtractRanges } from '#base/time-ranges.ts';
import { type DateWindow, splitIntoWindows, startOfDay, countDays } from '#crawl/search/date-windows.ts';
import { readDateWindow, createWindowSpec } from '#crawl/search/window-crawl.ts';
import { createCrawlSpec, parseCrawlOptions, type CrawlSpec, type Estimate } from '#service/kinds/crawl-spec.ts';
import { CAPABILITY_MAX_AGE } from '#service/kinds/kinds.ts';
import { parseAccount, createHandleTarget } from '#service/kinds/target.ts';
import { provesTop } from '#store/coverage/list-top.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { CoveredInterval, StoredUser } from '#store/schema/query-results.ts';
import type { StoreReads } from '#store/store-reads.ts';
import { countUnfinished } from './follow-crawls.ts';

/** Plans of backfills, computed from the store. They are not stored: the next run computes its own. */

export interface SearchBackfillPlan {
  /** The search string without dates; `from:` with the handle in lower case for an account's tweets. */
  readonly query: string;
  /** The handle in the query as requests spell it. */
  readonly handle: string | undefined;
  /** Ranges that were searched before. */
  readonly searched: readonly DateWindow[];
  /** Searched days with more tweets than a page shows. */
  readonly saturated: readonly DateWindow[];
  /** Searched windows with rejected items. */
  readonly rejected: readonly DateWindow[];
  /** Unfinished searches that are resumed, and the number of their unfinished crawls. */
  readonly resumed: readonly CrawlSpec[];
  readonly unfinished: number;
  /** Windows to search, newest first. */
  readonly windows: readonly DateWindow[];
  /** The number of tweets on the largest page of a search; 0 if none was seen. */
  readonly pageSize: number;
  /** Whether a search without dates has to show the page size first. */
  readonly needsProbe: boolean;
}

export interface SearchBackfillRequest {
  readonly query: string;
  readonly handle?: string | undefined;
  /** The requested ranges, oldest first. */
  readonly wanted: readonly DateWindow[];
  /** The maximum number of days of one search. */
  readonly days: number | undefined;
  /** Ignores searches before this time: the account had another handle then. */
  readonly since?: number | undefined;
}

/** Plans the searches of ranges that were not searched before and are not being searched. */
export function planSearchBackfill(
  read: StoreReads,
  { query, handle, wanted, days, since }: SearchBackfillRequest,
): SearchBackfillPlan {
  const within = (all: readonly DateWindow[]): DateWindow[] => {
    const rest = wanted.flatMap((one) => subtractRanges(one, all));
    return mergeRanges(wanted.flatMap((one) => subtractRanges(one, rest)));
  };
  const searched = within(read.searchedWindows(query, since));
  const open = read.unfinished({ kind: 'search', target: query }).flatMap((crawl) => {
    const window = readDateWindow(parseCrawlOptions(crawl));
    return window && within([window]).length > 0 ? [{ crawl, window }] : [];
  });
  const missing = wanted
    .flatMap((one) => subtractRanges(one, [...searched, ...open.map(({ window }) => window)]))
    .filter(({ from }) => !isUpToDate(from) || searched.every(({ to }) => to !== from));
  const windows = splitIntoWindows(missing, days);
  // Joining the root of a crawl tree joins all of the tree.
  const rootIds = [...new Set(open.map(({ crawl }) => crawl.rootId ?? crawl.id))];
  const roots = read.crawls(rootIds);
  const { entries: pageSize, seenAt } = read.largestPage('search') ?? { entries: 0, seenAt: -Infinity };
  const isMeasured = pageSize >= MIN_MEASURED_PAGE && systemClock.now() - seenAt <= CAPABILITY_MAX_AGE;
  return {
    query,
    handle,
    searched,
    windows,
    pageSize,
    needsProbe: windows.length > 0 && !isMeasured,
    saturated: within(read.saturatedDays(query, since)),
    rejected: within(read.windowsWithRejects(query, since)),
    resumed: roots.map(({ kind, target, options, priority }) => ({
      kind,
      target,
      options,
      priority,
    })),
    unfinished: countUnfinished(read.crawlTree(rootIds)),
  };
}

/** A shorter page does not show the page size: it may hold all results. */
const MIN_MEASURED_PAGE = 10;

/** Whether searched ranges lack tweets that another search would not show either. */
export const isIncomplete = ({ saturated, rejected }: SearchBackfillPlan): boolean =>
  saturated.length + rejected.length > 0;

export const isFullySearched = ({ resumed, windows }: SearchBackfillPlan): boolean =>
  resumed.length + windows.length === 0;

/**
 * Builds the crawls of a plan. While the page size of the search is unknown, one search without dates comes
 * first: otherwise a single tweet would look like a full page.
 */
export function buildSearchSpecs(
  { query, handle, resumed, windows, needsProbe }: SearchBackfillPlan,
  isProbed: boolean,
): CrawlSpec[] {
  const as = { priority: 'backfill', handle } as const;
  if (needsProbe && !isProbed) {
    return [{ ...createCrawlSpec({ kind: 'search', target: query, priority: 'backfill' }), handle }];
  }
  return [...resumed, ...windows.map((window) => createWindowSpec(query, window, as))];
}

export interface TimelineBackfillPlan {
  readonly user: StoredUser | undefined;
  /** When the account was created, if that is after the start of the requested range. */
  readonly createdAt: number | undefined;
  /** The time of the oldest tweet of the timeline, if it is known to end within the range: services truncate lists. */
  readonly listEndAt: number | undefined;
  /** The complete parts of the range, the gaps, and the parts below an inferred end, where more may exist. */
  readonly complete: readonly DateWindow[];
  readonly gaps: readonly DateWindow[];
  readonly unproven: readonly DateWindow[];
  /** The crawl of the timeline, if it may fill a gap. */
  readonly timelineCrawl: CrawlSpec | undefined;
  /** Searches for the parts that the timeline does not reach; before its crawl, for all that it may leave. Undefined without a handle. */
  readonly search: SearchBackfillPlan | undefined;
  /** Tweets per day and per page; undefined if the timeline is unknown. */
  readonly rates: { readonly perDay: number; readonly perPage: number } | undefined;
}

export interface TimelineBackfillRequest {
  /** The target of the account's crawls. */
  readonly account: string;
  /** Its handle as typed. */
  readonly handle?: string | null | undefined;
  readonly wanted: DateWindow;
  readonly days: number | undefined;
}

/** @param ended the timeline crawl of this run, if it has ended: then the plan has searches only. */
export function planTimelineBackfill(
  read: StoreReads,
  request: TimelineBackfillRequest,
  ended?: CrawlRow,
): TimelineBackfillPlan {
  const { account, wanted, days } = request;
  const named = parseAccount(account);
  const restId = ended?.targetRestId ?? ('id' in named ? named.id : read.userByHandle(named.handle)?.restId);
  const user = restId === undefined ? undefined : read.userById(restId);
  const intervals = restId === undefined ? [] : read.intervals('timeline', restId);
  const from = user?.createdAt == null ? wanted.from : Math.max(wanted.from, startOfDay(user.createdAt));
  const known = user?.screenName ?? undefined;
  const names = [account, ...(user ? [`id:${user.restId}`] : []), ...(known ? [createHandleTarget(known)] : [])];
  const last = ended ?? (user && read.latestSuccess('timeline', user.restId, names));
  // A crawl from the top proves that nothing newer existed when it began; it proves nothing of later tweets.
  const [topmost] = intervals;
  const atTop =
    last && topmost && provesTop(last, topmost.newestAt) ? [{ from: topmost.newestAt, to: last.startedAt ?? 0 }] : [];
  const crawledTo = atTop[0]?.to ?? 0;
  const to = isUpToDate(crawledTo) ? Math.min(crawledTo, wanted.to) : wanted.to;
  const whole = { from: Math.min(from, to), to };
  const claimed = [...intervals.map(toCompleteWindow), ...atTop];
  const gaps = subtractRanges(whole, [...claimed, ...intervals.flatMap(toUnprovenWindows)]);
  const unclaimed = subtractRanges(whole, claimed);
  const unproven = unclaimed.flatMap((part) => subtractRanges(part, gaps));
  const handle = known ?? ('handle' in named ? (request.handle ?? named.handle) : undefined);
  const query = handle === undefined ? undefined : `from:${foldHandle(handle)}`;
  const since = user && read.handleSince(user.restId);
  const search =
    query === undefined || ended?.reason === 'no_tweets'
      ? undefined
      : planSearchBackfill(read, {
          query,
          handle,
          wanted: subtractRanges(whole, [...intervals.map(toShownWindow), ...atTop]),
          days,
          since,
        });
  const unseen = gaps.flatMap((gap) =>
    subtractRanges(gap, query === undefined ? [] : read.searchedWindows(query, since)),
  );
  // The crawl goes down to the newest known tweet, so that no gap remains between them.
  const floor = Math.min(unseen[0]?.from ?? Infinity, topmost?.newestAt ?? Infinity);
  const timelineCrawl = !ended && unseen.length > 0 ? createTimelineSpec(read, request, floor) : undefined;
  const end = intervals.find(({ listEnd }) => listEnd !== null)?.oldestAt;
  return {
    user,
    createdAt: from > wanted.from ? from : undefined,
    listEndAt: end !== undefined && end > whole.from && end < whole.to ? end : undefined,
    complete: subtractRanges(whole, unclaimed),
    gaps,
    unproven,
    timelineCrawl,
    search,
    rates: computeRates(intervals),
  };
}

/** Whether what was crawled or searched up to a time is up to date: less than a minute has passed. */
const isUpToDate = (to: number): boolean => systemClock.now() - to < MINUTE;

/** The range that an interval proves: strictly between its bounds, and all that is older if the service ended the list. */
const toCompleteWindow = ({ newestAt, oldestAt, listEnd }: CoveredInterval): DateWindow => ({
  from: listEnd === 'served' ? -Infinity : oldestAt + 1,
  to: newestAt,
});

/** The range below an inferred end: the timeline shows no more of it, without evidence that no more exists. */
const toUnprovenWindows = ({ oldestAt, listEnd }: CoveredInterval): DateWindow[] =>
  listEnd === 'inferred' ? [{ from: -Infinity, to: oldestAt + 1 }] : [];

/** The range that need not be searched. Below the end of a list more may exist, since services truncate lists. */
const toShownWindow = ({ newestAt, oldestAt, listEnd }: CoveredInterval): DateWindow => ({
  from: listEnd === null ? oldestAt + 1 : startOfDay(oldestAt),
  to: newestAt,
});

function computeRates(intervals: readonly CoveredInterval[]): TimelineBackfillPlan['rates'] {
  let [items, pages, ms] = [0, 0, 0];
  for (const one of intervals) {
    items += one.items;
    pages += one.pages;
    ms += one.newestAt - one.oldestAt;
  }
  return items > 0 && pages > 0 && ms > 0 ? { perDay: (items / ms) * DAY, perPage: items / pages } : undefined;
}

/** Joins an unfinished crawl that goes back far enough, or plans a new one. */
function createTimelineSpec(read: StoreReads, { account, handle }: TimelineBackfillRequest, since: number): CrawlSpec {
  const other = read.unfinished({ kind: 'timeline', target: account }).find((crawl) => {
    const { since: floor = 0, ...limits } = parseCrawlOptions(crawl);
    return floor <= since && Object.keys(limits).length === 0;
  });
  if (other) return { kind: other.kind, target: other.target, options: other.options, priority: other.priority };
  return {
    ...createCrawlSpec({ kind: 'timeline', target: account, options: { since }, priority: 'backfill' }),
    handle,
  };
}

type Rates = TimelineBackfillPlan['rates'];

const NO_REQUESTS: Estimate = { min: 0, expected: 0, max: 0 };

/** The maximum for a window: bisected down to days, each day repeated without its overlap. */
const computeMax = (days: number): number => 3 * days - 1;

/** Estimates the requests of the searches. @param rates the expected number is unknown without them. */
export function estimateSearches(plan: SearchBackfillPlan, rates?: Rates): Estimate {
  const { windows, resumed, unfinished, pageSize } = plan;
  const probes = plan.needsProbe ? 1 : 0;
  const sum = (estimate: (days: number) => number): number | null =>
    resumed.length > 0 ? null : windows.map(countDays).reduce((n, days) => n + estimate(days), probes);
  const expect = (days: number, perDay: number): number =>
    // Three if the halves show nothing new; otherwise windows are bisected until a page holds all tweets of its window.
    Math.min(computeMax(days), perDay * days <= pageSize ? 3 : Math.ceil(6 * ((perDay * days) / pageSize)));
  return {
    min: probes + windows.length + unfinished,
    expected: rates && pageSize > 0 ? sum((days) => expect(days, rates.perDay)) : null,
    max: sum(computeMax),
  };
}

/** Estimates the requests of the timeline crawl: at least one page. */
export function estimateTimelineCrawl({ timelineCrawl, gaps, rates }: TimelineBackfillPlan): Estimate {
  if (!timelineCrawl) return NO_REQUESTS;
  const days = gaps.reduce((sum, { from, to }) => sum + (to - from) / DAY, 0);
  const expected = rates ? Math.max(1, Math.ceil((days * rates.perDay) / rates.perPage)) : null;
  return { min: 1, expected, max: null };
}

/** Estimates the requests of a backfill. A timeline crawl is expected to leave nothing to search. */
export function estimateTimeline(plan: TimelineBackfillPlan): Estimate {
  const { search, rates, timelineCrawl } = plan;
  if (timelineCrawl || !search) return estimateTimelineCrawl(plan);
  return estimateSearches(search, rates);
}
