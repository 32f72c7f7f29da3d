import { randomUUID } from 'node:crypto';
import { type Clock, type Random, SECOND } from '#base/clock.ts';
import { publishEvent, subscribeToEvents, type RedisClient } from '#base/redis-client.ts';
import type { GateHold } from '#crawl/gates/gates.ts';
import { digestText } from '#crawl/pagination/cursor-origin.ts';
import {
  admitRequest,
  recordFailure,
  recordSuccess,
  releaseProbe,
  type RequestFailure,
  type Circuit,
  getCircuit,
  isOpen,
  isRequestHeld,
  type OutageState,
} from './breaker-policy.ts';
import { findOutageEvent, hasClosedCircuit, type OutageEvent } from './outage-events.ts';
import { createSharedOutageState } from './shared-breaker-state.ts';

export interface BreakerOptions {
  /** A connection whose commands fail without Redis: the breaker then works in this process alone. */
  readonly redis: RedisClient;
  /** A connection for subscriptions, for changes by other processes at once; without it, they are read later. */
  readonly listener?: RedisClient | undefined;
  readonly prefix: string;
  /** A fingerprint of the service's address: all keys and databases that use the service share its state. */
  readonly serviceId: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Exactly one process of those that share the state gets each event. */
  readonly onEvent?: ((event: OutageEvent) => void) | undefined;
  /** Called when any process closed a circuit. */
  readonly onClosed?: (() => void) | undefined;
}

export type Breaker = ReturnType<typeof createBreaker>;

/** The requests of one slice of a crawl. */
export type BreakerSession = ReturnType<typeof startSession>;

type ReportedFailure = Omit<RequestFailure, 'who' | 'target' | 'now' | 'random'>;

/** An older state is read again before a slice. */
const LOOK_AGE = 250;
/** How often successes of an endpoint without failures are reported. */
const REPORT_AGE = 5 * SECOND;
/** The jitter of crawls that wait for an endpoint; it grows with the outage. */
const SPREAD = { least: 2 * SECOND, most: 60 * SECOND } as const;

/** The circuit breaker of a service: holds requests back while they would fail, and probes whether they do. */
export function createBreaker(options: BreakerOptions) {
  const circuits = shareCircuits(options);
  const self = randomUUID().slice(0, 8);
  let begun = 0;
  return {
    /** The state in Redis now. */
    async readState(): Promise<OutageState> {
      await circuits.refresh();
      return circuits.shared.known;
    },
    /** Starts the session of one slice. No account names go to Redis. */
    startSession: (target: string) => startSession(circuits, digestText(target), `${self}:${(begun += 1)}`),
  };
}

/** The state that all sessions of a process share. */
function shareCircuits(options: BreakerOptions) {
  const { redis, listener, clock, random } = options;
  // The braces keep the key and its channel in one slot of a Redis cluster.
  const key = `${options.prefix}:outage:{${options.serviceId}}`;
  const shared = createSharedOutageState(redis, key, clock);
  let readAt = -Infinity;
  let last = shared.known;
  if (listener) subscribeToEvents(listener, key, () => void refresh());

  /** After a read: calls `onClosed` if a circuit closed since the last call. */
  function notice(): void {
    readAt = clock.now();
    const before = last;
    last = shared.known;
    if (before !== last && hasClosedCircuit(before, last)) options.onClosed?.();
  }

  /** Reads the state again if it is at least `age` ms old. */
  async function refresh(age = -Infinity): Promise<void> {
    if (clock.now() - readAt < age) return;
    await shared.refresh();
    notice();
  }

  return {
    clock,
    random,
    refresh,
    /** When a success of an endpoint was last reported. */
    reportedAt: new Map<string, number>(),
    shared,
    /** Applies a change to the shared state. */
    async update(change: (state: OutageState) => OutageState): Promise<void> {
      const { before, after } = await shared.update(change);
      const event = findOutageEvent(before, after, clock.now());
      if (event) {
        options.onEvent?.(event);
        publishEvent(redis, key, event);
      }
      notice();
    },
  };
}

type SharedCircuits = ReturnType<typeof shareCircuits>;

/** Starts the session of one slice. @param target a digest of that of its crawl @param who its name in the shared state */
function startSession(circuits: SharedCircuits, target: string, who: string) {
  const { clock, random, reportedAt, shared, refresh, update } = circuits;

  /** Before a request: its hold, by the state in this process; undefined if it may be sent. Takes the probe if it is due. */
  async function beginRequest(endpoint: string): Promise<GateHold | undefined> {
    if (!isRequestHeld(shared.known, endpoint)) return undefined;
    let hold: GateHold | undefined;
    await update((state) => {
      const admission = admitRequest(state, endpoint, who, clock.now());
      hold = admission.admitted === 'no' ? { ...spread(admission, state, circuits), endpoint } : undefined;
      return admission.state;
    });
    return hold;
  }

  return {
    beginRequest,
    /** The same before a slice, by a recent state. */
    async checkEndpoint(endpoint: string): Promise<GateHold | undefined> {
      await refresh(LOOK_AGE);
      return await beginRequest(endpoint);
    },
    /** The circuit of an endpoint if this session probes it; undefined otherwise. */
    findProbedCircuit(endpoint: string): Circuit | undefined {
      const circuit = getCircuit(shared.known, endpoint);
      return circuit.prober === who ? circuit : undefined;
    },
    /** The service responded. Resolves at once if no circuit changes. @param isPage it is no refusal (400, 404) */
    async reportSuccess(endpoint: string, sentAt: number, isPage = true): Promise<void> {
      const success = { endpoint, who, target, sentAt, isPage, now: clock.now() };
      const state = shared.known;
      const matters = [state.service, getCircuit(state, endpoint)].some((one) => isOpen(one) || one.failures > 0);
      const age = success.now - (reportedAt.get(endpoint) ?? -Infinity);
      if (matters || age >= REPORT_AGE) {
        reportedAt.set(endpoint, success.now);
        const done = update((before) => recordSuccess(before, success));
        if (matters) await done;
      }
    },
    /**
     * No response, a 5xx, 408 or 425, or a control request that failed. Resolves with its hold; undefined if the failure
     * is the crawl's own.
     */
    async reportFailure(failure: ReportedFailure): Promise<GateHold | undefined> {
      let hold: GateHold | undefined;
      const given = { ...failure, who, target, now: clock.now(), random: random() };
      await update((state) => {
        const { state: after, verdict } = recordFailure(state, given);
        const { isOwn, isService: isShared, until } = verdict;
        const { endpoint, why: error } = failure;
        hold = isOwn ? undefined : { reason: 'outage', until, resumeAt: until, error, endpoint, isShared };
        return after;
      });
      return hold;
    },
    /** Ends the session: an unused probe is released. */
    async close(): Promise<undefined> {
      if (releaseProbe(shared.known, who) !== shared.known) await update((state) => releaseProbe(state, who));
    },
  };
}

/** An outage of the service holds back all crawls of a priority; one of an endpoint, only its own, with jitter. */
function spread(
  { until, isService }: { until: number; isService: boolean },
  { outage }: OutageState,
  { clock, random }: SharedCircuits,
): GateHold {
  const lasted = clock.now() - (outage?.since ?? clock.now());
  const most = Math.min(SPREAD.most, Math.max(SPREAD.least, lasted));
  const later = isService ? until : until + Math.round(random() * most);
  return { reason: 'outage', until: later, resumeAt: until, isShared: isService };
}
