import { forecastEnd } from '#service/quota/forecast.ts';
import type { Priority } from '#service/quota/priorities.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import type { Hold, HoldKind } from './describe-holds.ts';

/** Nobody knows when these end. */
const ENDLESS: readonly HoldKind[] = [
  ...(['disk', 'unauthorized', 'token_info'] as const),
  ...(['outage', 'control_forbidden', 'control_not_found'] as const),
];

/** Requests per ms. */
export interface RequestRates {
  /** Of the last period, with its pauses. */
  readonly now: number;
  /** The best of these so far, which a pause does not lower. */
  readonly best: number;
}

/** What sets the pace of crawls. */
interface Pace {
  readonly now: number;
  readonly priority: Priority;
  readonly rates: RequestRates;
  /** Undefined if it is unknown: then it sets no limit. */
  readonly quota: QuotaStatus | undefined;
  readonly hold?: Hold | undefined;
  /** Crawls were held within the period of the rates. */
  readonly hasPaused?: boolean;
}

/** The ms until requests are sent, by the rate and by what the quota lets pass; undefined if it is unknown. */
export function estimateTimeRemaining(requests: number, pace: Pace): number | undefined {
  const { now, priority, rates, quota, hold, hasPaused = false } = pace;
  if (hold && ENDLESS.includes(hold.kind)) return undefined;
  const isPaced = hasPaused || requests > (quota?.priorities[priority].spendable ?? Infinity);
  // Where the quota sets the pace, the windows contain the pauses; an outage that has ended is not expected again.
  const rate = isPaced ? rates.best : rates.now;
  if (rate === 0) return undefined;
  const start = hold === undefined || hold.kind === 'low' ? now : Math.max(now, hold.until ?? now);
  const end = forecastEnd(requests, { quota, priority, start, gapMs: 1 / rate });
  return end === undefined ? undefined : end - now;
}
