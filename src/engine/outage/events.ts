import type { Redis } from 'ioredis';
import { isOpen, listOpenEndpoints, type OutageState } from './circuit.ts';

/**
 * What happens to a service, as all processes that use it hear: one JSON message each, on the channel
 * `trawl:outage:{<fingerprint of the address>}:events`, published once however many workers there are. Times are
 * milliseconds UTC. `endpoints` are those that are held back; empty where the whole service is.
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
      /** Requests that probed it in vain, and how often a crawl was turned away without a request. */
      readonly failedProbes: number;
      readonly turnedAway: number;
    };

/** What happened between two states, for whoever made the second of the first. */
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

const channelOf = (key: string): string => `${key}:events`;

/** Publishes an event. A process that misses it finds out from the state. */
export function publishOutage(redis: Redis, key: string, event: OutageEvent): void {
  redis.publish(channelOf(key), JSON.stringify(event)).catch(() => undefined);
}

/** Calls back for each event that any process published. The connection may serve other subscriptions. */
export function subscribeToOutages(connection: Redis, key: string, onEvent: () => void): void {
  connection.on('message', (channel: string) => {
    if (channel === channelOf(key)) onEvent();
  });
  connection.subscribe(channelOf(key)).catch(() => undefined);
}
