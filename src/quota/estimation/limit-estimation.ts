import { MINUTE, SECOND } from '../../clock.ts';
import type { QuotaSample } from '../policy.ts';

/**
 * What the quota seems to be where token-info does not say so, or is wrong: estimatedLimit from what was granted between
 * refusals, and from how long each one lasted. All pure.
 *
 * It is always taken for a sliding window: never more than `limit` in any time of that length. That keeps within a fixed
 * window too, and within a longer one that allows as much in the long run.
 */
export interface EstimatedLimit {
  readonly limit: number;
  readonly windowMs: number;
}

/** How many requests had ever been sent at a time. Marks are in the order of time. */
export type SpentCount = readonly [at: number, spent: number];

const SHORTEST_WINDOW = SECOND;
const MOST_MARKS = 128;
const STEP_UP = 0.05;
const STEP_DOWN = 0.02;
const MIN_COOLDOWN = 30 * SECOND;
const MAX_BACKOFF_LEVEL = 5;

/** What was sent after a time, at most: what lies between two marks was sent at the later one. */
export function countSpentSince(marks: readonly SpentCount[], time: number, spent: number): number {
  const before = marks.findLast(([at]) => at <= time) ?? marks[0];
  return before === undefined ? 0 : spent - before[1];
}

/** Marks with one more; those that no window needs any more go, and of too many every other one. */
export function addSpentCount(
  marks: readonly SpentCount[],
  mark: SpentCount,
  windowMs: number | undefined,
): SpentCount[] {
  const start = windowMs === undefined ? -Infinity : mark[0] - 2 * windowMs;
  const first = Math.max(
    0,
    marks.findLastIndex(([at]) => at <= start),
  );
  const kept = marks.slice(first);
  const all = [...kept, mark];
  return all.length <= MOST_MARKS ? all : all.filter((_, i) => i % 2 === 0 || i === all.length - 1);
}

/** Marks to begin with: what the last sample says is used counts as sent when it was asked. */
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

/** What token-info would say, if it were there and the quota were as estimatedLimit. */
export function estimateSample(
  estimatedLimit: EstimatedLimit,
  marks: readonly SpentCount[],
  spent: number,
  now: number,
): QuotaSample {
  const { limit, windowMs } = estimatedLimit;
  const used = countSpentSince(marks, now - windowMs, spent);
  const oldest = marks.find(([at]) => at > now - windowMs);
  const resetAt = used > 0 && oldest !== undefined ? oldest[0] + windowMs : undefined;
  return { limit, remaining: Math.max(0, limit - used), resetAt, at: now };
}

/** A refusal, and what led to it. */
export interface RefusalEvidence {
  readonly now: number;
  /** Until when, as it said or as we guess. */
  readonly until: number;
  /** When the first request since the last refusal was granted, and how many were granted since, without this one. */
  readonly since: number;
  readonly granted: number;
  /** What was thought before, and how many were sent within that window. */
  readonly previous: EstimatedLimit | undefined;
  readonly inWindow: number;
  /** How long the window is by token-info, wherever it was seen to be right about that. */
  readonly tokenInfoWindowMs?: number | undefined;
}

/** What a refusal teaches. */
export function estimateLimit({
  now,
  until,
  since,
  granted,
  previous,
  inWindow,
  tokenInfoWindowMs = Infinity,
}: RefusalEvidence): EstimatedLimit {
  if (previous === undefined) {
    const wholeMs = Math.max(SHORTEST_WINDOW, until - Math.min(since, now));
    // The same pace in a shorter window; of refusals that are many windows apart, one request in each.
    const windowMs = Math.max(SHORTEST_WINDOW, Math.min(wholeMs, tokenInfoWindowMs + until - now));
    return { limit: Math.max(1, Math.floor((granted * windowMs) / wholeMs)), windowMs };
  }
  const seen = Math.max(1, inWindow);
  // It cannot be shorter than the wait: so many in the window we thought of, and then none until it is over.
  if (until - now > previous.windowMs) return { limit: seen, windowMs: previous.windowMs + until - now };
  const lower = Math.floor(previous.limit * (1 - STEP_DOWN)) - 1;
  return { ...previous, limit: Math.max(1, Math.min(lower, seen)) };
}

/** How long nothing is changed: the longer, the more often it was refused of late. */
export const computeCooldownMs = (windowMs: number, backoffLevel: number): number =>
  Math.max(2 * windowMs, MIN_COOLDOWN) * 2 ** Math.min(backoffLevel, MAX_BACKOFF_LEVEL);

/** A little more, to find out whether the limit is higher by now; never more than the service ever said. */
export const raiseLimit = ({ limit, windowMs }: EstimatedLimit, max: number | undefined): EstimatedLimit => ({
  limit: Math.max(limit, Math.min(max ?? Infinity, limit + Math.max(1, Math.round(limit * STEP_UP)))),
  windowMs,
});

/** token-info said so much is left, right after a 429: it contradicts the service itself. */
export const isContradiction = (
  { limit, remaining }: Pick<QuotaSample, 'limit' | 'remaining'>,
  reserve: number,
): boolean => remaining > Math.max(reserve, Math.ceil(limit / 10));

/** So many contradicted refusals in a row, and the refusals are believed instead. */
export const MAX_CONTRADICTIONS = 2;
const FIRST_DISTRUST = 10 * MINUTE;
const LONGEST_DISTRUST = 12 * 60 * MINUTE;

/** How long token-info is not believed: each time twice as long. */
export const computeDistrustMs = (before: number | undefined, windowMs: number): number =>
  Math.min(LONGEST_DISTRUST, Math.max(FIRST_DISTRUST, 10 * windowMs, 2 * (before ?? 0)));

/** No answer of token-info is older than this when the window's length is estimatedLimit from it. */
const LONGEST_WINDOW = 32 * 24 * 60 * MINUTE;

/** How long the window is at least, by one sample; 0 where it tells nothing. */
export function computeMinWindowMs({ limit, remaining, resetAt, at }: QuotaSample): number {
  const left = (resetAt ?? at) - at;
  return remaining < limit && left > 0 && left <= LONGEST_WINDOW ? left : 0;
}
