import type { LedgerFields, LedgerSnapshot, SpentCount } from './ledger/ledger-state.ts';
import type { LedgerUpdate } from './ledger/ledger.ts';
import { mapPriorities } from './priorities.ts';
import { decideFallback, MIN_POLL_INTERVAL, type QuotaSample } from './quota-policy.ts';

/**
 * Decisions while token-info is out, from the state of the ledger. Pure. The last limit still applies, and the window is
 * assumed to be sliding: at most `limit` requests in any time of its length. This also keeps within a fixed window.
 */
export interface LastLimit {
  readonly limit: number;
  readonly windowMs: number;
}

const MAX_COUNTS = 128;

/** The last limit of token-info; undefined if its window is unknown. The window is slightly longer than observed. */
export const readLastLimit = ({ tokenInfoLimit, windowMs }: LedgerFields): LastLimit | undefined =>
  tokenInfoLimit && windowMs
    ? { limit: tokenInfoLimit, windowMs: Math.round(windowMs * 1.02) + MIN_POLL_INTERVAL }
    : undefined;

/** Adds a count, and drops those that no window needs; of too many, every other one. */
export function addSpentCount(
  counts: readonly SpentCount[],
  count: SpentCount,
  windowMs: number | undefined,
): SpentCount[] {
  const start = windowMs === undefined ? -Infinity : count[0] - 2 * windowMs;
  const first = counts.findLastIndex(([at]) => at <= start);
  const all = [...counts.slice(Math.max(0, first)), count];
  return all.length <= MAX_COUNTS ? all : all.filter((_, i) => i % 2 === 0 || i === all.length - 1);
}

/** The first counts of an outage: the usage of the last sample counts as sent at the time of the sample. */
export function listSpentCounts({ limit, remaining, sampledAt, ceiling }: LedgerFields): SpentCount[] {
  if (limit === undefined || remaining === undefined || sampledAt === undefined || ceiling === undefined) return [];
  const spentThen = ceiling - remaining;
  return [
    [sampledAt - 1, spentThen - Math.max(0, limit - remaining)],
    [sampledAt, spentThen],
  ];
}

/** The sample that token-info would give. Requests between two counts are counted at the later one. */
export function estimateSample(
  { limit, windowMs }: LastLimit,
  counts: readonly SpentCount[],
  spent: number,
  now: number,
): QuotaSample {
  const start = now - windowMs;
  const before = counts.findLast(([at]) => at <= start) ?? counts[0];
  const used = before === undefined ? 0 : spent - before[1];
  const oldest = counts.find(([at]) => at > start);
  const resetAt = used > 0 && oldest !== undefined ? oldest[0] + windowMs : undefined;
  return { limit, remaining: Math.max(0, limit - used), resetAt, at: now };
}

/** How priorities continue without a known window. The headroom of the last sample still applies. */
export function decideWithoutWindow(now: number, { fields, priorities, isUsable }: LedgerSnapshot): LedgerUpdate {
  const { nextPollAt, probeUntil, lookAt } = decideFallback({
    now,
    resetAt: fields.resetAt,
    isUsable: isUsable.interactive,
    pausedSince: priorities.interactive.pausedSince,
  });
  return {
    all: { nextPollAt, probeUntil },
    priorities: mapPriorities((one) => {
      if (isUsable[one]) return {};
      if (!isUsable.interactive) return { lookAt, endsAt: lookAt };
      return { lookAt: nextPollAt, endsAt: nextPollAt, pausedSince: priorities[one].pausedSince ?? now };
    }),
  };
}
