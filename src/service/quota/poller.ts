import { randomUUID } from 'node:crypto';
import { type Clock, MINUTE, SECOND } from '#base/clock.ts';
import { UnauthorizedError } from '#base/errors.ts';
import {
  type LedgerFields,
  type LedgerSnapshot,
  type SpentCount,
  type AppliedSample,
  type LedgerUpdate,
  type Ledger,
  POLL_LIFE,
  type PollTurn,
} from './ledger/ledger.ts';
import { createDeadKeyEvent, listQuotaEvents, type QuotaEvent } from './ledger/quota-events.ts';
import type { PermitCache } from './permits/permit-cache.ts';
import { mapPriorities, computeHeadrooms, PRIORITIES, type HeadroomShares } from './priorities.ts';
import {
  computeMinWindowMs,
  decidePause,
  type QuotaSample,
  type Reserve,
  decideFallback,
  MIN_POLL_INTERVAL,
} from './quota-policy.ts';

export interface PollerOptions {
  readonly ledger: Ledger;
  readonly permits: PermitCache;
  readonly clock: Clock;
  readonly tokenInfo: (signal?: AbortSignal) => Promise<QuotaSample>;
  readonly reserve: Reserve;
  readonly headroomShares: HeadroomShares;
  readonly onSample: (sample: QuotaSample) => void;
  /** Changes of the quota; exactly one process receives each. */
  readonly onEvent: (event: QuotaEvent) => void;
  /** Called with the limit if the reserve leaves no request. */
  readonly onAllReserved: (limit: number) => void;
}

/** During an outage token-info is polled after a tenth of the outage so far, within these bounds. */
const AGAIN = { least: 5 * SECOND, most: MINUTE } as const;
/** Ends an outage. */
const FOUND = { outSince: undefined, askAgainAt: undefined } as const;

/** Keeps the ledger's estimate current: from token-info, or from its last limit while it is out. */
export function createPoller(options: PollerOptions) {
  const { ledger, permits, clock, tokenInfo, reserve, headroomShares, onEvent } = options;
  const self = randomUUID();
  let polls = 0;
  let hasPolled = false;
  let currentPoll: Promise<QuotaSample | undefined> | undefined;
  const stopping = new AbortController();

  /** Polls token-info, once at a time per process. Undefined if another process polls, or if it fails. */
  function poll(force: boolean): Promise<QuotaSample | undefined> {
    hasPolled = true;
    if (!currentPoll) {
      currentPoll = pollOnce(force).finally(() => {
        currentPoll = undefined;
      });
      // Callers handle the rejection; there may be none left.
      currentPoll.catch(() => undefined);
    }
    return currentPoll;
  }

  async function pollOnce(force: boolean): Promise<QuotaSample | undefined> {
    // Settled requests should not count twice.
    void permits.flush();
    const turn = await ledger.startPoll(`${self}:${(polls += 1)}`, clock.now(), force);
    if (!turn) return undefined;
    if (!force && (turn.askAgainAt ?? 0) > clock.now()) {
      await continueWithoutTokenInfo(turn);
      return undefined;
    }
    let sample: QuotaSample;
    try {
      sample = await tokenInfo(AbortSignal.any([AbortSignal.timeout(POLL_LIFE), stopping.signal]));
    } catch (error) {
      if (stopping.signal.aborted) return undefined;
      await continueWithoutTokenInfo(turn, error);
      return undefined;
    }
    options.onSample(sample);
    await apply(turn, { ...sample, windowMs: computeMinWindowMs(sample) }, { all: FOUND, spentCounts: [] });
    return sample;
  }

  /** Applies a sample, decides the pause of each priority, and records both with `more`. */
  async function apply(turn: PollTurn, sample: AppliedSample, more: LedgerUpdate, why = ''): Promise<void> {
    const { limit, resetAt } = sample;
    const headrooms = computeHeadrooms(limit, reserve, headroomShares);
    if (headrooms.interactive >= limit) options.onAllReserved(limit);
    const applied = await ledger.applySample(turn, sample, headrooms);
    const now = clock.now();
    if (!applied) return void (await ledger.record(turn.token, now, {}));
    const { estimate, open, pauses } = applied;
    const facts = { now, limit, estimate, open, resetAt };
    const priorities = mapPriorities((one) => decidePause({ ...facts, ...pauses[one], headroom: headrooms[one] }));
    if (PRIORITIES.some((one) => priorities[one].lookAt !== undefined)) permits.release();
    const changes = await ledger.record(turn.token, now, { ...more, priorities });
    for (const event of listQuotaEvents(changes, { at: now, why, left: estimate, headrooms, priorities }))
      onEvent(event);
  }

  async function continueWithoutTokenInfo(turn: PollTurn, error?: unknown): Promise<void> {
    const now = clock.now();
    if (error instanceof UnauthorizedError) {
      permits.release();
      if (await ledger.recordDeadKey()) onEvent(createDeadKeyEvent(now));
      return void (await ledger.record(turn.token, now, {}));
    }
    const snapshot = await ledger.readSnapshot();
    const { fields } = snapshot;
    const isNew = fields.outSince === undefined;
    // Cached permits come from an estimate that may not be renewed for long.
    if (isNew) permits.release();
    const outSince = fields.outSince ?? now;
    const again = Math.min(AGAIN.most, Math.max(AGAIN.least, (now - outSince) / 10));
    const askAgainAt = error === undefined ? fields.askAgainAt : now + Math.round(again);
    const why = error instanceof Error ? error.message : String(error);
    const lastLimit = readLastLimit(fields);
    const known = isNew ? listSpentCounts(fields) : snapshot.spentCounts;
    const spentCounts = addSpentCount(known, [now, turn.spentAtStart], lastLimit?.windowMs);
    const all = { outSince, askAgainAt };
    if (lastLimit) {
      const sample = estimateSample(lastLimit, spentCounts, turn.spentAtStart, now);
      return await apply(turn, sample, { all, spentCounts }, why);
    }
    const fallback = decideWithoutWindow(now, snapshot);
    const update = { ...fallback, all: { ...all, ...fallback.all }, spentCounts };
    const changes = await ledger.record(turn.token, now, update);
    for (const event of listQuotaEvents(changes, { at: now, why, left: snapshot.estimate ?? 0 })) onEvent(event);
  }

  return {
    poll,
    /** Aborts the running poll without recording a failure. */
    stop: () => stopping.abort(),
    get currentPoll() {
      return currentPoll;
    },
    /** Whether this process has polled. */
    get hasPolled() {
      return hasPolled;
    },
  };
}

/**
 * Decisions while token-info is out, from the state of the ledger. Pure. The last limit still applies, and the window is
 * assumed to be sliding: at most `limit` requests in any time of its length. This also keeps within a fixed window.
 */
export interface LastLimit {
  readonly limit: number;
  readonly windowMs: number;
}

const MAX_COUNTS = 128;

/** The last limit of token-info; undefined if its window is unknown. The window is slightly longer than observed. */
export const readLastLimit = ({ tokenInfoLimit, windowMs }: LedgerFields): LastLimit | undefined =>
  tokenInfoLimit && windowMs
    ? { limit: tokenInfoLimit, windowMs: Math.round(windowMs * 1.02) + MIN_POLL_INTERVAL }
    : undefined;

/** Adds a count, and drops those that no window needs; of too many, every other one. */
function addSpentCount(counts: readonly SpentCount[], count: SpentCount, windowMs: number | undefined): SpentCount[] {
  const start = windowMs === undefined ? -Infinity : count[0] - 2 * windowMs;
  const first = counts.findLastIndex(([at]) => at <= start);
  const all = [...counts.slice(Math.max(0, first)), count];
  return all.length <= MAX_COUNTS ? all : all.filter((_, i) => i % 2 === 0 || i === all.length - 1);
}

/** The first counts of an outage: the usage of the last sample counts as sent at the time of the sample. */
function listSpentCounts({ limit, remaining, sampledAt, ceiling }: LedgerFields): SpentCount[] {
  if (limit === undefined || remaining === undefined || sampledAt === undefined || ceiling === undefined) return [];
  const spentThen = ceiling - remaining;
  return [
    [sampledAt - 1, spentThen - Math.max(0, limit - remaining)],
    [sampledAt, spentThen],
  ];
}

/** The sample that token-info would give. Requests between two counts are counted at the later one. */
function estimateSample(
  { limit, windowMs }: LastLimit,
  counts: readonly SpentCount[],
  spent: number,
  now: number,
): QuotaSample {
  const start = now - windowMs;
  const before = counts.findLast(([at]) => at <= start) ?? counts[0];
  const used = before === undefined ? 0 : spent - before[1];
  const oldest = counts.find(([at]) => at > start);
  const resetAt = used > 0 && oldest !== undefined ? oldest[0] + windowMs : undefined;
  return { limit, remaining: Math.max(0, limit - used), resetAt, at: now };
}

/** How priorities continue without a known window. The headroom of the last sample still applies. */
function decideWithoutWindow(now: number, { fields, priorities, isUsable }: LedgerSnapshot): LedgerUpdate {
  const { nextPollAt, probeUntil, lookAt } = decideFallback({
    now,
    resetAt: fields.resetAt,
    isUsable: isUsable.interactive,
    pausedSince: priorities.interactive.pausedSince,
  });
  return {
    all: { nextPollAt, probeUntil },
    priorities: mapPriorities((one) => {
      if (isUsable[one]) return {};
      if (!isUsable.interactive) return { lookAt, endsAt: lookAt };
      return { lookAt: nextPollAt, endsAt: nextPollAt, pausedSince: priorities[one].pausedSince ?? now };
    }),
  };
}
