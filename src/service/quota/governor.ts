import { randomUUID } from 'node:crypto';
import { waitUnlessAborted } from '#base/abortable-wait.ts';
import { type Clock, MINUTE, type Random, SECOND, systemClock } from '#base/clock.ts';
import { QuotaExceededError, type ServiceError } from '#base/errors.ts';
import { publishEvent, subscribeToEvents, type RedisClient } from '#base/redis-client.ts';
import { type LedgerFields, createLedger } from './ledger/ledger.ts';
import { createDeadKeyEvent, type QuotaEvent, describeWarning } from './ledger/quota-events.ts';
import { createPauses, type Pause } from './permits/pauses.ts';
import { createPermitCache, type PermitAnswer } from './permits/permit-cache.ts';
import { createPoller } from './poller.ts';
import { DEFAULT_HEADROOM_SHARES, type Priority, type HeadroomShares } from './priorities.ts';
import { MIN_POLL_INTERVAL, type QuotaSample, computeBlockEnd, type Reserve, MAX_SAMPLE_AGE } from './quota-policy.ts';
import { type QuotaStatus, computeQuotaStatus } from './quota-status.ts';

export interface GovernorOptions {
  readonly redis: RedisClient;
  /** A dedicated connection for events of other processes. Without it they are noticed later, through the ledger. */
  readonly listener?: RedisClient | undefined;
  /** Prefix of the ledger's keys. All users of an API key share one ledger, whatever store they crawl into. */
  readonly prefix: string;
  /** A fingerprint of the API key: never the key. */
  readonly keyId: string;
  /** Requests token-info. */
  readonly tokenInfo: (signal?: AbortSignal) => Promise<QuotaSample>;
  readonly reserve: Reserve;
  /** What each priority leaves above the reserve to more urgent ones. */
  readonly headroomShares?: HeadroomShares | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Called for every sample that this process requested. */
  readonly onSample?: ((sample: QuotaSample) => void) | undefined;
  /** Changes of the quota. Exactly one of all processes receives each event. */
  readonly onEvent?: ((event: QuotaEvent) => void) | undefined;
  /** Warnings for people, each sent once. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A reservation, with those for further requests, or when to retry. */
export type Reservation =
  | { readonly granted: true; readonly id: number; readonly spare: readonly number[] }
  | ({ readonly granted: false } & Pause);

export type Governor = ReturnType<typeof createGovernor>;

/** Wait while another worker polls token-info, in milliseconds. */
const NEAR = 100;
/** Statuses with a documented meaning: an empty quota is an unlikely cause. */
const SPECIFIED: readonly (number | undefined)[] = [400, 404];

/**
 * Keeps all workers of one key, on all machines, within its quota (invariant 8): the governors of a key share one ledger.
 * Disposing settles the requests that were sent and returns unused permits; without it, all permits of this process count
 * as spent.
 */
export function createGovernor(options: GovernorOptions) {
  const { redis, listener, prefix, keyId, tokenInfo, clock = systemClock, random = Math.random } = options;
  const { headroomShares = DEFAULT_HEADROOM_SHARES } = options;
  // The braces keep the ledger's keys in one slot of a Redis cluster.
  const key = `${prefix}:quota:{${keyId}}`;
  const ledger = createLedger({ redis, key: `${key}:v2`, holder: randomUUID() });
  const permits = createPermitCache({ ledger, clock });
  let isToldOfReserve = false;
  const poller = createPoller({
    ledger,
    permits,
    clock,
    tokenInfo,
    reserve: options.reserve,
    headroomShares,
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
    clock,
    random,
    async look(as) {
      const found = await reserve(as);
      if (!found.granted) return found;
      permits.settle(found.id, false);
      return undefined;
    },
  });
  if (listener) subscribeToEvents(listener, key, hear);

  /** Reports an event that this process detected first. */
  function announce(event: QuotaEvent): void {
    options.onEvent?.(event);
    const warning = describeWarning(event);
    if (warning !== undefined) options.onWarning?.(warning);
    publishEvent(redis, key, event);
  }

  /** Handles an event of any process. */
  function hear(event: QuotaEvent): void {
    if (event.event !== 'paused') return;
    if (event.priority === 'all') permits.release();
    const { reason, until, lookAt } = event;
    if (until !== null && lookAt !== null) pauses.start(event.priority, { until, lookAt, reason });
  }

  /** The remaining quota. A sample that is younger than the poll interval is reused; during an outage nothing is sent. */
  async function remainingNow({ remaining, askAgainAt = 0 }: LedgerFields, age: number): Promise<number | undefined> {
    if (age < MIN_POLL_INTERVAL) return remaining;
    if (askAgainAt > clock.now()) return undefined;
    await poller.currentPoll; // it began before the error and may miss its cause
    return (await poller.poll(true))?.remaining;
  }

  /** Permits that arrive after the abort are returned. */
  async function takeUnlessAborted(
    as: Priority,
    force: boolean,
    atOnce: number,
    signal: AbortSignal | undefined,
  ): Promise<PermitAnswer> {
    const taking = permits.acquire(as, force, atOnce);
    try {
      return await waitUnlessAborted(taking, signal);
    } catch (error) {
      const giveBack = (taken: PermitAnswer): void => {
        if (taken.kind === 'granted') for (const serial of taken.serials) permits.settle(serial, false);
      };
      taking.then(giveBack).catch(() => undefined);
      throw error;
    }
  }

  async function take(as: Priority, atOnce: number, signal: AbortSignal | undefined): Promise<PermitAnswer> {
    const taken = await takeUnlessAborted(as, false, atOnce, signal);
    // Each new process retries a dead key once: it may be valid again.
    const revive = taken.kind === 'dead' && !poller.hasPolled;
    const { currentPoll } = poller;
    if (revive || taken.kind === 'ask') {
      // During a poll the others continue by the estimate.
      if (!(taken.kind === 'ask' && taken.usable && currentPoll)) await waitUnlessAborted(poller.poll(revive), signal);
    } else if (taken.kind === 'wait' && currentPoll) await waitUnlessAborted(currentPoll, signal);
    else return taken;
    return await takeUnlessAborted(as, true, atOnce, signal);
  }

  async function reserve(as: Priority, signal?: AbortSignal, atOnce = 1): Promise<Reservation> {
    signal?.throwIfAborted();
    const atHand = atOnce === 1 ? permits.takeCached(as) : undefined;
    if (atHand !== undefined) return { granted: true, id: atHand, spare: [] };
    const taken = await take(as, atOnce, signal);
    if (taken.kind === 'granted') {
      pauses.end(as);
      const [id = 0, ...spare] = taken.serials;
      return { granted: true, id, spare };
    }
    const pause = pausedBy(taken, clock.now(), { near: atOnce === 1 ? NEAR : SECOND, random });
    if (taken.kind === 'low' || taken.kind === 'refused') pauses.start(as, pause);
    return { granted: false, ...pause };
  }

  async function recordRefusal(error: QuotaExceededError): Promise<number> {
    permits.release();
    await permits.flush();
    const now = clock.now();
    const { fields } = await ledger.readSnapshot();
    const blockEnd = computeBlockEnd(now, error.retryAfterMs, fields.resetAt);
    const { until, isFirst } = await ledger.recordRefusal(blockEnd, now);
    pauses.start('all', { until, lookAt: until, reason: 'refused' });
    if (isFirst) announce({ event: 'paused', priority: 'all', reason: 'refused', at: now, until, lookAt: until });
    return until;
  }

  async function explainError(error: ServiceError): Promise<QuotaExceededError | undefined> {
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

  async function recordDeadKey(): Promise<void> {
    permits.release();
    if (await ledger.recordDeadKey()) announce(createDeadKeyEvent(clock.now()));
  }

  return {
    /**
     * Called before every request, with `settle` after it. The signal ends the wait for token-info.
     * @param atOnce reserve so many requests together, or none; fewer where the quota never has so many
     */
    reserve,
    /** Returns the active pause of a priority, if any. Called before a crawl starts. The signal ends the wait. */
    checkPause: pauses.check,
    /** A request that was or may have been sent counts as spent; otherwise its permit is returned. */
    settle: permits.settle,
    /** Blocks all workers after a 429. Returns the end of the block. The signal ends the wait, not the block. */
    reportRefusal: (error: QuotaExceededError, signal?: AbortSignal): Promise<number> =>
      waitUnlessAborted(recordRefusal(error), signal),
    /** A QuotaExceededError if an empty quota explains the error; otherwise undefined. */
    explainAsQuotaError: (error: ServiceError, signal?: AbortSignal): Promise<QuotaExceededError | undefined> =>
      waitUnlessAborted(explainError(error), signal),
    /** The service refused the key: no permit is granted until token-info succeeds after a restart. */
    reportDeadKey: (signal?: AbortSignal): Promise<void> => waitUnlessAborted(recordDeadKey(), signal),
    async readStatus(): Promise<QuotaStatus> {
      await permits.flush();
      return computeQuotaStatus(await ledger.readSnapshot(), options.reserve, clock.now());
    },
    async [Symbol.asyncDispose](): Promise<void> {
      poller.stop();
      await permits[Symbol.asyncDispose]();
    },
  };
}

/** The pause that a refused permit causes. */
function pausedBy(
  taken: Exclude<PermitAnswer, { kind: 'granted' }>,
  now: number,
  { near: wait, random }: { readonly near: number; readonly random: Random },
): Pause {
  const near = now + wait + Math.round(random() * wait);
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
