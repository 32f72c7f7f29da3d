import { isOpen, listOpenEndpoints, type OutageState } from './breaker-policy.ts';

/**
 * Changes of an outage. Each is published once, whatever the number of workers, as a JSON message on the channel
 * `trawl:outage:{<fingerprint of the address>}:events`. Times are milliseconds UTC. `endpoints` are those that are held
 * back; empty for the whole service.
 */
export type OutageEvent =
  | {
      readonly event: 'opened' | 'widened';
      readonly at: number;
      readonly endpoints: readonly string[];
      readonly why: string;
      /** When the first probe is due. */
      readonly probeAt: number;
    }
  | {
      readonly event: 'closed';
      readonly at: number;
      readonly since: number;
      readonly failedProbes: number;
    };

/** The event between two states; undefined if there is none. */
export function findOutageEvent(before: OutageState, after: OutageState, at: number): OutageEvent | undefined {
  const { outage } = after;
  if (before.outage && !outage) return { event: 'closed', at, ...before.outage };
  if (!outage) return undefined;
  const isService = isOpen(after.service);
  const hasWidened = isService && !isOpen(before.service);
  if (before.outage && !hasWidened) return undefined;
  const endpoints = isService ? [] : listOpenEndpoints(after);
  const circuits = isService ? [after.service] : endpoints.map((name) => after.endpoints[name]!);
  const probeAt = Math.max(...circuits.map((circuit) => circuit.probeAt ?? at));
  return { event: before.outage ? 'widened' : 'opened', at, endpoints, why: outage.why, probeAt };
}

/** Whether a circuit that was open before is closed after. */
export const hasClosedCircuit = (before: OutageState, after: OutageState): boolean =>
  (isOpen(before.service) && !isOpen(after.service)) ||
  listOpenEndpoints(before).some((name) => !listOpenEndpoints(after).includes(name));
