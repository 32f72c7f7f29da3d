import { SECOND } from '../../clock.ts';
import type { Priority } from '../priorities.ts';
import type { QuotaStatus } from '../quota-status.ts';
import type { WindowEstimate, WindowRange } from './window-estimation.ts';

/** The quota that a forecast starts from. */
export interface QuotaOutlook {
  readonly limit: number;
  readonly remaining: number;
  /** The headroom of the crawls' priority. */
  readonly headroom: number;
  readonly resetAt: number | undefined;
  readonly window: WindowEstimate;
  /** The recorded times of requests that may still count, in the order of time. */
  readonly spentAt: readonly number[];
}

export interface Forecast {
  /** Windows that are used, the current one included if it has quota left. */
  readonly windows: number;
  /** The number of waits for quota. */
  readonly waits: number;
  /** Bounds of the time of the last response, which contain the windows; undefined if unknown. */
  readonly earliestAt: number | undefined;
  readonly latestAt: number | undefined;
  /** One time, if the quota does not matter or its window is proven. */
  readonly finishAt: number | undefined;
}

/** The requests of a priority in a window without other requests. */
export const computeRequestsPerWindow = ({ limit, headroom }: Pick<QuotaOutlook, 'limit' | 'headroom'>): number =>
  Math.max(0, limit - headroom);

/** A pause may end so much later than the quota allows: see `decidePause` and `scheduleCheck` of policy.ts. */
const LONGEST_DELAY = 35 * SECOND;

/** The requests to send, and their rate. */
interface Work {
  readonly requests: number;
  /** Allowed in a window. */
  readonly share: number;
  /** Allowed now. */
  readonly left: number;
  /** The time between two requests with quota. */
  readonly gapMs: number;
  readonly now: number;
}

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
  const { remaining, headroom, window } = outlook;
  const share = computeRequestsPerWindow(outlook);
  const left = Math.max(0, Math.min(remaining, outlook.limit) - headroom);
  if (requests <= left) {
    const at = now + workMs(requests);
    return { windows: 1, waits: 0, earliestAt: at, latestAt: at, finishAt: at };
  }
  if (share === 0) return undefined;
  const waits = Math.ceil((requests - left) / share);
  const windows = waits + (left > 0 ? 1 : 0);
  const work = { requests, share, left, gapMs: workMs(requests) / requests, now };
  const { provenMs } = window;
  if (provenMs !== undefined) {
    const ends = window.ranges.map(({ kind, maxMs = Infinity }) =>
      finishIn(kind, { windowMs: provenMs, countedMs: maxMs, resetWithinMs: provenMs }, work, outlook),
    );
    const finishAt = reduceTimes(ends, Math.max);
    if (finishAt !== undefined) return { windows, waits, earliestAt: finishAt, latestAt: finishAt, finishAt };
  }
  // When requests of others return is unknown, and a window of unknown length has no end.
  const earliest = window.ranges.map(({ kind, minMs }) =>
    minMs === 0
      ? undefined
      : finishIn(kind, { windowMs: minMs, countedMs: minMs, resetWithinMs: Infinity }, work, outlook),
  );
  const latest = window.ranges.map(({ kind, minMs, maxMs }) => {
    if (maxMs === undefined) return undefined;
    const reset = { end: now + maxMs, usableUntil: now };
    const bounds = { windowMs: maxMs, countedMs: minMs, resetWithinMs: maxMs, reset, othersReturnAt: now + maxMs };
    return finishIn(kind, bounds, work, outlook);
  });
  const delay = Math.min(LONGEST_DELAY, ...window.ranges.map(({ maxMs }) => maxMs ?? Infinity));
  const end = reduceTimes(latest, Math.max);
  const latestAt = end === undefined ? undefined : end + waits * delay;
  return { windows, waits, earliestAt: reduceTimes(earliest, Math.min), latestAt, finishAt: undefined };
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
  const ranges = [{ kind: 'fixed', minMs: windowMs ?? 0, maxMs: windowMs } as const];
  const window = { ranges, provenMs: windowMs, reason: undefined };
  const outlook = { limit, headroom, window, spentAt: [], ...current };
  return forecastFinish(requests, outlook, start, (n) => n * gapMs)?.latestAt;
}

/** One of some times; undefined if one is unknown. */
const reduceTimes = (
  times: readonly (number | undefined)[],
  choose: (...times: readonly number[]) => number,
): number | undefined => (times.includes(undefined) ? undefined : choose(...(times as readonly number[])));

/** What is assumed of a window where the record does not tell. */
interface Assumption {
  readonly windowMs: number;
  /** Own requests that are older than this have returned. */
  readonly countedMs: number;
  /** A reset that is further away is not the end of a fixed window; then `reset` is assumed. */
  readonly resetWithinMs: number;
  readonly reset?: FixedReset;
  /** When requests of others return. */
  readonly othersReturnAt?: number;
}

/** The end of the current fixed window, and until when its quota can be used. */
interface FixedReset {
  readonly end: number;
  readonly usableUntil: number;
}

/** When the work is done in one kind of window; undefined where nothing is assumed of an unknown return. */
function finishIn(
  kind: WindowRange['kind'],
  { windowMs, countedMs, resetWithinMs, reset, othersReturnAt }: Assumption,
  work: Work,
  { limit, remaining, resetAt, spentAt }: QuotaOutlook,
): number | undefined {
  const { now } = work;
  if (kind === 'fixed') {
    const isKnown = resetAt !== undefined && resetAt > now && resetAt <= now + resetWithinMs * 1.1;
    const first = isKnown ? { end: resetAt, usableUntil: resetAt } : reset;
    return first && inFixed(work, first, windowMs);
  }
  const used = Math.max(0, limit - remaining);
  const own = spentAt.filter((at) => at > now - countedMs).slice(-used || Infinity);
  const others = used - own.length;
  if (others > 0 && othersReturnAt === undefined) return undefined;
  const returns = [...Array<number>(others).fill(othersReturnAt!), ...own.map((at) => at + windowMs)];
  return inSliding(
    work,
    windowMs,
    returns.toSorted((a, b) => a - b),
  );
}

/** In fixed windows, the rest of a window is lost at its end. */
function inFixed({ requests, share, left, gapMs, now }: Work, first: FixedReset, windowMs: number): number {
  const inTime = gapMs === 0 ? left : Math.ceil((first.usableUntil - now) / gapMs);
  const rest = requests - Math.max(0, Math.min(left, inTime));
  const windows = Math.ceil(rest / share);
  const last = rest - (windows - 1) * share;
  const end = Math.max(first.end, now);
  return Math.max(now + requests * gapMs, end + (windows - 1) * Math.max(windowMs, share * gapMs) + last * gapMs);
}

/** Up to so many requests are computed one by one, more in groups. */
const ONE_BY_ONE = 1_000_000;

/**
 * In a sliding window of `share` requests, each returns one window after it was sent.
 *
 * @param returns when the requests that count now return, in the order of time.
 */
function inSliding(work: Work, windowMs: number, returns: readonly number[]): number {
  const { now } = work;
  // Three windows show the pattern; all others repeat it.
  const computed = Math.min(work.requests, 3 * work.share);
  const group = Math.ceil(computed / ONE_BY_ONE);
  const share = Math.max(1, Math.floor(work.share / group));
  const requests = Math.ceil(work.requests / group);
  const gapMs = work.gapMs * group;
  const used = group === 1 ? returns : returns.filter((_, i) => i % group === group - 1);
  const shown = Math.min(requests, 3 * share);
  const sent = new Float64Array(shown);
  for (let i = 0; i < shown; i++) {
    const freed = i + used.length - share;
    const freedAt = freed < 0 ? now : freed < used.length ? used[freed]! : sent[freed - used.length]! + windowMs;
    sent[i] = Math.max(i === 0 ? now : sent[i - 1]! + gapMs, freedAt);
  }
  const repeats = Math.ceil((requests - shown) / share);
  const last = requests - 1 - repeats * share;
  return sent[last]! + repeats * Math.max(windowMs, share * gapMs) + gapMs;
}
