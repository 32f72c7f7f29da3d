import type { PauseDecision } from '../policy.ts';
import { type ByPriority, PRIORITIES } from '../priorities.ts';
import type { LedgerChange } from './ledger.ts';
import type { QuotaEvent } from './quota-events.ts';

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
  // The process that detects the start of the next two reports it.
  if (what === 'untrusted') return since === undefined ? undefined : { event: 'trusted', at, since };
  if (what === 'blocked')
    return since === undefined ? undefined : { event: 'resumed', priority: 'all', reason: 'refused', at, since };
  const one = PRIORITIES.find((each) => what === `paused:${each}`)!;
  if (since !== undefined) return { event: 'resumed', priority: one, reason: 'low', at, since };
  const { endsAt: until = null, lookAt = null } = priorities?.[one] ?? {};
  const level = headrooms ? { left, headroom: headrooms[one] } : { left };
  return { event: 'paused', priority: one, reason: 'low', at, until, lookAt, ...level };
}
