import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { waitUnlessAborted } from '../abortable-wait.ts';
import { type Clock, MINUTE, type Random, systemClock } from '../clock.ts';
import { QuotaExceededError, type ServiceError } from '../errors.ts';
import type { LedgerFields } from './ledger/ledger-state.ts';
import { createLedger } from './ledger/ledger.ts';
import {
  createDeadKeyEvent,
  subscribeToQuotaEvents,
  publishQuotaEvent,
  type QuotaEvent,
  describeWarning,
} from './ledger/quota-events.ts';
import { createPauses, type Pause } from './permits/pauses.ts';
import { createPermitCache, type PermitAnswer } from './permits/permit-cache.ts';
import { MIN_POLL_INTERVAL, type QuotaSample, computeBlockEnd, type Reserve, MAX_SAMPLE_AGE } from './policy.ts';
import { createPoller } from './poller.ts';
import { DEFAULT_HEADROOM_SHARES, type Priority, type HeadroomShares } from './priorities.ts';
import { type QuotaStatus, computeQuotaStatus } from './quota-status.ts';

export interface GovernorOptions {
  readonly redis: Redis;
  /** A connection of its own, to hear at once what other processes found out; without it, they are heard of later. */
  readonly listener?: Redis | undefined;
  /** Of the ledger's keys: all that share a key of the service share it, whatever store they crawl into. */
  readonly prefix: string;
  /** A fingerprint of the API key: never the key. */
  readonly keyId: string;
  /** Asks token-info. */
  readonly tokenInfo: (signal?: AbortSignal) => Promise<QuotaSample>;
  readonly reserve: Reserve;
  /** What each class leaves above the reserve. */
  readonly headroomShares?: HeadroomShares | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Every sample that this process asked for. */
  readonly onSample?: ((sample: QuotaSample) => void) | undefined;
  /** What happens to the quota: each event is told to one process of all that share the ledger. */
  readonly onEvent?: ((event: QuotaEvent) => void) | undefined;
  /** What a person should know: said once, not each time. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A reservation, or when to ask for one again. */
export type Reservation = { readonly granted: true; readonly id: string } | ({ readonly granted: false } & Pause);

/**
 * Keeps all workers of one key, on all machines, within its quota (law 8). Disposing settles what was sent, and gives
 * back what was not; without it, what this process had in hand counts as spent.
 */
export interface Governor extends AsyncDisposable {
  /** To be called before a crawl is begun: the pause of its class, if one is known to be on. The signal ends its waiting. */
  checkPause(as: Priority, signal?: AbortSignal): Promise<Pause | undefined>;
  /** To be called before every request; and `settle` after it. The signal ends the waiting for token-info. */
  reserve(as: Priority, signal?: AbortSignal): Promise<Reservation>;
  /** A request that was sent, or may have been, is spent; one that was not is given back. */
  settle(id: string, sent: boolean): void;
  /** The service said 429: blocks all workers, and says until when. The signal ends the waiting, not the block. */
  reportRefusal(error: QuotaExceededError, signal?: AbortSignal): Promise<number>;
  /** The quota's error in place of one that an empty quota explains; undefined when it does not. */
  explainAsQuotaError(error: ServiceError, signal?: AbortSignal): Promise<QuotaExceededError | undefined>;
  /** The service refused the key: nothing is granted until a token-info succeeds at the next start. */
  reportDeadKey(signal?: AbortSignal): Promise<void>;
  readStatus(): Promise<QuotaStatus>;
}

/** How soon to come back while another worker asks token-info. */
const NEAR = 100;
/** Statuses that the specification gives a meaning of their own: an empty quota is a far-fetched one. */
const SPECIFIED: readonly (number | undefined)[] = [400, 404];

/** A governor of one process. All governors of a key share one ledger in Redis. */
export function createGovernor(options: GovernorOptions): Governor {
  const { redis, listener, prefix, keyId, tokenInfo, clock = systemClock, random = Math.random } = options;
  const { reserve: kept, headroomShares = DEFAULT_HEADROOM_SHARES } = options;
  // The braces keep the ledger's keys in one slot of a Redis cluster.
  const key = `${prefix}:quota:{${keyId}}`;
  const ledger = createLedger({ redis, key, holder: randomUUID() });
  const till = createPermitCache({ ledger, clock });
  let isToldOfReserve = false;
  const poller = createPoller({
    ...{ ledger, permits: till, clock, tokenInfo, reserve: kept, headroomShares },
    onSample: (sample) => options.onSample?.(sample),
    onEvent: announce,
    onAllReserved(limit) {
      if (isToldOfReserve) return;
      isToldOfReserve = true;
      const what = `the reserve is the whole quota of ${limit} requests: nothing can be sent.`;
      options.onWarning?.(`${what} Lower TRAWL_RESERVE.`);
    },
  });
  const pauses = createPauses({
    ...{ clock, random },
    async look(as) {
      const found = await reserve(as);
      if (!found.granted) return found;
      till.settle(Number(found.id), false);
      return undefined;
    },
  });
  if (listener) subscribeToQuotaEvents(listener, key, hear);

  /** What this process was the one to find out. */
  function announce(event: QuotaEvent): void {
    options.onEvent?.(event);
    const warning = describeWarning(event);
    if (warning !== undefined) options.onWarning?.(warning);
    publishQuotaEvent(redis, key, event);
  }

  /** What any process found out. */
  function hear(event: QuotaEvent): void {
    if (event.event !== 'paused') return;
    if (event.class === 'all') till.release();
    const { reason, until, lookAt } = event;
    if (until !== null && lookAt !== null) pauses.start(event.class, { until, lookAt, reason });
  }

  /** What token-info says now: just asked is as good as asking, and where it was just out, it is left alone. */
  async function remainingNow({ remaining, askAgainAt = 0 }: LedgerFields, age: number): Promise<number | undefined> {
    if (age < MIN_POLL_INTERVAL) return remaining;
    if (askAgainAt > clock.now()) return undefined;
    await poller.currentPoll; // it began before the error, and may not have seen why
    return (await poller.poll(true))?.remaining;
  }

  /** A grant that comes when nobody waits for it any more goes back. */
  async function takeUnlessAborted(as: Priority, go: boolean, signal: AbortSignal | undefined): Promise<PermitAnswer> {
    const taking = till.acquire(as, go);
    try {
      return await waitUnlessAborted(taking, signal);
    } catch (error) {
      taking.then((taken) => taken.kind === 'granted' && till.settle(taken.serial, false)).catch(() => undefined);
      throw error;
    }
  }

  async function take(as: Priority, signal: AbortSignal | undefined): Promise<PermitAnswer> {
    const taken = await takeUnlessAborted(as, false, signal);
    // A dead key is tried again once by whoever starts: it may have been mended.
    const revive = taken.kind === 'dead' && !poller.hasPolled;
    const { currentPoll } = poller;
    if (revive || taken.kind === 'ask') {
      // While one asks, the others go on by the estimate.
      if (!(taken.kind === 'ask' && taken.usable && currentPoll)) await waitUnlessAborted(poller.poll(revive), signal);
    } else if (taken.kind === 'wait' && currentPoll) await waitUnlessAborted(currentPoll, signal);
    else return taken;
    return await takeUnlessAborted(as, true, signal);
  }

  async function reserve(as: Priority, signal?: AbortSignal): Promise<Reservation> {
    signal?.throwIfAborted();
    const atHand = till.takeCached(as);
    if (atHand !== undefined) return { granted: true, id: String(atHand) };
    const taken = await take(as, signal);
    if (taken.kind === 'granted') {
      pauses.end(as);
      return { granted: true, id: String(taken.serial) };
    }
    const pause = pausedBy(taken, clock.now(), random);
    if (taken.kind === 'low' || taken.kind === 'refused') pauses.start(as, pause);
    return { granted: false, ...pause };
  }

  async function refused(error: QuotaExceededError): Promise<number> {
    till.release();
    await till.flush();
    const now = clock.now();
    const { fields } = await ledger.readSnapshot();
    const refusal = await ledger.recordRefusal(computeBlockEnd(now, error.retryAfterMs, fields.resetAt), now);
    const { until } = refusal;
    pauses.start('all', { until, lookAt: until, reason: 'refused' });
    if (!refusal.isFirst) return until;
    announce({ event: 'paused', class: 'all', reason: 'refused', at: now, until, lookAt: until });
    await poller.handleRefusal(refusal);
    return until;
  }

  async function explain(error: ServiceError): Promise<QuotaExceededError | undefined> {
    if (error instanceof QuotaExceededError) return error;
    const { status, body, ms } = error;
    if (status === undefined || status < 400 || status === 401) return undefined;
    const { isUsable, fields } = await ledger.readSnapshot();
    const age = Math.abs(clock.now() - (fields.sampledAt ?? -Infinity));
    if (SPECIFIED.includes(status) && isUsable.interactive && age < MAX_SAMPLE_AGE) return undefined;
    const remaining = await remainingNow(fields, age);
    if (remaining === undefined || remaining > 0) return undefined;
    return new QuotaExceededError(`the quota is used up, and so ${error.message}`, {
      status,
      body,
      ms,
      cause: error,
    });
  }

  async function keyIsDead(): Promise<void> {
    till.release();
    if (await ledger.recordDeadKey()) announce(createDeadKeyEvent(clock.now()));
  }

  return {
    reserve,
    checkPause: pauses.check,
    settle: (id, sent) => till.settle(Number(id), sent),
    reportRefusal: async (error, signal) => await waitUnlessAborted(refused(error), signal),
    explainAsQuotaError: async (error, signal) => await waitUnlessAborted(explain(error), signal),
    reportDeadKey: async (signal) => await waitUnlessAborted(keyIsDead(), signal),
    async readStatus() {
      await till.flush();
      return computeQuotaStatus(await ledger.readSnapshot(), kept, clock.now());
    },
    async [Symbol.asyncDispose]() {
      poller.stop();
      await till[Symbol.asyncDispose]();
    },
  };
}

/** What a refusal of the ledger means for who asked. */
function pausedBy(taken: Exclude<PermitAnswer, { kind: 'granted' }>, now: number, random: Random): Pause {
  const near = now + NEAR + Math.round(random() * NEAR);
  switch (taken.kind) {
    case 'dead':
      return { until: now + MINUTE, lookAt: now + MINUTE, reason: 'key_dead' };
    case 'refused':
      return { until: taken.until, lookAt: taken.until, reason: 'refused' };
    case 'low':
      return { until: Math.max(taken.lookAt, taken.endsAt ?? 0), lookAt: taken.lookAt, reason: 'low' };
    case 'wait':
    case 'ask': {
      const lookAt = taken.kind === 'wait' ? Math.max(near, taken.until) : near;
      return { until: lookAt, lookAt, reason: 'low' };
    }
  }
}
