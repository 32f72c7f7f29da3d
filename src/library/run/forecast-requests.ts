import type { PlanTotals } from '../../crawl/planning/plan.ts';
import type { Estimate } from '../../service/kinds/crawl-spec.ts';
import { type Forecast, forecastFinish, type QuotaOutlook } from '../../service/quota/forecast.ts';

/** The cost of the crawls of one run, with the facts that a report needs. */
export interface PlanReport {
  readonly totals: PlanTotals;
  readonly outlook: QuotaOutlook | undefined;
  /** The mean time of a request in milliseconds; undefined if unknown. */
  readonly requestMs: number | undefined;
  readonly concurrency: number;
  readonly now: number;
  /** The budget of all crawls together. */
  readonly maxRequests?: number | undefined;
  /** The maximum number of requests that a probe for the missing facts costs; undefined if no probe would help. */
  readonly probeRequests?: number | undefined;
}

/** A forecast for each number of an estimate. */
export type Forecasts = { readonly [K in keyof Estimate]: Forecast | undefined };

/** Returns a forecast for each number of an estimate; undefined without a quota, and for an unknown number. */
export function forecastRequests({ totals, outlook, requestMs = 0, concurrency, now }: PlanReport): Forecasts {
  const { requests, crawls, longest, hasChildren } = totals;
  const atOnce = Math.max(1, hasChildren ? concurrency : Math.min(concurrency, crawls));
  // The time without pauses: the pages of a crawl are sequential, crawls are concurrent.
  const workMs = (n: number): number => requestMs * Math.max(Math.min(longest, n), Math.ceil(n / atOnce));
  const forecast = (n: number | null): Forecast | undefined =>
    n === null || outlook === undefined ? undefined : forecastFinish(n, outlook, now, workMs);
  return { min: forecast(requests.min), expected: forecast(requests.expected), max: forecast(requests.max) };
}
