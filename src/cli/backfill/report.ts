import { DAY } from '#base/clock.ts';
import { formatRequests } from '#cli/forecast/format-plan.ts';
import { formatCount, formatDay, formatMinute, hint, pluralize, toIso } from '#cli/terminal/print.ts';
import type { DateWindow } from '#crawl/search/date-windows.ts';
import {
  isFullySearched,
  type SearchBackfillPlan,
  type TimelineBackfillPlan,
  estimateSearches,
  estimateTimelineCrawl,
} from '#library/run/backfill-plan.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';

/** Plans and results of backfills, as text and as `--json`. */

type Rates = TimelineBackfillPlan['rates'];

/** `2024-01-01 to 2024-02-01`; the end is exclusive. The bounds of a window within a minute have milliseconds. */
function formatWindow({ from, to }: DateWindow): string {
  const [start, end] = [formatBound(from), formatBound(to)];
  return start === end ? `${toIso(from)} to ${toIso(to)}` : `${start} to ${end}`;
}
const formatBound = (at: number): string => (at % DAY === 0 ? formatDay(at) : formatMinute(at));

const LISTED = 12;
const listWindows = (windows: readonly DateWindow[], most: number): string[] => [
  ...windows.slice(0, most).map((one) => `  ${formatWindow(one)}`),
  ...(windows.length > most ? [`  and ${formatCount(windows.length - most)} more`] : []),
];

const section = (title: string, windows: readonly DateWindow[], most: number): string[] =>
  windows.length === 0 ? [] : [title, ...listWindows(windows.toReversed(), most)];

/** @param listsAll whether all windows are listed. */
export function formatSearchPlan(plan: SearchBackfillPlan, listsAll: boolean, rates?: Rates): string[] {
  const { query, searched, unfinished, windows } = plan;
  const most = listsAll ? Infinity : LISTED;
  return [
    ...section('already searched:', searched, most),
    ...formatIncomplete(plan, most),
    ...(unfinished > 0 ? [`${pluralize(unfinished, 'unfinished search', 'unfinished searches')} to resume`] : []),
    ...(isFullySearched(plan)
      ? ['nothing left to search']
      : [
          `searches for ${query}: ${formatRequests(estimateSearches(plan, rates))}`,
          ...(plan.needsProbe ? ['  one search without dates, to find the page size'] : []),
          ...listWindows(windows, most),
        ]),
  ];
}

export function formatTimelinePlan(plan: TimelineBackfillPlan, listsAll: boolean): string[] {
  const most = listsAll ? Infinity : LISTED;
  const { gaps, timelineCrawl, search, rates, listEndAt } = plan;
  const isBelow = search?.windows.some(({ from }) => listEndAt !== undefined && from < listEndAt) ?? false;
  return [
    ...formatComplete(plan, most),
    ...section(timelineCrawl ? 'unknown:' : 'unknown, and not in the timeline:', gaps, most),
    ...(timelineCrawl
      ? [`crawl of the timeline, as far as it reaches or is needed: ${formatRequests(estimateTimelineCrawl(plan))}`]
      : []),
    ...(search && !(timelineCrawl && isFullySearched(search))
      ? [
          isBelow
            ? `the timeline ends at ${formatBound(listEndAt!)}; services truncate lists, so older tweets are searched as well`
            : '',
          timelineCrawl ? 'then, for the rest:' : '',
          ...formatSearchPlan(search, listsAll, rates),
        ]
      : []),
  ].filter((line) => line !== '');
}

const formatIncomplete = ({ saturated, rejected }: SearchBackfillPlan, most: number): string[] => [
  ...section('of these, days with more tweets than a page shows:', saturated, most),
  ...section(`of these, windows with rejected items (see ${hint('rejects')}):`, rejected, most),
];

/** The result of a search backfill. A search is never complete. */
export function formatSearchResult(plan: SearchBackfillPlan): string[] {
  const { query, searched, windows, resumed } = plan;
  if (searched.length + windows.length + resumed.length === 0) return [];
  return [
    ...section(`searched for ${query} (sorted by relevance, so nothing is proven complete):`, searched, LISTED),
    ...formatIncomplete(plan, LISTED),
    ...section('not fully searched:', windows.toReversed(), LISTED),
  ];
}

export const formatTimelineResult = (plan: TimelineBackfillPlan): string[] => [
  ...formatComplete(plan, LISTED),
  ...section('gaps:', plan.gaps, LISTED),
  ...(plan.search ? formatSearchResult(plan.search) : []),
];

/** The complete parts of the range, and why they begin later than requested. */
const formatComplete = ({ complete, unproven, createdAt }: TimelineBackfillPlan, most: number): string[] => [
  ...section('complete:', complete, most),
  ...section('below the inferred end of the timeline (more may exist):', unproven, most),
  ...(createdAt === undefined ? [] : [`the account was created on ${formatDay(createdAt)}`]),
];

const toOptionsJson = ({ options }: CrawlSpec) => JSON.parse(options) as unknown;

export const toSearchPlanJson = (plan: SearchBackfillPlan, rates?: Rates) => ({
  ...toSearchResultJson(plan),
  resumed: plan.resumed.map((spec) => ({ target: spec.target, options: toOptionsJson(spec) })),
  unfinished: plan.unfinished,
  requests: estimateSearches(plan, rates),
});

export const toSearchResultJson = ({ query, searched, saturated, rejected, windows: missing }: SearchBackfillPlan) => ({
  query,
  searched,
  saturated,
  rejected,
  missing,
});

export const toTimelinePlanJson = (plan: TimelineBackfillPlan) => ({
  ...toTimelineResultJson(plan),
  timelineCrawl: plan.timelineCrawl
    ? { options: toOptionsJson(plan.timelineCrawl), requests: estimateTimelineCrawl(plan) }
    : null,
  search: plan.search ? toSearchPlanJson(plan.search, plan.rates) : null,
});

export const toTimelineResultJson = ({ user, listEndAt, complete, unproven, gaps, search }: TimelineBackfillPlan) => ({
  account: user ? { restId: user.restId, screenName: user.screenName, createdAt: user.createdAt } : null,
  listEndAt,
  complete,
  unproven,
  gaps,
  search: search ? toSearchResultJson(search) : null,
});
