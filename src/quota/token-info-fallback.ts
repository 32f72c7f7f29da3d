import {
  computeCooldownMs,
  createSpentCounts,
  type EstimatedLimit,
  type SpentCount,
  raiseLimit,
} from './estimation/limit-estimation.ts';
import type { LedgerSnapshot } from './ledger/ledger-state.ts';
import type { LedgerUpdate } from './ledger/ledger.ts';
import { decideFallback, MIN_POLL_INTERVAL } from './policy.ts';
import { mapPriorities, PRIORITIES } from './priorities.ts';

/** Decisions while token-info is out, from the state of the ledger. Pure. */

/** An estimate as fields of the ledger. */
export const toLedgerFields = ({ limit, windowMs }: EstimatedLimit) => ({
  limitEstimate: limit,
  windowEstimateMs: Math.round(windowMs),
});

/** The limit that token-info reported before. Its window is slightly longer than observed. */
export function readTokenInfoLimit({ tokenInfoLimit, windowMs }: LedgerSnapshot['fields']): EstimatedLimit | undefined {
  return tokenInfoLimit && windowMs
    ? { limit: tokenInfoLimit, windowMs: Math.round(windowMs * 1.02) + MIN_POLL_INTERVAL }
    : undefined;
}

/** The requests before token-info was out, by the last sample. */
export function listSpentCounts({ fields, spentCounts }: LedgerSnapshot): readonly SpentCount[] {
  const { limit, remaining, sampledAt, ceiling } = fields;
  if (spentCounts.length > 0) return spentCounts;
  if (limit === undefined || remaining === undefined || sampledAt === undefined || ceiling === undefined) return [];
  return createSpentCounts({ limit, remaining, at: sampledAt }, ceiling - remaining);
}

/** Raises the estimate slightly if it made a priority wait and the cooldown is over. */
export function probeHigherLimit(estimatedLimit: EstimatedLimit, { fields, priorities }: LedgerSnapshot, now: number) {
  const { estimatedAt, backoffLevel = 0, tokenInfoLimit } = fields;
  const isBinding = PRIORITIES.some((one) => priorities[one].pausedSince !== undefined);
  if (estimatedAt === undefined)
    return { estimatedLimit, fields: { ...toLedgerFields(estimatedLimit), estimatedAt: now, backoffLevel: 0 } };
  if (!isBinding || now - estimatedAt < computeCooldownMs(estimatedLimit.windowMs, backoffLevel))
    return { estimatedLimit, fields: {} };
  const more = raiseLimit(estimatedLimit, tokenInfoLimit);
  return { estimatedLimit: more, fields: { ...toLedgerFields(more), estimatedAt: now } };
}

/** How priorities continue without an estimate. The headroom of the last sample still applies. */
export function decideWithoutEstimate(now: number, { fields, priorities, isUsable }: LedgerSnapshot): LedgerUpdate {
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
