import { DAY } from '../../base/clock.ts';
import { countDays } from '../../crawl/search/date-windows.ts';
import type { Estimate } from '../../service/kinds/crawl-spec.ts';
import type { SearchBackfillPlan, TimelineBackfillPlan } from './backfill-plan.ts';

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
