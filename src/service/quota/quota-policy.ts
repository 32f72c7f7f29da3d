import { DAY, MINUTE, SECOND } from '#base/clock.ts';

/** The governor's decisions as pure functions (invariant 8). */

/** The part of the quota that is never spent: `{ share: 0.1 }` of the limit, or `{ requests: 50 }`. */
export type Reserve = { readonly share: number } | { readonly requests: number };

/** A response of token-info. */
export interface QuotaSample {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds UTC; undefined if absent. It may be past, far ahead, or from a clock that differs. */
  readonly resetAt: number | undefined;
  /** Time of the request. */
  readonly at: number;
}

/** The shortest time between polls, in milliseconds. */
export const MIN_POLL_INTERVAL = 250;
/** An older sample requires a new poll. */
export const MAX_SAMPLE_AGE = 30 * SECOND;
/** Cached permits expire after this. It is at most the poll interval, so that at most one poll falls between grant and use. */
export const PREFETCH_LIFETIME = 250;
/** The most permits that a process caches for a priority, and their part of the quota that is left until the next poll. */
export const MAX_PREFETCH = 16;
export const PREFETCH_DIVISOR = 32;
const SLOWEST_CHECK = 5 * SECOND;
/** A check that is scheduled later than this is of a wrong clock, or of one that was set back. */
export const MAX_CHECK_DELAY = 2 * SLOWEST_CHECK;
const USUAL_CHECK = SECOND;
const SHORT_WINDOW = 10 * SECOND;
/** A pause ends with less than a free batch after a time between these bounds. */
const RESUME_AFTER = { least: 5 * SECOND, most: 30 * SECOND } as const;
const BATCH_SHARE = 0.05;

/**
 * The reserve in requests. A share keeps at least one request and leaves at least one; a number of requests is kept even if
 * nothing is left.
 */
export function computeReserve(limit: number, reserve: Reserve): number {
  if ('requests' in reserve) return Math.min(reserve.requests, limit);
  if (reserve.share <= 0) return 0;
  const share = Math.ceil(limit * reserve.share - 1e-9); // 70 * 0.1 is a little more than 7
  return Math.max(0, Math.min(Math.max(1, share), limit - 1));
}

/** The state of a priority after a sample was applied. */
export interface PauseInput {
  readonly now: number;
  readonly limit: number;
  /** The number of requests that the priority leaves, the reserve included. */
  readonly headroom: number;
  /** A lower bound of the remaining quota: `remaining` minus requests that token-info may not have counted. */
  readonly estimate: number;
  /** Open reservations; some of them may have been subtracted twice. */
  readonly open: number;
  readonly resetAt: number | undefined;
  /** Since when the priority is paused for low quota, and when the pause ends with less than a batch. */
  readonly pausedSince: number | undefined;
  readonly resumeBy: number | undefined;
}

/** When the next poll is due, and whether the priority pauses. */
export interface PauseDecision {
  /** Poll again when the estimate is at most this. */
  readonly pollBelow: number;
  /** Of a pause: when to check again at the latest. */
  readonly lookAt: number | undefined;
  /** The expected end of a pause. */
  readonly endsAt: number | undefined;
  readonly pausedSince: number | undefined;
  readonly resumeBy: number | undefined;
}

const NO_PAUSE = { lookAt: undefined, endsAt: undefined, pausedSince: undefined, resumeBy: undefined } as const;

/**
 * The quota is low if the estimate is at most the headroom of the priority. A pause ends when a batch is free, so that a
 * sliding window does not end it for every single request; after `resumeBy` it ends with any free request.
 */
export function decidePause(facts: PauseInput): PauseDecision {
  const { now, limit, headroom, estimate, open, resetAt, pausedSince } = facts;
  const above = estimate - headroom;
  const batch = Math.max(1, Math.min(Math.ceil(limit * BATCH_SHARE), limit - headroom));
  const waited = pausedSince === undefined || now >= (facts.resumeBy ?? now);
  if (above >= (waited ? 1 : batch)) {
    return { ...NO_PAUSE, pollBelow: headroom + Math.floor(above / 2) };
  }
  if (pausedSince === undefined && above + open > 0) {
    // The open requests may have been counted twice: check again when they have ended.
    return { ...NO_PAUSE, pollBelow: headroom, lookAt: now + MIN_POLL_INTERVAL };
  }
  const since = pausedSince ?? now;
  const lookAt = scheduleCheck(now, since, resetAt);
  return {
    pollBelow: headroom,
    lookAt,
    pausedSince: since,
    endsAt: resetAt !== undefined && resetAt > now ? resetAt : lookAt,
    resumeBy: facts.resumeBy ?? clamp(resetAt ?? Infinity, since + RESUME_AFTER.least, since + RESUME_AFTER.most),
  };
}

/**
 * When a pause is checked again: at the reset, or earlier, since a sliding window frees quota before. Every 1 to 5 s, more
 * often in a short window; never at once, even if the reset is near or past.
 */
export function scheduleCheck(now: number, since: number, resetAt: number | undefined): number {
  const left = resetAt === undefined ? 0 : resetAt - now;
  const fastest = left > 0 && left <= SHORT_WINDOW ? MIN_POLL_INTERVAL : USUAL_CHECK;
  const delay = clamp(Math.max(left, now - since) / 10, fastest, SLOWEST_CHECK);
  return now + Math.round(left > 0 ? Math.max(MIN_POLL_INTERVAL, Math.min(left, delay)) : delay);
}

/** A reset that is further away gives no window. */
const LONGEST_WINDOW = 32 * DAY;

/** A lower bound of the window by one sample, in milliseconds; 0 if unknown. */
export function computeMinWindowMs({ limit, remaining, resetAt, at }: QuotaSample): number {
  const left = (resetAt ?? at) - at;
  return remaining < limit && left > 0 && left <= LONGEST_WINDOW ? left : 0;
}

interface TokenInfoOutage extends Pick<PauseInput, 'now' | 'pausedSince' | 'resetAt'> {
  /** The last estimate allows more requests. */
  readonly isUsable: boolean;
}

/**
 * How to continue when a poll fails. The last estimate is used down to the headroom; a pause waits for the reset; then, until
 * `probeUntil`, requests are granted one at a time.
 */
export function decideFallback({ now, isUsable, pausedSince, resetAt }: TokenInfoOutage) {
  const nextPollAt = now + SLOWEST_CHECK;
  if (isUsable) return { nextPollAt, lookAt: undefined, probeUntil: undefined };
  const end = pausedSince === undefined ? now : Math.min(resetAt ?? Infinity, pausedSince + RESUME_AFTER.most);
  if (pausedSince !== undefined && now < end) {
    const until = Math.max(now + MIN_POLL_INTERVAL, Math.min(end, nextPollAt));
    return { nextPollAt: until, lookAt: until, probeUntil: undefined };
  }
  return { nextPollAt, lookAt: undefined, probeUntil: nextPollAt };
}

/** The end of the block after a refusal, milliseconds UTC. Then token-info is polled. */
export function computeBlockEnd(now: number, retryAfterMs: number | undefined, resetAt: number | undefined): number {
  if (retryAfterMs !== undefined) return now + clamp(retryAfterMs, MIN_POLL_INTERVAL, 60 * MINUTE);
  if (resetAt !== undefined && resetAt > now) return now + clamp(resetAt - now, MIN_POLL_INTERVAL, MINUTE);
  return now + 30 * SECOND;
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
