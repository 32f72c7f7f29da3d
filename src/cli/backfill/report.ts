import { DAY } from '../../clock.ts';
import { countDays, type DateWindow } from '../../engine/search/date-windows.ts';
import type { StoreReads } from '../../store/store-reads.ts';
import { formatCount, pluralize } from '../terminal/format.ts';
import { formatDay, toIso, formatMinute } from '../terminal/times.ts';
import {
  isFullySearched,
  needsPageSizeProbe,
  type SearchBackfillPlan,
  type TimelineBackfillPlan,
} from './backfill-plan.ts';

/** Plans and results of backfills, as text and as `--json`. */

/** A number of requests; `about` if it can be estimated. */
interface Cost {
  readonly least: number;
  readonly most?: number | undefined;
  readonly about?: number | undefined;
}

/** The maximum for a window: bisected down to days, each day repeated without its overlap. */
const mostFor = (days: number): number => 3 * days - 1;

function searchCost(
  read: StoreReads,
  { windows, goesOn, unfinished }: SearchBackfillPlan,
  pace?: TimelineBackfillPlan['pace'],
): Cost {
  const measure = windows.length > 0 && needsPageSizeProbe(read) ? 1 : 0;
  const days = windows.map(countDays);
  const page = read.largestPage('search')?.entries ?? 0;
  const guess = (n: number): number => {
    const expected = pace!.perDay * n;
    // Three if the halves show nothing new; otherwise bisection goes on until a page holds its window.
    return Math.min(mostFor(n), expected <= page ? 3 : Math.ceil(6 * (expected / page)));
  };
  return {
    least: measure + windows.length + unfinished,
    most: goesOn.length > 0 ? undefined : measure + days.reduce((sum, n) => sum + mostFor(n), 0),
    about: pace && page > 0 && goesOn.length === 0 ? days.reduce((sum, n) => sum + guess(n), measure) : undefined,
  };
}

/** The cost of crawling the timeline: at least one page. */
function walkCost({ walk, gaps, pace }: TimelineBackfillPlan): Cost {
  if (!walk) return { least: 0, most: 0, about: 0 };
  const days = gaps.reduce((sum, { from, to }) => sum + (to - from) / DAY, 0);
  return { least: 1, about: pace && Math.max(1, Math.ceil((days * pace.perDay) / pace.perPage)) };
}

function costInWords({ least, most, about }: Cost): string {
  if (about !== undefined) return `about ${pluralize(about, 'request')}`;
  if (most === least) return pluralize(least, 'request');
  return `${pluralize(least, 'request')} or more${most === undefined ? '' : `, at most ${formatCount(most)}`}`;
}

/** `2024-01-01 to 2024-02-01`; the end is exclusive. */
const stretch = ({ from, to }: DateWindow): string => `${shortly(from)} to ${shortly(to)}`;
const shortly = (at: number): string => (at % DAY === 0 ? formatDay(at) : formatMinute(at));

/** The maximum number of listed windows. */
const LISTED = 12;
const listed = (windows: readonly DateWindow[], most: number): string[] => [
  ...windows.slice(0, most).map((one) => `  ${stretch(one)}`),
  ...(windows.length > most ? [`  and ${formatCount(windows.length - most)} more`] : []),
];

const section = (title: string, windows: readonly DateWindow[], most: number): string[] =>
  windows.length === 0 ? [] : [title, ...listed(windows.toReversed(), most)];

/** @param whole lists all windows. */
export function formatSearchPlan(
  read: StoreReads,
  plan: SearchBackfillPlan,
  whole: boolean,
  pace?: TimelineBackfillPlan['pace'],
): string[] {
  const { query, seen, unfinished, windows } = plan;
  const most = whole ? Infinity : LISTED;
  return [
    ...section('already searched:', seen, most),
    ...lackingLines(plan, most),
    ...(unfinished > 0 ? [`${pluralize(unfinished, 'unfinished search', 'unfinished searches')} to resume`] : []),
    ...(isFullySearched(plan)
      ? ['nothing left to search']
      : [
          `searches for ${query}: ${costInWords(searchCost(read, plan, pace))}`,
          ...(windows.length > 0 && needsPageSizeProbe(read)
            ? ['  one search without dates, to learn the page size']
            : []),
          ...listed(windows, most),
        ]),
  ];
}

export function formatTimelinePlan(read: StoreReads, plan: TimelineBackfillPlan, whole: boolean): string[] {
  const most = whole ? Infinity : LISTED;
  const { gaps, walk, search, pace, end } = plan;
  const isBelow = search?.windows.some(({ from }) => end !== undefined && from < end) ?? false;
  return [
    ...completeLines(plan, most),
    ...section(walk ? 'unknown:' : 'unknown, and not in the timeline:', gaps, most),
    ...(walk ? [`crawl of the timeline, as far as it reaches or is needed: ${costInWords(walkCost(plan))}`] : []),
    ...(search && !(walk && isFullySearched(search))
      ? [
          isBelow
            ? `the timeline ends at ${shortly(end!)}; services truncate lists, so older tweets are searched as well`
            : '',
          walk ? 'then, for the rest:' : '',
          ...formatSearchPlan(read, search, whole, pace),
        ]
      : []),
  ].filter((line) => line !== '');
}

const lackingLines = ({ saturated, rejected }: SearchBackfillPlan, most: number): string[] => [
  ...section('of these, days with more tweets than a page shows:', saturated, most),
  ...section('of these, windows with rejected items (see `trawl rejects`):', rejected, most),
];

/** The result of a search backfill. A search is never complete. */
export function formatSearchResult(plan: SearchBackfillPlan): string[] {
  const { query, seen, windows, goesOn } = plan;
  if (seen.length + windows.length + goesOn.length === 0) return [];
  return [
    ...section(`searched for ${query} (sorted by relevance, so nothing is proven complete):`, seen, LISTED),
    ...lackingLines(plan, LISTED),
    ...section('not fully searched:', windows.toReversed(), LISTED),
  ];
}

export const formatTimelineResult = (plan: TimelineBackfillPlan): string[] => [
  ...completeLines(plan, LISTED),
  ...section('gaps:', plan.gaps, LISTED),
  ...(plan.search ? formatSearchResult(plan.search) : []),
];

/** The complete parts of the range, and why they begin later than requested. */
const completeLines = ({ complete, unproven, born }: TimelineBackfillPlan, most: number): string[] => [
  ...section('complete:', complete, most),
  ...section('below the inferred end of the timeline (more may exist):', unproven, most),
  ...(born === undefined ? [] : [`the account was created on ${formatDay(born)}`]),
];

const spanJson = ({ from, to }: DateWindow) => ({ from: toIso(from), to: toIso(to) });

export const toSearchPlanJson = (read: StoreReads, plan: SearchBackfillPlan, pace?: TimelineBackfillPlan['pace']) => ({
  ...toSearchResultJson(plan),
  goesOn: plan.goesOn.map(({ target, options }) => ({ target, options: JSON.parse(options) as unknown })),
  unfinished: plan.unfinished,
  requests: searchCost(read, plan, pace),
});

export const toSearchResultJson = ({ query, seen, saturated, rejected, windows }: SearchBackfillPlan) => ({
  query,
  seen: seen.map(spanJson),
  saturated: saturated.map(spanJson),
  rejected: rejected.map(spanJson),
  missing: windows.map(spanJson),
});

export const toTimelinePlanJson = (read: StoreReads, plan: TimelineBackfillPlan) => ({
  ...toTimelineResultJson(plan),
  walk: plan.walk ? { options: JSON.parse(plan.walk.options) as unknown, requests: walkCost(plan) } : null,
  search: plan.search ? toSearchPlanJson(read, plan.search, plan.pace) : null,
});

export const toTimelineResultJson = ({ user, end, complete, unproven, gaps, search }: TimelineBackfillPlan) => ({
  account: user ? { id: user.restId, screenName: user.screenName, createdAt: toIso(user.createdAt) } : null,
  timelineEndsAt: toIso(end),
  complete: complete.map(spanJson),
  unproven: unproven.map(spanJson),
  gaps: gaps.map(spanJson),
  search: search ? toSearchResultJson(search) : null,
});
