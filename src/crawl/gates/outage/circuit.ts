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

export interface Outage {
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
