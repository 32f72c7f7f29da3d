import { MINUTE, SECOND } from '#base/clock.ts';

/**
 * The state of the circuit breaker as data. All processes that use a service share it; its times are milliseconds UTC.
 */

/**
 * What the responses of an endpoint were when a control request failed, too: all 403, so that the key may be refused; or all
 * 404, so that nothing is known to be gone. The probe of such a circuit is a control request.
 */
export type ControlCause = 'forbidden' | 'not_found';

/** The circuit of one endpoint, or of the whole service. */
export interface Circuit {
  /** Failures in a row since the last success, whichever crawls had them. */
  readonly failures: number;
  /** When it was opened; undefined while it is closed. */
  readonly openedAt?: number | undefined;
  /** When it was last closed. */
  readonly closedAt?: number | undefined;
  /** Why it was opened, if a control request failed. */
  readonly cause?: ControlCause | undefined;
  /** Probes that failed since it opened. */
  readonly failedProbes: number;
  /** While open: when the next probe may be sent. */
  readonly probeAt?: number | undefined;
  /** While half-open: the slice that probes, and until when at most. */
  readonly prober?: string | undefined;
  readonly probeUntil?: number | undefined;
  /** The target that last succeeded, when that was, and when another target did. */
  readonly succeededBy?: string | undefined;
  readonly succeededAt?: number | undefined;
  readonly othersSucceededAt?: number | undefined;
}

/** The circuits of a service. */
export interface OutageState {
  /** Its `failures` count failed connections. */
  readonly service: Circuit;
  readonly endpoints: Readonly<Record<string, Circuit>>;
  /** The present outage: from the first circuit that opened until none is open. */
  readonly outage?: Outage | undefined;
}

interface Outage {
  readonly since: number;
  /** The failure that opened the first circuit. */
  readonly why: string;
  readonly failedProbes: number;
}

export const CLOSED: Circuit = { failures: 0, failedProbes: 0 };
export const NO_OUTAGE: OutageState = { service: CLOSED, endpoints: {} };

export const getCircuit = (state: OutageState, endpoint: string): Circuit => state.endpoints[endpoint] ?? CLOSED;
export const isOpen = ({ openedAt }: Circuit): boolean => openedAt !== undefined;

/** The endpoints whose own circuit is open. */
export const listOpenEndpoints = ({ endpoints }: OutageState): string[] =>
  Object.keys(endpoints).filter((name) => isOpen(endpoints[name]!));

/** The open circuits of an outage, the time of the first probe (undefined without one), and the latest end of a current probe. */
export function listOpenCircuits(state: OutageState) {
  const isWholeService = isOpen(state.service);
  const endpoints = listOpenEndpoints(state);
  const open = [...(isWholeService ? [state.service] : []), ...endpoints.map((name) => state.endpoints[name]!)];
  const times = open.map((circuit) => circuit.probeAt ?? 0);
  const probeUntil = Math.max(...open.map((circuit) => (circuit.prober && circuit.probeUntil) || 0));
  return { isWholeService, endpoints, probeAt: times.length === 0 ? undefined : Math.min(...times), probeUntil };
}

/** Whether requests to an endpoint are held back. */
export const isRequestHeld = (state: OutageState, endpoint: string): boolean =>
  isOpen(state.service) || isOpen(getCircuit(state, endpoint));

/** The state in a text of Redis; an unreadable text is no outage. */
export function parseOutageState(text: string): OutageState {
  try {
    const state = JSON.parse(text) as OutageState;
    return typeof state.service === 'object' && typeof state.endpoints === 'object' ? state : NO_OUTAGE;
  } catch {
    return NO_OUTAGE;
  }
}

/** The decisions of the circuit breaker (invariants 9 and 14), as pure functions of its state. */

/** Failures in a row that open a circuit. */
export const FAILURES_TO_OPEN = 5;
/** The delay between two probes doubles after each that fails, from a second to a maximum by the age of the outage. */
const LEAST_DELAY = SECOND;
const MOST_DELAYS = [
  { upToAge: 10 * MINUTE, delay: 30 * SECOND },
  { upToAge: 60 * MINUTE, delay: MINUTE },
  { upToAge: Infinity, delay: 5 * MINUTE },
] as const;
/** The longest Retry-After that is obeyed. */
export const MAX_RETRY_AFTER = 15 * MINUTE;
/** A probe expires after this, which is longer than a permit and a request take: only a dead process loses it. */
export const PROBE_TIMEOUT = MINUTE;
/** A probe that is set later than this is of a process with a wrong clock. */
const FURTHEST_PROBE = MAX_RETRY_AFTER + MINUTE;

/** Milliseconds to the next probe: between half of the back-off and all of it, at least a second. @param age of the outage, ms */
export function computeProbeDelay(failedProbes: number, random: number, age: number): number {
  const { delay } = MOST_DELAYS.find(({ upToAge }) => age < upToAge)!;
  const ceiling = Math.min(delay, LEAST_DELAY * 2 ** failedProbes);
  return Math.max(LEAST_DELAY, Math.round(ceiling * (0.5 + random / 2)));
}

/** Whether requests may be sent: `until` is when the next probe is due, or the probe under way ends at the latest. */
export type Admission =
  | { readonly state: OutageState; readonly admitted: 'closed' | 'probe' }
  | { readonly state: OutageState; readonly admitted: 'no'; readonly until: number; readonly isService: boolean };

/** Decides whether a request of `who` to an endpoint may be sent. It takes the probe if one is due. */
export function admitRequest(state: OutageState, endpoint: string, who: string, now: number): Admission {
  const circuits = [state.service, getCircuit(state, endpoint)].filter(isOpen);
  if (circuits.length === 0) return { state, admitted: 'closed' };
  const until = Math.max(...circuits.map((circuit) => closedUntil(circuit, who, now)));
  if (until > now) return { state, admitted: 'no', until, isService: isOpen(state.service) };
  if (circuits.every(({ prober }) => prober === who)) return { state, admitted: 'probe' };
  const turn = { prober: who, probeUntil: now + PROBE_TIMEOUT };
  return {
    state: change(state, endpoint, (circuit) => (isOpen(circuit) ? { ...circuit, ...turn } : circuit)),
    admitted: 'probe',
  };
}

/** Until when an open circuit admits no other request; at most `now` if a probe is due. */
function closedUntil({ prober, probeUntil = 0, probeAt = 0 }: Circuit, who: string, now: number): number {
  if (prober === who) return now;
  if (prober !== undefined && probeUntil > now && probeUntil <= now + PROBE_TIMEOUT) return probeUntil;
  return probeAt <= now + FURTHEST_PROBE ? probeAt : now;
}

/** A request that failed for a fault of the service: no response, 5xx, 408 or 425, or a control request that failed. */
export interface RequestFailure {
  readonly endpoint: string;
  readonly who: string;
  readonly target: string;
  /** When it was sent, and when it had failed. */
  readonly sentAt: number;
  readonly now: number;
  /** No connection was made. */
  readonly isUnsent: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly why: string;
  /** In [0, 1). */
  readonly random: number;
  /** When this crawl failed before. */
  readonly failedBefore: number;
  /** A control request failed: the circuit opens at once. */
  readonly cause?: ControlCause | undefined;
}

/** What a failure means for its crawl. */
export interface FailureVerdict {
  /** Other targets of the endpoint have succeeded since the crawl last failed: the failure is its own. */
  readonly isOwn: boolean;
  readonly isService: boolean;
  /** When to try again, where the failure is not its own. */
  readonly until: number;
}

export function recordFailure(
  state: OutageState,
  failure: RequestFailure,
): { readonly state: OutageState; readonly verdict: FailureVerdict } {
  const { endpoint, who, now, isUnsent } = failure;
  const before = getCircuit(state, endpoint);
  // A failed connection counts for both circuits: responses of other endpoints reset the service's.
  const own = failed(before, failure);
  const counted =
    isUnsent || isOpen(state.service) ? failed(state.service, failure) : { ...state.service, failures: 0 };
  // A control request says nothing of other endpoints.
  const isSecond = !isOpen(before) && isOpen(own) && failure.cause === undefined && listOpenEndpoints(state).length > 0;
  const service = isSecond && !isOpen(counted) ? opened(counted, failure) : counted;
  const open = [own, service].filter(isOpen);
  const wasProbe = [before, state.service].some((circuit) => isOpen(circuit) && circuit.prober === who);
  const outage = open.length > 0 ? (state.outage ?? newOutage(failure)) : state.outage;
  const failures = isUnsent ? service.failures : own.failures;
  return {
    state: {
      service,
      endpoints: { ...state.endpoints, [endpoint]: own },
      outage: outage && wasProbe ? { ...outage, failedProbes: outage.failedProbes + 1 } : outage,
    },
    verdict: {
      isOwn: open.length === 0 && !isUnsent && othersSucceededAt(before, failure.target) >= failure.failedBefore,
      isService: isOpen(service),
      until:
        open.length > 0
          ? Math.max(...open.map(({ probeAt = now }) => probeAt))
          : now + waitFor(failure, Math.max(0, failures - 1)),
    },
  };
}

/** When a target other than this one last succeeded. */
const othersSucceededAt = ({ succeededBy, succeededAt, othersSucceededAt: others }: Circuit, target: string): number =>
  (succeededBy === target ? others : succeededAt) ?? -Infinity;

const newOutage = ({ now, why }: RequestFailure): Outage => ({ since: now, why, failedProbes: 0 });

/** A circuit after a failure that counts for it. */
function failed(circuit: Circuit, failure: RequestFailure): Circuit {
  const { who, sentAt, now } = failure;
  if (isOpen(circuit) && circuit.prober === who) {
    const failedProbes = circuit.failedProbes + 1;
    return {
      ...withoutProber(circuit),
      failedProbes,
      probeAt: now + waitFor(failure, failedProbes, now - circuit.openedAt!),
    };
  }
  // Sent before it opened: its Retry-After may be later.
  if (isOpen(circuit)) return { ...circuit, probeAt: Math.max(circuit.probeAt ?? now, now + obeyed(failure)) };
  // Sent before it closed: it says nothing of the present state.
  if (circuit.closedAt !== undefined && sentAt < circuit.closedAt) return circuit;
  const failures = circuit.failures + 1;
  if (failure.cause === undefined && failures < FAILURES_TO_OPEN) return { ...circuit, failures };
  return opened({ ...circuit, failures, cause: failure.cause }, failure);
}

const opened = (circuit: Circuit, failure: RequestFailure): Circuit => ({
  ...circuit,
  openedAt: failure.now,
  failedProbes: 0,
  probeAt: failure.now + waitFor(failure, 0),
});

const obeyed = ({ retryAfterMs = 0 }: RequestFailure): number => Math.min(retryAfterMs, MAX_RETRY_AFTER);
const waitFor = (failure: RequestFailure, tries: number, age = 0): number =>
  Math.max(computeProbeDelay(tries, failure.random, age), obeyed(failure));
const withoutProber = (circuit: Circuit): Circuit => ({ ...circuit, prober: undefined, probeUntil: undefined });

/** A response of the service, of any status. */
interface RequestSuccess extends Pick<RequestFailure, 'endpoint' | 'who' | 'target' | 'sentAt' | 'now'> {
  /** It is no refusal (400, 404). */
  readonly isPage: boolean;
}

/**
 * Closes the circuits of the endpoint and of the service, unless the request was sent before they opened. After 404s, only a
 * page does.
 */
export function recordSuccess(state: OutageState, success: RequestSuccess): OutageState {
  const { endpoint, who, target, sentAt, now, isPage } = success;
  const next = change(state, endpoint, (circuit) => {
    if (!isOpen(circuit)) return { ...circuit, failures: 0 };
    if (circuit.cause === 'not_found' && !isPage) return circuit;
    if (sentAt < circuit.openedAt! && circuit.prober !== who) return circuit;
    return { ...CLOSED, closedAt: now };
  });
  const last = getCircuit(state, endpoint);
  const others = last.succeededBy === target ? last.othersSucceededAt : last.succeededAt;
  const own = { ...getCircuit(next, endpoint), succeededBy: target, succeededAt: now, othersSucceededAt: others };
  const endpoints = { ...next.endpoints, [endpoint]: own };
  const closed = { ...next, endpoints };
  const isOver = !isOpen(closed.service) && listOpenEndpoints(closed).length === 0;
  return isOver ? { service: closed.service, endpoints } : closed;
}

/** Releases a probe: its request was not sent, or says nothing of the service. The same state without a probe of `who`. */
export function releaseProbe(state: OutageState, who: string): OutageState {
  if (![state.service, ...Object.values(state.endpoints)].some(({ prober }) => prober === who)) return state;
  const free = (circuit: Circuit): Circuit => (circuit.prober === who ? withoutProber(circuit) : circuit);
  const endpoints = Object.fromEntries(Object.entries(state.endpoints).map(([name, circuit]) => [name, free(circuit)]));
  return { ...state, service: free(state.service), endpoints };
}

/** Changes the circuits that apply to an endpoint. */
const change = (state: OutageState, endpoint: string, to: (circuit: Circuit) => Circuit): OutageState => ({
  ...state,
  service: to(state.service),
  endpoints: { ...state.endpoints, [endpoint]: to(getCircuit(state, endpoint)) },
});
