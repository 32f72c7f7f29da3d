import type { Redis } from 'ioredis';
import type { Priority } from '../priorities.ts';

export type PauseReason = 'low' | 'refused' | 'key_dead';

/**
 * What happens to a quota, as all its workers and whoever watches hear of it: one JSON message each, on the channel
 * `trawl:quota:{<fingerprint of the key>}:events`, published once however many workers there are. Times are milliseconds
 * UTC. `priority` is `all` for what the service itself said.
 */
export type QuotaEvent =
  | {
      readonly event: 'paused';
      readonly priority: Priority | 'all';
      readonly reason: PauseReason;
      readonly at: number;
      /** When it should be over; null when only a person can end it. */
      readonly until: number | null;
      /** When workers look whether it is, at the latest. */
      readonly lookAt: number | null;
      /** Of a priority: what was left, and at what it stops. */
      readonly left?: number;
      readonly headroom?: number;
    }
  | {
      readonly event: 'resumed';
      readonly priority: Priority | 'all';
      readonly reason: PauseReason;
      readonly at: number;
      readonly since: number;
    }
  /** token-info does not answer, or is not believed; the quota is estimated. And the end of that. */
  | { readonly event: 'lost' | 'distrusted'; readonly at: number; readonly why: string }
  | { readonly event: 'found' | 'trusted'; readonly at: number; readonly since: number };

/** The pause after the service refused the key; it ends only with a new key. */
export const createDeadKeyEvent = (at: number): QuotaEvent => ({
  ...{ event: 'paused', priority: 'all', reason: 'key_dead', at, until: null, lookAt: null },
});

/** A warning for people; undefined for events that are only logged. */
export function describeWarning(event: QuotaEvent): string | undefined {
  switch (event.event) {
    case 'lost':
      return `token-info cannot be asked, so the quota is estimated and 429 is obeyed: ${event.why}`;
    case 'distrusted':
      return `token-info is not believed for now, so the quota is estimated and 429 is obeyed: ${event.why}`;
    case 'found':
      return 'token-info answers again';
    case 'trusted':
      return 'token-info is believed again';
    case 'paused':
    case 'resumed':
      return undefined;
  }
}

const channelOf = (key: string): string => `${key}:events`;

/** Publishes an event. Processes that miss it read the ledger. */
export function publishQuotaEvent(redis: Redis, key: string, event: QuotaEvent): void {
  redis.publish(channelOf(key), JSON.stringify(event)).catch(() => undefined);
}

/** Subscribes to events on a dedicated connection. */
export function subscribeToQuotaEvents(connection: Redis, key: string, onEvent: (event: QuotaEvent) => void): void {
  connection.on('message', (_channel: string, message: string) => {
    const event = parse(message);
    if (event) onEvent(event);
  });
  connection.subscribe(channelOf(key)).catch(() => undefined);
}

function parse(message: string): QuotaEvent | undefined {
  try {
    return JSON.parse(message) as QuotaEvent;
  } catch {
    return undefined;
  }
}
