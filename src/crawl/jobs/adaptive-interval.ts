import type { EndedCrawl } from '#store/schema/query-results.ts';

/**
 * An adaptive schedule crawls each target at an interval of its own: in inverse proportion to the square root of its new
 * items per time. Of all rules that send as many requests, this one finds new items soonest (decision 85).
 */

/** Bounds of the intervals, in milliseconds. The job has a run at each `every`, which crawls the targets that are due. */
export interface AdaptiveSchedule {
  readonly every: number;
  readonly greatest: number;
}

/** An interval becomes at most so many times as long: a quiet day does not show a quiet account. */
const MOST_GROWTH = 2;

/** The interval from the latest crawl of a target to the next one, in milliseconds. @param crawls the latest, newest first */
export function findInterval({ every, greatest }: AdaptiveSchedule, crawls: readonly EndedCrawl[]): number {
  const [last, before] = crawls;
  const first = crawls.at(-1);
  if (!last || !before || !first) return every;
  const newItems = crawls.slice(0, -1).reduce((sum, crawl) => sum + crawl.newItems, 0);
  // With one new item in the greatest interval, this is that interval.
  const wanted = Math.sqrt((greatest * (last.startedAt - first.startedAt)) / (newItems + 1));
  const longest = Math.min(MOST_GROWTH * (last.startedAt - before.startedAt), greatest - every / 2);
  return Math.max(every, Math.min(wanted, longest));
}

/** Whether a run at a time crawls a target: the run that is nearest to the end of its interval. */
export const isDue = (schedule: AdaptiveSchedule, crawls: readonly EndedCrawl[], at: number): boolean =>
  crawls[0] === undefined || crawls[0].startedAt + findInterval(schedule, crawls) < at + schedule.every / 2;
