import { randomUUID } from 'node:crypto';
import { type Clock, MINUTE, SECOND } from '../clock.ts';
import { UnauthorizedError } from '../errors.ts';
import {
  computeCooldownMs,
  MAX_CONTRADICTIONS,
  isContradiction,
  computeDistrustMs,
  estimateLimit,
  estimateSample,
  countSpentSince,
  computeMinWindowMs,
  addSpentCount,
} from './estimation/limit-estimation.ts';
import {
  type AppliedSample,
  type LedgerUpdate,
  type Ledger,
  POLL_LIFE,
  type RecordedRefusal,
  type PollTurn,
} from './ledger/ledger.ts';
import { createDeadKeyEvent, listQuotaEvents, type QuotaEvent } from './ledger/quota-events.ts';
import type { PermitCache } from './permits/permit-cache.ts';
import { decidePause, type QuotaSample, type Reserve, computeReserve } from './policy.ts';
import { mapPriorities, computeHeadrooms, PRIORITIES, type HeadroomShares } from './priorities.ts';
import {
  toLedgerFields,
  listSpentCounts,
  readTokenInfoLimit,
  probeHigherLimit,
  decideWithoutEstimate,
} from './token-info-fallback.ts';

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
/** Contradictions are consecutive within this many windows, and within an hour at least. */
const IN_A_ROW = 8;
const HOUR = 60 * MINUTE;
/** Ends an outage, and clears the estimated limit. */
const FOUND = {
  outSince: undefined,
  askAgainAt: undefined,
  limitEstimate: undefined,
  windowEstimateMs: undefined,
  estimatedAt: undefined,
  backoffLevel: undefined,
} as const;

/** Keeps the ledger's estimate current: from token-info, or from refusals while token-info is out or wrong. */
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
    if (turn.untrustedUntil === undefined) await apply(turn, withWindow(sample), { all: FOUND, spentCounts: [] });
    else await applyLower(turn, sample);
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

  /** token-info is not trusted: the lower of its sample and the estimate from refusals applies. */
  async function applyLower(turn: PollTurn, sample: QuotaSample): Promise<void> {
    const now = clock.now();
    const { estimatedLimit, spentCounts } = await ledger.readSnapshot();
    if (turn.untrustedUntil! <= now || !estimatedLimit) {
      const all = { ...FOUND, untrustedSince: undefined, untrustedUntil: undefined };
      return await apply(turn, withWindow(sample), { all, spentCounts: [] });
    }
    const kept = addSpentCount(spentCounts, [now, turn.spentAtStart], estimatedLimit.windowMs);
    const { limit, remaining, resetAt } = estimateSample(estimatedLimit, kept, turn.spentAtStart, now);
    const isLower = remaining < sample.remaining;
    const lower = { limit: Math.min(limit, sample.limit), remaining: Math.min(remaining, sample.remaining) };
    await apply(turn, { ...lower, resetAt: isLower ? resetAt : sample.resetAt, at: now }, { spentCounts: kept });
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
    const estimatedLimit = snapshot.estimatedLimit ?? readTokenInfoLimit(fields);
    const counts = addSpentCount(
      isNew ? listSpentCounts(snapshot) : snapshot.spentCounts,
      [now, turn.spentAtStart],
      estimatedLimit?.windowMs,
    );
    // An outage replaces distrust.
    const all = {
      outSince,
      askAgainAt,
      untrustedSince: undefined,
      untrustedUntil: undefined,
      ...(isNew
        ? {
            episodeAt: undefined,
            episodeSpent: undefined,
          }
        : {}),
    };
    if (estimatedLimit) {
      const next = probeHigherLimit(estimatedLimit, snapshot, now);
      const sample = estimateSample(next.estimatedLimit, counts, turn.spentAtStart, now);
      return await apply(turn, sample, { all: { ...all, ...next.fields }, spentCounts: counts }, why);
    }
    const fallback = decideWithoutEstimate(now, snapshot);
    const update = { ...fallback, all: { ...all, ...fallback.all }, spentCounts: counts };
    const changes = await ledger.record(turn.token, now, update);
    for (const event of listQuotaEvents(changes, { at: now, why, left: snapshot.estimate ?? 0 })) onEvent(event);
  }

  /** Updates the estimate from the first of several refusals. */
  async function handleRefusal(refusal: RecordedRefusal): Promise<void> {
    const now = clock.now();
    const { until, episodeAt = now, episodeSpent = refusal.spent, spent } = refusal;
    const snapshot = await ledger.readSnapshot();
    const { fields, spentCounts } = snapshot;
    const isOut = fields.outSince !== undefined;
    const isUntrusted = fields.untrustedUntil !== undefined;
    let contradictions = fields.contradictions ?? 0;
    if (!isOut && !isUntrusted) {
      // Only a sample that was requested after the refusal can contradict it.
      await currentPoll;
      const sample = await poll(true);
      if (!sample || sample.at < now) return;
      // Contradictions that are many windows apart are unrelated.
      const isInRow = now - episodeAt <= Math.max(HOUR, IN_A_ROW * (fields.windowMs ?? 0));
      const before = isInRow ? contradictions : 0;
      contradictions = isContradiction(sample, computeReserve(sample.limit, reserve)) ? before + 1 : 0;
      // A correct sample restores full trust.
      const { untrustedMs } = contradictions === 0 ? {} : fields;
      if (contradictions < MAX_CONTRADICTIONS)
        return void (await ledger.record('', now, { all: { contradictions, untrustedMs } }));
    }
    const learned = estimateLimit({
      now,
      until,
      since: episodeAt,
      granted: spent - episodeSpent - 1,
      previous:
        isOut || isUntrusted
          ? (snapshot.estimatedLimit ?? (isOut ? readTokenInfoLimit(fields) : undefined))
          : undefined,
      inWindow: snapshot.estimatedLimit
        ? countSpentSince(spentCounts, now - snapshot.estimatedLimit.windowMs, spent) - 1
        : spent - episodeSpent - 1,
      tokenInfoWindowMs: fields.windowMs,
    });
    // Accidental refusals must not lower the limit to the reserve: no request could correct the estimate.
    const estimatedLimit = { ...learned, limit: Math.max(learned.limit, computeReserve(learned.limit, reserve) + 1) };
    const { estimatedAt = -Infinity, backoffLevel = -1 } = fields;
    const hasCooledDown = now - estimatedAt > 8 * computeCooldownMs(estimatedLimit.windowMs, Math.max(0, backoffLevel));
    const all = {
      contradictions,
      ...toLedgerFields(estimatedLimit),
      estimatedAt: now,
      backoffLevel: hasCooledDown ? 0 : backoffLevel + 1,
    };
    if (isOut) return void (await ledger.record('', now, { all }));
    const { untrustedMs: before, untrustedSince = now } = fields;
    const untrustedMs = isUntrusted ? before : computeDistrustMs(before, estimatedLimit.windowMs);
    const untrusted = { untrustedSince, untrustedMs, untrustedUntil: now + (untrustedMs ?? 0) };
    const first = [[episodeAt, episodeSpent] as const, [now, spent] as const];
    const changes = await ledger.record('', now, {
      all: { ...all, ...untrusted },
      ...(isUntrusted ? {} : { spentCounts: first }),
    });
    const why = 'it reported quota while the service refused requests for lack of quota';
    if (changes.some(({ what }) => what === 'untrusted')) onEvent({ event: 'distrusted', at: now, why });
  }

  return {
    poll,
    handleRefusal,
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

/** A sample of token-info with its lower bound of the window. */
const withWindow = (sample: QuotaSample): AppliedSample => ({ ...sample, windowMs: computeMinWindowMs(sample) });
