import { DAY } from '../../clock.ts';
import { countDays, type DateWindow } from '../../engine/search/date-windows.ts';
import type { Reads } from '../../store/reads.ts';
import { formatCount, pluralize } from '../terminal/format.ts';
import { formatDay, toIso, formatMinute } from '../terminal/times.ts';
import {
  isFullySearched,
  needsPageSizeProbe,
  type SearchBackfillPlan,
  type TimelineBackfillPlan,
} from './backfill-plan.ts';

/** Plans of backfills, and what came of them, in words and in the documents that `--json` prints. */

/** How many requests something takes; `about` where there is anything to reckon with. */
interface Cost {
  readonly least: number;
  readonly most?: number | undefined;
  readonly about?: number | undefined;
}

/** Every window down to its days, and those without the day of overlap. */
const mostFor = (days: number): number => 3 * days - 1;

function searchCost(
  read: Reads,
  { windows, goesOn, unfinished }: SearchBackfillPlan,
  pace?: TimelineBackfillPlan['pace'],
): Cost {
  const measure = windows.length > 0 && needsPageSizeProbe(read) ? 1 : 0;
  const days = windows.map(countDays);
  const page = read.longestPage('search')?.entries ?? 0;
  const guess = (n: number): number => {
    const expected = pace!.perDay * n;
    // Halves bring nothing new: three. Else windows are halved until a page holds what is in them.
    return Math.min(mostFor(n), expected <= page ? 3 : Math.ceil(6 * (expected / page)));
  };
  return {
    least: measure + windows.length + unfinished,
    most: goesOn.length > 0 ? undefined : measure + days.reduce((sum, n) => sum + mostFor(n), 0),
    about: pace && page > 0 && goesOn.length === 0 ? days.reduce((sum, n) => sum + guess(n), measure) : undefined,
  };
}

/** What walking into gaps takes: a page where nothing is new. */
function walkCost({ walk, gaps, pace }: TimelineBackfillPlan): Cost {
  if (!walk) return { least: 0, most: 0, about: 0 };
  const days = gaps.reduce((sum, { from, to }) => sum + (to - from) / DAY, 0);
  return { least: 1, about: pace && Math.max(1, Math.ceil((days * pace.perDay) / pace.perPage)) };
}

function costInWords({ least, most, about }: Cost): string {
  if (about !== undefined) return `about ${pluralize(about, 'request')}`;
  if (most === least) return pluralize(least, 'request');
  return `${pluralize(least, 'request')} at least${most === undefined ? '' : `, ${formatCount(most)} at most`}`;
}

/** `2024-01-01 to 2024-02-01`, its end left out. */
const stretch = ({ from, to }: DateWindow): string => `${shortly(from)} to ${shortly(to)}`;
const shortly = (at: number): string => (at % DAY === 0 ? formatDay(at) : formatMinute(at));

/** What fits on a screen beside the rest. */
const LISTED = 12;
const listed = (windows: readonly DateWindow[], most: number): string[] => [
  ...windows.slice(0, most).map((one) => `  ${stretch(one)}`),
  ...(windows.length > most ? [`  and ${formatCount(windows.length - most)} more`] : []),
];

const section = (title: string, windows: readonly DateWindow[], most: number): string[] =>
  windows.length === 0 ? [] : [title, ...listed(windows.toReversed(), most)];

/** @param whole tell everything, however long. */
export function formatSearchPlan(
  read: Reads,
  plan: SearchBackfillPlan,
  whole: boolean,
  pace?: TimelineBackfillPlan['pace'],
): string[] {
  const { query, seen, unfinished, windows } = plan;
  const most = whole ? Infinity : LISTED;
  return [
    ...section('searched before, and not again:', seen, most),
    ...lackingLines(plan, most),
    ...(unfinished > 0 ? [`${pluralize(unfinished, 'unfinished search', 'unfinished searches')} to go on with`] : []),
    ...(isFullySearched(plan)
      ? ['nothing is left to search']
      : [
          `to search for ${query}: ${costInWords(searchCost(read, plan, pace))}`,
          ...(windows.length > 0 && needsPageSizeProbe(read)
            ? ['  once without dates, to learn how long a page is']
            : []),
          ...listed(windows, most),
        ]),
  ];
}

export function formatTimelinePlan(read: Reads, plan: TimelineBackfillPlan, whole: boolean): string[] {
  const most = whole ? Infinity : LISTED;
  const { gaps, walk, search, pace, end } = plan;
  const isBelow = search?.windows.some(({ from }) => end !== undefined && from < end) ?? false;
  return [
    ...completeLines(plan, most),
    ...section(walk ? 'not known:' : 'not known, and not to be had from the timeline:', gaps, most),
    ...(walk ? [`to walk the timeline as far as it goes or is needed: ${costInWords(walkCost(plan))}`] : []),
    ...(search && !(walk && isFullySearched(search))
      ? [
          isBelow
            ? `its timeline ends at ${shortly(end!)}; services cut lists short, so what is older is searched, too`
            : '',
          walk ? 'then, of what that does not reach:' : '',
          ...formatSearchPlan(read, search, whole, pace),
        ]
      : []),
  ].filter((line) => line !== '');
}

const lackingLines = ({ saturated, rejected }: SearchBackfillPlan, most: number): string[] => [
  ...section('of that, days that hide more than a page shows:', saturated, most),
  ...section('of that, with items that could not be stored (see `trawl rejects`):', rejected, most),
];

/** What the store has after a backfill. Search is never said to be complete. */
export function formatSearchResult(plan: SearchBackfillPlan): string[] {
  const { query, seen, windows, goesOn } = plan;
  if (seen.length + windows.length + goesOn.length === 0) return [];
  return [
    ...section(`seen by searching for ${query} (by relevance, so nothing is proven complete):`, seen, LISTED),
    ...lackingLines(plan, LISTED),
    ...section('not searched to the end:', windows.toReversed(), LISTED),
  ];
}

export const formatTimelineResult = (plan: TimelineBackfillPlan): string[] => [
  ...completeLines(plan, LISTED),
  ...section('gaps:', plan.gaps, LISTED),
  ...(plan.search ? formatSearchResult(plan.search) : []),
];

/** What is known complete, and why that begins later than asked for. */
const completeLines = ({ complete, unproven, born }: TimelineBackfillPlan, most: number): string[] => [
  ...section('known complete:', complete, most),
  ...section('older than the end of the timeline, which was inferred (more may exist):', unproven, most),
  ...(born === undefined ? [] : [`nothing is older than the account, which is of ${formatDay(born)}`]),
];

const spanJson = ({ from, to }: DateWindow) => ({ from: toIso(from), to: toIso(to) });

export const toSearchPlanJson = (read: Reads, plan: SearchBackfillPlan, pace?: TimelineBackfillPlan['pace']) => ({
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

export const toTimelinePlanJson = (read: Reads, plan: TimelineBackfillPlan) => ({
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
