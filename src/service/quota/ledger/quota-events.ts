import { type ByPriority, PRIORITIES, type Priority } from '#service/quota/priorities.ts';
import type { PauseDecision } from '#service/quota/quota-policy.ts';
import type { LedgerChange } from './ledger.ts';

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
  /** token-info fails, and the quota is estimated; and the end of that. */
  | { readonly event: 'lost'; readonly at: number; readonly why: string }
  | { readonly event: 'found'; readonly at: number; readonly since: number };

/** The pause after the service refused the key; it ends only with a new key. */
export const createDeadKeyEvent = (at: number): QuotaEvent => ({
  event: 'paused',
  priority: 'all',
  reason: 'key_dead',
  at,
  until: null,
  lookAt: null,
});

/** A warning for people; undefined for events that are only logged. */
export function describeWarning(event: QuotaEvent): string | undefined {
  switch (event.event) {
    case 'lost':
      return `token-info cannot be asked, so the quota is estimated and 429 is obeyed: ${event.why}`;
    case 'found':
      return 'token-info answers again';
    case 'paused':
    case 'resumed':
      return undefined;
  }
}

/** The state of the ledger when a change was recorded. */
interface RecordedState {
  readonly at: number;
  /** Why token-info is out. */
  readonly why: string;
  readonly left: number;
  readonly headrooms?: ByPriority<number>;
  readonly priorities?: ByPriority<PauseDecision>;
}

/** The events of recorded changes. Pure. */
export const listQuotaEvents = (changes: readonly LedgerChange[], recorded: RecordedState): QuotaEvent[] =>
  changes.flatMap((change) => toEvent(change, recorded) ?? []);

function toEvent(
  { what, since }: LedgerChange,
  { at, why, left, headrooms, priorities }: RecordedState,
): QuotaEvent | undefined {
  if (what === 'out') return since === undefined ? { event: 'lost', at, why } : { event: 'found', at, since };
  // The process that detects the refusal reports the start.
  if (what === 'blocked')
    return since === undefined ? undefined : { event: 'resumed', priority: 'all', reason: 'refused', at, since };
  const one = PRIORITIES.find((each) => what === `paused:${each}`)!;
  if (since !== undefined) return { event: 'resumed', priority: one, reason: 'low', at, since };
  const { endsAt: until = null, lookAt = null } = priorities?.[one] ?? {};
  const level = headrooms ? { left, headroom: headrooms[one] } : { left };
  return { event: 'paused', priority: one, reason: 'low', at, until, lookAt, ...level };
}
