import type { Priority } from './priorities.ts';
import type { QuotaStatus } from './quota-status.ts';

/** The quota that a forecast starts from. */
export interface QuotaOutlook {
  readonly limit: number;
  readonly remaining: number;
  /** The headroom of the crawls' priority. */
  readonly headroom: number;
  readonly resetAt: number | undefined;
  /** A lower bound of the window in milliseconds, by token-info; undefined if unknown. */
  readonly windowMs: number | undefined;
}

export interface Forecast {
  /** Windows that are used, the current one included if it has quota left. */
  readonly windows: number;
  /** The number of waits for quota. */
  readonly waits: number;
  /** The earliest time of the last response; undefined if it needs a window of unknown length. */
  readonly earliestAt: number | undefined;
  /** The time of the last response, if it does not depend on the quota. */
  readonly finishAt: number | undefined;
}

/** The requests of a priority in a window without other requests. */
export const computeRequestsPerWindow = ({ limit, headroom }: Pick<QuotaOutlook, 'limit' | 'headroom'>): number =>
  Math.max(0, limit - headroom);

/**
 * Forecasts the windows and the end of a number of requests, without requests of others. Undefined if no request is allowed.
 * @param workMs the duration of a number of requests with quota.
 */
export function forecastFinish(
  requests: number,
  outlook: QuotaOutlook,
  now: number,
  workMs: (requests: number) => number,
): Forecast | undefined {
  const { limit, remaining, headroom, resetAt, windowMs } = outlook;
  const share = computeRequestsPerWindow(outlook);
  const left = Math.max(0, Math.min(remaining, limit) - headroom);
  if (requests <= left) {
    const at = now + workMs(requests);
    return { windows: 1, waits: 0, earliestAt: at, finishAt: at };
  }
  if (share === 0) return undefined;
  const waits = Math.ceil((requests - left) / share);
  const windows = waits + (left > 0 ? 1 : 0);
  if (windowMs === undefined) return { windows, waits, earliestAt: undefined, finishAt: undefined };
  // No quota returns before the reset. Then each window returns its share at once at the earliest.
  const gapMs = workMs(requests) / requests;
  const firstReturn = Math.max(now, Math.min(resetAt ?? now, now + windowMs));
  const last = requests - left - (waits - 1) * share;
  const quotaEnd = firstReturn + (waits - 1) * Math.max(windowMs, share * gapMs) + last * gapMs;
  return { windows, waits, earliestAt: Math.max(now + requests * gapMs, quotaEnd), finishAt: undefined };
}

/**
 * Forecasts the end of a number of requests by what the ledger knows. Milliseconds UTC; undefined if it needs a window of
 * unknown length, or if no request is allowed.
 */
export function forecastEnd(
  requests: number,
  work: {
    readonly quota: QuotaStatus | undefined;
    readonly priority: Priority;
    readonly start: number;
    readonly gapMs: number;
  },
): number | undefined {
  const { quota, priority, start, gapMs } = work;
  const { limit, estimate, resetAt, windowMs } = quota ?? {};
  if (quota === undefined || limit === undefined || estimate === undefined) return start + requests * gapMs;
  const { headroom = 0 } = quota.priorities[priority];
  // Where no reset is to come, a window of the whole quota begins at the start.
  const isDue = resetAt === undefined ? windowMs !== undefined : resetAt <= start;
  const current = isDue
    ? { remaining: limit, resetAt: windowMs === undefined ? undefined : start + windowMs }
    : { remaining: Math.max(0, estimate), resetAt };
  return forecastFinish(requests, { limit, headroom, windowMs, ...current }, start, (n) => n * gapMs)?.earliestAt;
}
