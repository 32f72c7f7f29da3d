import type { PauseDecision } from '../policy.ts';
import { type ByPriority, PRIORITIES } from '../priorities.ts';
import type { LedgerChange } from './ledger.ts';
import type { QuotaEvent } from './quota-events.ts';

/** What was known when something was recorded. */
interface Recorded {
  readonly at: number;
  /** Why token-info is out. */
  readonly why: string;
  readonly left: number;
  readonly headrooms?: ByPriority<number>;
  readonly priorities?: ByPriority<PauseDecision>;
}

/** What began or ended with what was recorded, as everybody hears of it. Pure. */
export const listQuotaEvents = (changes: readonly LedgerChange[], recorded: Recorded): QuotaEvent[] =>
  changes.flatMap((change) => eventOf(change, recorded) ?? []);

function eventOf(
  { what, since }: LedgerChange,
  { at, why, left, headrooms, priorities }: Recorded,
): QuotaEvent | undefined {
  if (what === 'out') return since === undefined ? { event: 'lost', at, why } : { event: 'found', at, since };
  // How these two began, says who found it out.
  if (what === 'untrusted') return since === undefined ? undefined : { event: 'trusted', at, since };
  if (what === 'blocked')
    return since === undefined ? undefined : { event: 'resumed', priority: 'all', reason: 'refused', at, since };
  const one = PRIORITIES.find((each) => what === `paused:${each}`)!;
  if (since !== undefined) return { event: 'resumed', priority: one, reason: 'low', at, since };
  const { endsAt: until = null, lookAt = null } = priorities?.[one] ?? {};
  const level = headrooms ? { left, headroom: headrooms[one] } : { left };
  return { event: 'paused', priority: one, reason: 'low', at, until, lookAt, ...level };
}
