import { MINUTE, SECOND } from '../clock.ts';

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
/**
 * Grants that a process has at hand are sent within this, or not at all. It is no longer than polls are apart, so what
 * strangers spend can come between a grant and its request at one poll, and at no second one.
 */
export const PREFETCH_LIFETIME = 250;
/** A process has no more at hand for a priority than this, nor than one part in so many of what is left until the next poll. */
export const MAX_PREFETCH = 16;
export const PREFETCH_DIVISOR = 32;
const SLOWEST_LOOK = 5 * SECOND;
/** Nobody sets a poll or a look so far ahead: it was a clock that is wrong, or that was set back since. */
export const MAX_CHECK_DELAY = 2 * SLOWEST_LOOK;
const USUAL_LOOK = SECOND;
const SHORT_WINDOW = 10 * SECOND;
/** A pause that a sliding window frees slowly ends with less than a batch between these two. */
const PATIENCE = { least: 5 * SECOND, most: 30 * SECOND } as const;
const BATCH_SHARE = 0.05;

/**
 * The reserve in requests. A share keeps at least one back, but leaves one to use however small the limit is; a number
 * of requests is kept as it was said, even if nothing is left to use.
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
  /** Reservations open now; some of them were perhaps subtracted twice. */
  readonly open: number;
  readonly resetAt: number | undefined;
  /** Since when the priority is paused for low quota, and when the pause ends with less than a batch. */
  readonly pausedSince: number | undefined;
  readonly resumeBy: number | undefined;
}

/** When the next poll is due, and whether the priority pauses. */
export interface PauseDecision {
  /** Ask again when the estimate has come down to this. */
  readonly pollBelow: number;
  /** A pause: when to look again, at the latest. */
  readonly lookAt: number | undefined;
  /** And when it should be over. */
  readonly endsAt: number | undefined;
  readonly pausedSince: number | undefined;
  readonly resumeBy: number | undefined;
}

const GOES_ON = { lookAt: undefined, endsAt: undefined, pausedSince: undefined, resumeBy: undefined } as const;

/**
 * Low is an estimate at or under the headroom of the priority. A pause ends when a batch is free, so that a window that frees one
 * request at a time does not wake everybody for one each; after `resumeBy` it ends with anything that is free.
 */
export function decidePause(facts: PauseInput): PauseDecision {
  const { now, limit, headroom, estimate, open, resetAt, pausedSince } = facts;
  const above = estimate - headroom;
  const batch = Math.max(1, Math.min(Math.ceil(limit * BATCH_SHARE), limit - headroom));
  const waited = pausedSince === undefined || now >= (facts.resumeBy ?? now);
  if (above >= (waited ? 1 : batch)) {
    return { ...GOES_ON, pollBelow: headroom + Math.floor(above / 2) };
  }
  if (pausedSince === undefined && above + open > 0) {
    // Perhaps the open requests are all that is missing, and were counted twice: look again when they are done.
    return { ...GOES_ON, pollBelow: headroom, lookAt: now + MIN_POLL_INTERVAL };
  }
  const since = pausedSince ?? now;
  const lookAt = scheduleCheck(now, since, resetAt);
  return {
    ...{ pollBelow: headroom, lookAt, pausedSince: since },
    endsAt: resetAt !== undefined && resetAt > now ? resetAt : lookAt,
    resumeBy: facts.resumeBy ?? clamp(resetAt ?? Infinity, since + PATIENCE.least, since + PATIENCE.most),
  };
}

/**
 * When a pause looks again: at the reset, or earlier, since a sliding window frees quota before. Every 1 to 5 s, faster
 * when the window is short; a reset that keeps being near, or is past, does not make it spin.
 */
export function scheduleCheck(now: number, since: number, resetAt: number | undefined): number {
  const left = resetAt === undefined ? 0 : resetAt - now;
  const fastest = left > 0 && left <= SHORT_WINDOW ? MIN_POLL_INTERVAL : USUAL_LOOK;
  const look = clamp(Math.max(left, now - since) / 10, fastest, SLOWEST_LOOK);
  return now + Math.round(left > 0 ? Math.max(MIN_POLL_INTERVAL, Math.min(left, look)) : look);
}

/** The state when a poll fails. */
export interface TokenInfoOutage {
  readonly now: number;
  /** The last estimate may still be spent from. */
  readonly isUsable: boolean;
  readonly pausedSince: number | undefined;
  readonly resetAt: number | undefined;
}

/** How to continue without token-info. */
export interface FallbackDecision {
  readonly nextPollAt: number;
  readonly lookAt: number | undefined;
  /** Until then requests are granted one at a time, and a 429 says when there are too many. */
  readonly probeUntil: number | undefined;
}

/** The last estimate is spent down to the headroom; a pause waits for the reset; then one request at a time. */
export function decideFallback({ now, isUsable, pausedSince, resetAt }: TokenInfoOutage): FallbackDecision {
  const nextPollAt = now + SLOWEST_LOOK;
  if (isUsable) return { nextPollAt, lookAt: undefined, probeUntil: undefined };
  const end = pausedSince === undefined ? now : Math.min(resetAt ?? Infinity, pausedSince + PATIENCE.most);
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
