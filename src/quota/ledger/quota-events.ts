import type { Priority } from '../priorities.ts';

export type PauseReason = 'low' | 'refused' | 'key_dead';

/**
 * Changes of a quota. Each is published once, whatever the number of workers, as a JSON message on the channel
 * `trawl:quota:{<fingerprint of the key>}:events`. Times are milliseconds UTC. `priority` is `all` for statements of the
 * service.
 */
export type QuotaEvent =
  | {
      readonly event: 'paused';
      readonly priority: Priority | 'all';
      readonly reason: PauseReason;
      readonly at: number;
      /** The expected end; null if only a person can end it. */
      readonly until: number | null;
      /** When workers check at the latest whether it has ended. */
      readonly lookAt: number | null;
      /** Of a priority: the remaining quota, and the number at which it stops. */
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
  /** token-info fails, or is not trusted, and the quota is estimated; and the end of that. */
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
