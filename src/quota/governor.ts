import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type Clock, MINUTE, type Random, systemClock } from '../clock.ts';
import { QuotaExceededError, type ServiceError, UnauthorizedError } from '../errors.ts';
import {
  type ByClass,
  byClass,
  DEFAULT_SHARES,
  floorsOf,
  QUOTA_CLASSES,
  type QuotaClass,
  type Shares,
} from './classes.ts';
import { createLedger, type Fields, type Judged, POLL_LIFE, type Snapshot, type Turn } from './ledger.ts';
import {
  fallback,
  judge,
  POLL_GAP,
  type QuotaSample,
  refusedUntil,
  type Reserve,
  reserveOf,
  SAMPLE_AGE,
} from './policy.ts';
import { createTill, type Taken } from './till.ts';

export interface GovernorOptions {
  readonly redis: Redis;
  /** Of the ledger's keys: all that share a key of the service share it, whatever store they crawl into. */
  readonly prefix: string;
  /** A fingerprint of the API key: never the key. */
  readonly keyId: string;
  /** Asks token-info. */
  readonly tokenInfo: (signal?: AbortSignal) => Promise<QuotaSample>;
  readonly reserve: Reserve;
  /** What each class leaves above the reserve. */
  readonly shares?: Shares | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Every sample that this process asked for. */
  readonly onSample?: ((sample: QuotaSample) => void) | undefined;
  /** What a person should know: said once, not each time. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export type PauseReason = 'low' | 'refused' | 'key_dead';

/** A reservation, or when to ask for one again. */
export type Reservation =
  | { readonly granted: true; readonly id: string }
  | {
      readonly granted: false;
      /** When the pause should be over, as far as that is known. */
      readonly until: number;
      /** When to ask again: no later, since a sliding window frees some before. */
      readonly lookAt: number;
      readonly reason: PauseReason;
    };

/** The quota as all workers see it. */
export interface QuotaState {
  readonly limit: number | undefined;
  /** What the last sample said. */
  readonly remaining: number | undefined;
  /** What is surely left now. */
  readonly estimate: number | undefined;
  /** The reserve in requests. */
  readonly reserve: number | undefined;
  readonly resetAt: number | undefined;
  readonly sampledAt: number | undefined;
  /** Reservations not settled yet. */
  readonly open: number;
  readonly classes: ByClass<ClassState>;
}

/** What a class may do. */
export interface ClassState {
  /** How many requests it leaves; undefined when no sample was ever applied. */
  readonly floor: number | undefined;
  /** How many it may send now, with nobody else sending any. */
  readonly spendable: number;
  /** Why it pauses, since when, and when it should go on; undefined where that is not so, or not known. */
  readonly reason: PauseReason | undefined;
  readonly pausedSince: number | undefined;
  readonly pausedUntil: number | undefined;
}

/**
 * Keeps all workers of one key, on all machines, within its quota (law 8). Disposing settles what was sent, and gives
 * back what was not; without it, what this process had in hand counts as spent.
 */
export interface Governor extends AsyncDisposable {
  /** To be called before every request; and `settle` after it. The signal ends the waiting for token-info. */
  reserve(as: QuotaClass, signal?: AbortSignal): Promise<Reservation>;
  /** A request that was sent, or may have been, is spent; one that was not is given back. */
  settle(id: string, sent: boolean): void;
  /** The service said 429: blocks all workers, and says until when. */
  refused(error: QuotaExceededError): Promise<number>;
  /** The quota's error in place of one that an empty quota explains; undefined when it does not. */
  explain(error: ServiceError): Promise<QuotaExceededError | undefined>;
  /** The service refused the key: nothing is granted until a token-info succeeds at the next start. */
  keyDied(): Promise<void>;
  state(): Promise<QuotaState>;
}

/** How soon to come back while another worker asks token-info. */
const NEAR = 100;
/** Statuses that the specification gives a meaning of their own: an empty quota is a far-fetched one. */
const SPECIFIED: readonly (number | undefined)[] = [400, 404];

/** A governor of one process. All governors of a key share one ledger in Redis. */
export function createGovernor(options: GovernorOptions): Governor {
  const { redis, prefix, keyId, tokenInfo, clock = systemClock, random = Math.random } = options;
  const { reserve: kept, shares = DEFAULT_SHARES } = options;
  const self = randomUUID();
  const ledger = createLedger({ redis, key: `${prefix}:quota:{${keyId}}`, holder: self });
  const till = createTill({ ledger, clock });
  let polls = 0;
  let asked = false;
  let asking: Promise<QuotaSample | undefined> | undefined;
  const warn = onceEach((message) => options.onWarning?.(message));

  /** One poll at a time in this process; undefined when it was another's turn, or failed. */
  function ask(force: boolean): Promise<QuotaSample | undefined> {
    asked = true;
    asking ??= poll(force).finally(() => {
      asking = undefined;
    });
    return asking;
  }

  async function poll(force: boolean): Promise<QuotaSample | undefined> {
    // What the service has counted for sure should not be counted once more.
    void till.tell();
    const turn = await ledger.begin(`${self}:${(polls += 1)}`, clock.now(), force);
    if (!turn) return undefined;
    let sample: QuotaSample;
    try {
      sample = await tokenInfo(AbortSignal.timeout(POLL_LIFE));
    } catch (error) {
      await doWithout(turn, error);
      return undefined;
    }
    await apply(turn, sample);
    options.onSample?.(sample);
    return sample;
  }

  async function apply(turn: Turn, sample: QuotaSample): Promise<void> {
    const { limit, resetAt } = sample;
    const floors = floorsOf(limit, kept, shares);
    warn(
      'reserve',
      floors.interactive >= limit &&
        `the reserve is the whole quota of ${limit} requests: nothing can be sent. Lower TRAWL_RESERVE.`,
    );
    warn('outage', false);
    const applied = await ledger.apply(turn, sample, floors);
    if (!applied) return ledger.record(turn.token, {});
    const { estimate, open, pauses } = applied;
    const facts = { now: clock.now(), limit, estimate, open, resetAt };
    const classes = byClass((one) => judge({ ...facts, ...pauses[one], floor: floors[one] }));
    if (QUOTA_CLASSES.some((one) => classes[one].lookAt !== undefined)) till.drop();
    await ledger.record(turn.token, { classes });
  }

  async function doWithout(turn: Turn, error: unknown): Promise<void> {
    till.drop();
    if (error instanceof UnauthorizedError) {
      await ledger.die();
      return ledger.record(turn.token, {});
    }
    const snapshot = await ledger.snapshot();
    const why = error instanceof Error ? error.message : String(error);
    warn('outage', `token-info cannot be asked, so the quota is estimated and 429 is obeyed: ${why}`);
    return ledger.record(turn.token, withoutSample(clock.now(), snapshot));
  }

  /** What token-info says now: just asked is as good as asking, and where it was just out, it is left alone. */
  async function remainingNow({ remaining, nextPollAt = 0 }: Fields, age: number): Promise<number | undefined> {
    if (age < POLL_GAP) return remaining;
    if (nextPollAt > clock.now() + POLL_GAP) return undefined;
    await asking; // it began before the error, and may not have seen why
    return (await ask(true))?.remaining;
  }

  async function take(as: QuotaClass, signal: AbortSignal | undefined): Promise<Taken> {
    const taken = await till.take(as, false);
    // A dead key is tried again once by whoever starts: it may have been mended.
    const revive = taken.kind === 'dead' && !asked;
    if (revive || taken.kind === 'ask') {
      // While one asks, the others go on by the estimate.
      if (!(taken.kind === 'ask' && taken.usable && asking)) await unlessAborted(ask(revive), signal);
    } else if (taken.kind === 'wait' && asking) await unlessAborted(asking, signal);
    else return taken;
    return till.take(as, true);
  }

  return {
    async reserve(as, signal) {
      signal?.throwIfAborted();
      const atHand = till.handOut(as);
      if (atHand !== undefined) return { granted: true, id: String(atHand) };
      const taken = await take(as, signal);
      if (taken.kind === 'granted') return { granted: true, id: String(taken.serial) };
      return { granted: false, ...pausedBy(taken, clock.now(), random) };
    },
    settle: (id, sent) => till.settle(Number(id), sent),
    async refused(error) {
      till.drop();
      const { fields } = await ledger.snapshot();
      return ledger.refuse(refusedUntil(clock.now(), error.retryAfterMs, fields.resetAt));
    },
    async explain(error) {
      if (error instanceof QuotaExceededError) return error;
      const { status, body, ms } = error;
      if (status === undefined || status < 400 || status === 401) return undefined;
      const { usable, fields } = await ledger.snapshot();
      const age = Math.abs(clock.now() - (fields.sampledAt ?? -Infinity));
      if (SPECIFIED.includes(status) && usable.interactive && age < SAMPLE_AGE) return undefined;
      const remaining = await remainingNow(fields, age);
      if (remaining === undefined || remaining > 0) return undefined;
      return new QuotaExceededError(`the quota is used up, and so ${error.message}`, {
        status,
        body,
        ms,
        cause: error,
      });
    },
    async keyDied() {
      till.drop();
      await ledger.die();
    },
    async state() {
      await till.tell();
      const snapshot = await ledger.snapshot();
      const { fields, open, estimate, classes } = snapshot;
      const { limit, remaining, resetAt, sampledAt } = fields;
      const now = clock.now();
      return {
        ...{ limit, remaining, estimate, resetAt, sampledAt, open },
        reserve: limit === undefined ? undefined : reserveOf(limit, kept),
        classes: byClass((one) => {
          const { floor } = classes[one];
          const pause = pauseOf(now, snapshot, one);
          const isFree = pause.reason === undefined && floor !== undefined && estimate !== undefined;
          return { floor, spendable: isFree ? Math.max(0, estimate - floor) : 0, ...pause };
        }),
      };
    },
    [Symbol.asyncDispose]: () => till[Symbol.asyncDispose](),
  };
}

/** What a refusal of the ledger means for who asked. */
function pausedBy(taken: Exclude<Taken, { kind: 'granted' }>, now: number, random: Random) {
  const near = now + NEAR + Math.round(random() * NEAR);
  switch (taken.kind) {
    case 'dead':
      return { until: now + MINUTE, lookAt: now + MINUTE, reason: 'key_dead' } as const;
    case 'refused':
      return { until: taken.until, lookAt: taken.until, reason: 'refused' } as const;
    case 'low':
      return { until: Math.max(taken.lookAt, taken.endsAt ?? 0), lookAt: taken.lookAt, reason: 'low' } as const;
    case 'wait':
    case 'ask': {
      const lookAt = taken.kind === 'wait' ? Math.max(near, taken.until) : near;
      return { until: lookAt, lookAt, reason: 'low' } as const;
    }
  }
}

/** How all go on without token-info. What the last sample left to the upper classes, the others leave to them still. */
function withoutSample(now: number, { fields, classes, usable }: Snapshot): Judged {
  const { resetAt } = fields;
  const { nextPollAt, blindUntil, lookAt } = fallback({
    ...{ now, resetAt, usable: usable.interactive },
    pausedSince: classes.interactive.pausedSince,
  });
  return {
    all: { nextPollAt, blindUntil },
    classes: byClass((one) => {
      if (usable[one]) return {};
      const isLower = usable.interactive;
      return {
        lookAt: isLower ? nextPollAt : lookAt,
        ...(isLower ? { pausedSince: classes[one].pausedSince ?? now } : {}),
      };
    }),
  };
}

function pauseOf(
  now: number,
  { dead, fields, classes }: Snapshot,
  one: QuotaClass,
): Pick<ClassState, 'pausedUntil' | 'pausedSince' | 'reason'> {
  const { blockedUntil = 0 } = fields;
  const { pausedSince, lookAt = 0, endsAt = 0 } = classes[one];
  if (dead) return { pausedSince: undefined, pausedUntil: undefined, reason: 'key_dead' };
  if (blockedUntil > now) return { pausedSince: undefined, pausedUntil: blockedUntil, reason: 'refused' };
  if (lookAt > now) return { pausedSince, pausedUntil: Math.max(lookAt, endsAt), reason: 'low' };
  return { pausedSince: undefined, pausedUntil: undefined, reason: undefined };
}

/** Says a message when its topic comes up, and again only after it was over. */
function onceEach(say: (message: string) => void): (topic: string, message: string | false) => void {
  const current = new Set<string>();
  return (topic, message) => {
    if (message === false) current.delete(topic);
    else if (!current.has(topic)) {
      current.add(topic);
      say(message);
    }
  };
}

/** The promise, or the signal's reason when that comes first. The promise itself goes on. */
async function unlessAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return void (await promise);
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
