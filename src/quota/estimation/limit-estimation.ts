import { MINUTE, SECOND } from '../../clock.ts';
import type { QuotaSample } from '../policy.ts';

/**
 * The quota while token-info is out or wrong, estimated from the permits between refusals and from the length of refusals.
 * Pure. The window is assumed to be sliding: at most `limit` requests in any time of that length. This also keeps within a
 * fixed window, and within a longer one of the same rate.
 */
export interface EstimatedLimit {
  readonly limit: number;
  readonly windowMs: number;
}

/** The number of all requests that were sent until a time. Lists of them are in the order of time. */
export type SpentCount = readonly [at: number, spent: number];

const SHORTEST_WINDOW = SECOND;
const MAX_COUNTS = 128;
const STEP_UP = 0.05;
const STEP_DOWN = 0.02;
const MIN_COOLDOWN = 30 * SECOND;
const MAX_BACKOFF_LEVEL = 5;

/** The requests after a time, at most: those between two counts are counted at the later one. */
export function countSpentSince(counts: readonly SpentCount[], time: number, spent: number): number {
  const before = counts.findLast(([at]) => at <= time) ?? counts[0];
  return before === undefined ? 0 : spent - before[1];
}

/** Adds a count, and drops those that no window needs; of too many, every other one. */
export function addSpentCount(
  counts: readonly SpentCount[],
  count: SpentCount,
  windowMs: number | undefined,
): SpentCount[] {
  const start = windowMs === undefined ? -Infinity : count[0] - 2 * windowMs;
  const first = counts.findLastIndex(([at]) => at <= start);
  const all = [...counts.slice(Math.max(0, first)), count];
  return all.length <= MAX_COUNTS ? all : all.filter((_, i) => i % 2 === 0 || i === all.length - 1);
}

/** The first counts: the usage of the last sample counts as sent at the time of the sample. */
export function createSpentCounts(
  sample: Pick<QuotaSample, 'limit' | 'remaining' | 'at'>,
  spentThen: number,
): SpentCount[] {
  const { limit, remaining, at } = sample;
  const used = Math.max(0, limit - remaining);
  return [
    [at - 1, spentThen - used],
    [at, spentThen],
  ];
}

/** The sample that token-info would give if the estimated limit were true. */
export function estimateSample(
  estimatedLimit: EstimatedLimit,
  counts: readonly SpentCount[],
  spent: number,
  now: number,
): QuotaSample {
  const { limit, windowMs } = estimatedLimit;
  const used = countSpentSince(counts, now - windowMs, spent);
  const oldest = counts.find(([at]) => at > now - windowMs);
  const resetAt = used > 0 && oldest !== undefined ? oldest[0] + windowMs : undefined;
  return { limit, remaining: Math.max(0, limit - used), resetAt, at: now };
}

/** A refusal and the requests before it. */
export interface RefusalEvidence {
  readonly now: number;
  /** The end of the refusal, by Retry-After or assumed. */
  readonly until: number;
  /** When the first request after the last refusal was granted, and how many were granted since, without this one. */
  readonly since: number;
  readonly granted: number;
  /** The estimate before, and the requests within its window. */
  readonly previous: EstimatedLimit | undefined;
  readonly inWindow: number;
  /** The window by token-info, as far as it was right about it. */
  readonly tokenInfoWindowMs?: number | undefined;
}

/** The estimate after a refusal. */
export function estimateLimit(evidence: RefusalEvidence): EstimatedLimit {
  const { now, until, since, granted, previous, inWindow, tokenInfoWindowMs = Infinity } = evidence;
  if (previous === undefined) {
    const wholeMs = Math.max(SHORTEST_WINDOW, until - Math.min(since, now));
    // The same rate in a shorter window; at least one request in each.
    const windowMs = Math.max(SHORTEST_WINDOW, Math.min(wholeMs, tokenInfoWindowMs + until - now));
    return { limit: Math.max(1, Math.floor((granted * windowMs) / wholeMs)), windowMs };
  }
  const seen = Math.max(1, inWindow);
  // The window is at least as long as the wait.
  if (until - now > previous.windowMs) return { limit: seen, windowMs: previous.windowMs + until - now };
  const lower = Math.floor(previous.limit * (1 - STEP_DOWN)) - 1;
  return { ...previous, limit: Math.max(1, Math.min(lower, seen)) };
}

/** How long the estimate stays unchanged; it doubles with each recent refusal. */
export const computeCooldownMs = (windowMs: number, backoffLevel: number): number =>
  Math.max(2 * windowMs, MIN_COOLDOWN) * 2 ** Math.min(backoffLevel, MAX_BACKOFF_LEVEL);

/** A slightly higher limit, to test whether it has risen; at most the limit of token-info. */
export const raiseLimit = ({ limit, windowMs }: EstimatedLimit, max: number | undefined): EstimatedLimit => ({
  limit: Math.max(limit, Math.min(max ?? Infinity, limit + Math.max(1, Math.round(limit * STEP_UP)))),
  windowMs,
});

/** Whether token-info reports quota right after a 429, in contradiction to the service. */
export const isContradiction = (
  { limit, remaining }: Pick<QuotaSample, 'limit' | 'remaining'>,
  reserve: number,
): boolean => remaining > Math.max(reserve, Math.ceil(limit / 10));

/** After so many contradictions in a row, refusals are trusted instead of token-info. */
export const MAX_CONTRADICTIONS = 2;
const FIRST_DISTRUST = 10 * MINUTE;
const LONGEST_DISTRUST = 12 * 60 * MINUTE;

/** How long token-info is not trusted: each time twice as long. */
export const computeDistrustMs = (before: number | undefined, windowMs: number): number =>
  Math.min(LONGEST_DISTRUST, Math.max(FIRST_DISTRUST, 10 * windowMs, 2 * (before ?? 0)));

/** A reset that is further away gives no window. */
const LONGEST_WINDOW = 32 * 24 * 60 * MINUTE;

/** A lower bound of the window by one sample; 0 if unknown. */
export function computeMinWindowMs({ limit, remaining, resetAt, at }: QuotaSample): number {
  const left = (resetAt ?? at) - at;
  return remaining < limit && left > 0 && left <= LONGEST_WINDOW ? left : 0;
}
