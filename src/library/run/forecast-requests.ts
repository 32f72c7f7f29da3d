import { systemClock } from '#base/clock.ts';
import type { Config } from '#config.ts';
import type { PlanTotals } from '#crawl/planning/plan.ts';
import type { Estimate } from '#service/kinds/crawl-spec.ts';
import { type Forecast, forecastFinish, type QuotaOutlook } from '#service/quota/forecast.ts';
import { computeHeadrooms, type Priority } from '#service/quota/priorities.ts';
import { computeMinWindowMs, type QuotaSample } from '#service/quota/quota-policy.ts';
import { hashKey, type ServiceKey } from '#service/quota/service-key.ts';
import type { PlanningQueries } from '#store/planning-reads.ts';
import { connectToQueue } from './queue-connection.ts';

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

interface OutlookOptions {
  readonly facts: PlanningQueries;
  readonly config: Config;
  readonly service: ServiceKey;
  readonly priority: Priority;
}

/**
 * Returns the quota of a key for a forecast, from the samples of that key.
 *
 * @param sample the current sample of token-info.
 * @param minWindowMs a lower bound of the window's length from another source, in milliseconds.
 */
export async function readOutlook(
  sample: QuotaSample,
  { facts, config, service, priority }: OutlookOptions,
  minWindowMs = 0,
): Promise<QuotaOutlook> {
  const { limit, remaining, resetAt } = sample;
  const samples = [...(await facts.quotaSamples(hashKey(service))), sample].filter((one) => one.limit === limit);
  return {
    limit,
    remaining,
    resetAt,
    headroom: computeHeadrooms(limit, config.reserve, config.headroomShares)[priority],
    windowMs: Math.max(minWindowMs, ...samples.map(computeMinWindowMs)) || undefined,
  };
}

/** Requests token-info for a forecast without a governor. @throws ServiceError if the service does not report the quota. */
export async function requestOutlook(
  options: OutlookOptions & { readonly db: string; readonly storeId: string | undefined },
  signal?: AbortSignal,
): Promise<Pick<PlanReport, 'outlook' | 'requestMs'>> {
  const { facts, config, service } = options;
  const { apiUrl, apiKey } = service;
  // Loaded only for commands that send requests.
  const { createClient } = await import('#service/client/client.ts');
  await using client = createClient({ baseUrl: apiUrl, apiKey, method: config.method });
  const sample = await client.tokenInfo(signal);
  const tookMs = systemClock.now() - sample.at;
  const outlook = await readOutlook(sample, options, await readWindowFromLedger(options));
  return { outlook, requestMs: (await facts.meanRequestMs()) ?? Math.max(1, tookMs) };
}

/** The minimum length of the window in ms, from the ledger that all workers of the key share. */
async function readWindowFromLedger(options: {
  readonly config: Config;
  readonly db: string;
  readonly storeId: string | undefined;
}): Promise<number | undefined> {
  const { storeId } = options;
  if (storeId === undefined) return undefined;
  try {
    await using queue = await connectToQueue({ ...options, storeId });
    const state = await queue?.readQuota();
    return state?.limitSource === 'token-info' ? state.windowMs : undefined;
  } catch {
    // A plan without this bound is still useful.
    return undefined;
  }
}
