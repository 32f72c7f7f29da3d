import { randomUUID } from 'node:crypto';
import { type Clock, MINUTE, SECOND } from '../clock.ts';
import { UnauthorizedError } from '../errors.ts';
import {
  computeCooldownMs,
  MAX_CONTRADICTIONS,
  isContradiction,
  computeDistrustMs,
  estimateLimit,
  type SpentCount,
  estimateSample,
  countSpentSince,
  computeMinWindowMs,
  addSpentCount,
} from './estimation/limit-estimation.ts';
import {
  toLedgerFields,
  listSpentCounts,
  readTokenInfoLimit,
  probeHigherLimit,
  decideWithoutEstimate,
} from './estimation/token-info-fallback.ts';
import { listQuotaEvents } from './ledger/ledger-events.ts';
import {
  type AppliedSample,
  type LedgerUpdate,
  type Ledger,
  POLL_LIFE,
  type RecordedRefusal,
  type PollTurn,
} from './ledger/ledger.ts';
import { createDeadKeyEvent, type QuotaEvent } from './ledger/quota-events.ts';
import type { PermitCache } from './permits/permit-cache.ts';
import { decidePause, type QuotaSample, type Reserve, computeReserve } from './policy.ts';
import { mapPriorities, computeHeadrooms, PRIORITIES, type HeadroomShares } from './priorities.ts';

/** Keeps the ledger's estimate true: by token-info, and where that is out or wrong, by what refusals teach. */
export interface Poller {
  /** One poll at a time in this process; undefined when it was another's turn, or failed. */
  poll(force: boolean): Promise<QuotaSample | undefined>;
  /** The poll that is under way. */
  readonly currentPoll: Promise<QuotaSample | undefined> | undefined;
  /** Whether this process ever asked. */
  readonly hasPolled: boolean;
  /** Ends the poll that is under way, and says nothing of token-info for it. */
  stop(): void;
  /** Makes the best of the first of some refusals. */
  handleRefusal(refusal: RecordedRefusal): Promise<void>;
}

export interface PollerOptions {
  readonly ledger: Ledger;
  readonly permits: PermitCache;
  readonly clock: Clock;
  readonly tokenInfo: (signal?: AbortSignal) => Promise<QuotaSample>;
  readonly reserve: Reserve;
  readonly headroomShares: HeadroomShares;
  readonly onSample: (sample: QuotaSample) => void;
  /** What changed for all, told to one process of all. */
  readonly onEvent: (event: QuotaEvent) => void;
  /** The reserve leaves nothing to send, of a limit. */
  readonly onAllReserved: (limit: number) => void;
}

/** token-info that was out is asked again after a tenth of the time that it has been, within these. */
const AGAIN = { least: 5 * SECOND, most: MINUTE } as const;
/** Within so many windows, and an hour at least, a contradiction follows the one before. */
const IN_A_ROW = 8;
const HOUR = 60 * MINUTE;
/** Nothing of what was learnt. */
const FORGOTTEN = { learntLimit: undefined, learntMs: undefined, learntAt: undefined, care: undefined } as const;
const FOUND = { ...FORGOTTEN, outSince: undefined, askAgainAt: undefined } as const;

export function createPoller(options: PollerOptions): Poller {
  const { ledger, permits, clock, tokenInfo, reserve, headroomShares, onEvent } = options;
  const self = randomUUID();
  let polls = 0;
  let hasAsked = false;
  let asking: Promise<QuotaSample | undefined> | undefined;
  const stopping = new AbortController();

  function ask(force: boolean): Promise<QuotaSample | undefined> {
    hasAsked = true;
    if (!asking) {
      asking = poll(force).finally(() => {
        asking = undefined;
      });
      // Whoever waits for it is told; there may be nobody left.
      asking.catch(() => undefined);
    }
    return asking;
  }

  async function poll(force: boolean): Promise<QuotaSample | undefined> {
    // What the service has counted for sure should not be counted once more.
    void permits.flush();
    const turn = await ledger.startPoll(`${self}:${(polls += 1)}`, clock.now(), force);
    if (!turn) return undefined;
    if (!force && (turn.askAgainAt ?? 0) > clock.now()) {
      await doWithout(turn);
      return undefined;
    }
    let sample: QuotaSample;
    try {
      sample = await tokenInfo(AbortSignal.any([AbortSignal.timeout(POLL_LIFE), stopping.signal]));
    } catch (error) {
      if (stopping.signal.aborted) return undefined;
      await doWithout(turn, error);
      return undefined;
    }
    options.onSample(sample);
    if (turn.distrustUntil === undefined) await apply(turn, told(sample), { all: FOUND, spentCounts: [] });
    else await believeHalf(turn, sample);
    return sample;
  }

  /** Sets the estimate, judges it for each class, and records that with what else is to be. */
  async function apply(turn: PollTurn, sample: AppliedSample, more: LedgerUpdate, why = ''): Promise<void> {
    const { limit, resetAt } = sample;
    const floors = computeHeadrooms(limit, reserve, headroomShares);
    if (floors.interactive >= limit) options.onAllReserved(limit);
    const applied = await ledger.applySample(turn, sample, floors);
    const now = clock.now();
    if (!applied) return void (await ledger.record(turn.token, now, {}));
    const { estimate, open, pauses } = applied;
    const facts = { now, limit, estimate, open, resetAt };
    const classes = mapPriorities((one) => decidePause({ ...facts, ...pauses[one], headroom: floors[one] }));
    if (PRIORITIES.some((one) => classes[one].lookAt !== undefined)) permits.release();
    const changes = await ledger.record(turn.token, now, { ...more, priorities: classes });
    for (const event of listQuotaEvents(changes, { at: now, why, left: estimate, floors, classes })) onEvent(event);
  }

  /** token-info answers, but was found to be wrong: the lower of what it says and of what refusals taught holds. */
  async function believeHalf(turn: PollTurn, sample: QuotaSample): Promise<void> {
    const now = clock.now();
    const { estimatedLimit, spentCounts } = await ledger.readSnapshot();
    if (turn.distrustUntil! <= now || !estimatedLimit) {
      const all = { ...FOUND, distrustSince: undefined, distrustUntil: undefined };
      return await apply(turn, told(sample), { all, spentCounts: [] });
    }
    const kept = addSpentCount(spentCounts, [now, turn.spentAtStart], estimatedLimit.windowMs);
    const { limit, remaining, resetAt } = estimateSample(estimatedLimit, kept, turn.spentAtStart, now);
    const isLower = remaining < sample.remaining;
    const lower = { limit: Math.min(limit, sample.limit), remaining: Math.min(remaining, sample.remaining) };
    await apply(turn, { ...lower, resetAt: isLower ? resetAt : sample.resetAt, at: now }, { spentCounts: kept });
  }

  async function doWithout(turn: PollTurn, error?: unknown): Promise<void> {
    const now = clock.now();
    if (error instanceof UnauthorizedError) {
      permits.release();
      if (await ledger.recordDeadKey()) onEvent(createDeadKeyEvent(now));
      return void (await ledger.record(turn.token, now, {}));
    }
    const snapshot = await ledger.readSnapshot();
    const { fields } = snapshot;
    const isNew = fields.outSince === undefined;
    // What is at hand was granted by an estimate that may be the last for long.
    if (isNew) permits.release();
    const outSince = fields.outSince ?? now;
    const again = Math.min(AGAIN.most, Math.max(AGAIN.least, (now - outSince) / 10));
    const askAgainAt = error === undefined ? fields.askAgainAt : now + Math.round(again);
    const why = error instanceof Error ? error.message : String(error);
    const learnt = snapshot.estimatedLimit ?? readTokenInfoLimit(fields);
    const marks = addSpentCount(
      isNew ? listSpentCounts(snapshot) : snapshot.spentCounts,
      [now, turn.spentAtStart],
      learnt?.windowMs,
    );
    // Since when it is out, it is not disbelieved any more.
    const all = {
      ...{ outSince, askAgainAt, distrustSince: undefined, distrustUntil: undefined },
      // What was granted while it was there teaches nothing.
      ...(isNew ? { episodeAt: undefined, episodeSpent: undefined } : {}),
    };
    if (learnt) {
      const next = probeHigherLimit(learnt, snapshot, now);
      const sample = estimateSample(next.learnt, marks, turn.spentAtStart, now);
      return await apply(turn, sample, { all: { ...all, ...next.fields }, spentCounts: marks }, why);
    }
    const judged = decideWithoutEstimate(now, snapshot);
    const changes = await ledger.record(turn.token, now, {
      ...judged,
      all: { ...all, ...judged.all },
      spentCounts: marks,
    });
    for (const event of listQuotaEvents(changes, { at: now, why, left: snapshot.estimate ?? 0 })) onEvent(event);
  }

  async function learnFrom(refusal: RecordedRefusal): Promise<void> {
    const now = clock.now();
    const { until, episodeAt = now, episodeSpent = refusal.spent, spent } = refusal;
    const snapshot = await ledger.readSnapshot();
    const { fields, spentCounts } = snapshot;
    const isOut = fields.outSince !== undefined;
    const isDistrusted = fields.distrustUntil !== undefined;
    let contradictions = fields.contradictions ?? 0;
    if (!isOut && !isDistrusted) {
      // A poll that began before the refusal may not have seen its cause: only a later sample can contradict it.
      await asking;
      const sample = await ask(true);
      if (!sample || sample.at < now) return;
      // Two that are many windows apart are two accidents.
      const isInRow = now - episodeAt <= Math.max(HOUR, IN_A_ROW * (fields.windowMs ?? 0));
      const before = isInRow ? contradictions : 0;
      contradictions = isContradiction(sample, computeReserve(sample.limit, reserve)) ? before + 1 : 0;
      // Once it is right again, it is as good as new.
      const { distrustMs } = contradictions === 0 ? {} : fields;
      if (contradictions < MAX_CONTRADICTIONS)
        return void (await ledger.record('', now, { all: { contradictions, distrustMs } }));
    }
    const taught = estimateLimit({
      ...{ now, until, since: episodeAt, granted: spent - episodeSpent - 1 },
      previous:
        isOut || isDistrusted
          ? (snapshot.estimatedLimit ?? (isOut ? readTokenInfoLimit(fields) : undefined))
          : undefined,
      inWindow: snapshot.estimatedLimit
        ? countSpentSince(spentCounts, now - snapshot.estimatedLimit.windowMs, spent) - 1
        : spent - episodeSpent - 1,
      tokenInfoWindowMs: fields.windowMs,
    });
    // Refusals that were accidents must not leave less than the reserve: nobody would find out any more.
    const learnt = { ...taught, limit: Math.max(taught.limit, computeReserve(taught.limit, reserve) + 1) };
    const { learntAt = -Infinity, care = -1 } = fields;
    const wasCalm = now - learntAt > 8 * computeCooldownMs(learnt.windowMs, Math.max(0, care));
    const all = { contradictions, ...toLedgerFields(learnt), learntAt: now, care: wasCalm ? 0 : care + 1 };
    if (isOut) return void (await ledger.record('', now, { all }));
    const distrustMs = isDistrusted ? fields.distrustMs : computeDistrustMs(fields.distrustMs, learnt.windowMs);
    const distrust = { distrustSince: fields.distrustSince ?? now, distrustMs, distrustUntil: now + (distrustMs ?? 0) };
    const first: readonly SpentCount[] = [
      [episodeAt, episodeSpent],
      [now, spent],
    ];
    const changes = await ledger.record('', now, {
      all: { ...all, ...distrust },
      ...(isDistrusted ? {} : { spentCounts: first }),
    });
    const why = `it said that there was quota left when the service refused for want of it`;
    if (changes.some(({ what }) => what === 'distrust')) onEvent({ event: 'distrusted', at: now, why });
  }

  return {
    poll: ask,
    handleRefusal: learnFrom,
    stop: () => stopping.abort(),
    get currentPoll() {
      return asking;
    },
    get hasPolled() {
      return hasAsked;
    },
  };
}

/** A sample by the service's own word: it also says something of the window. */
const told = (sample: QuotaSample): AppliedSample => ({ ...sample, windowMs: computeMinWindowMs(sample) });
