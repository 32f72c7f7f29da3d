import { type Reserve, reserveOf } from './policy.ts';

/** Who spends of the quota, the most urgent first: each class leaves a part of it to those before it. */
export const QUOTA_CLASSES = ['interactive', 'scheduled', 'backfill'] as const;
export type QuotaClass = (typeof QUOTA_CLASSES)[number];
export type ByClass<T> = Readonly<Record<QuotaClass, T>>;

/** What each class leaves above the reserve, as a share of the limit from 0 to 1. */
export type Shares = ByClass<number>;

/**
 * Small, since it is only for the first moments: as long as a class pauses at its floor, all that the window frees is
 * for those that do not.
 */
export const DEFAULT_SHARES: Shares = { interactive: 0, scheduled: 0.05, backfill: 0.1 };

/** The same for every class. */
export const byClass = <T>(valueOf: (one: QuotaClass) => T): ByClass<T> => ({
  interactive: valueOf('interactive'),
  scheduled: valueOf('scheduled'),
  backfill: valueOf('backfill'),
});

/**
 * At how many requests left each class stops. A share keeps at least one, but where the reserve leaves something to
 * use, so does every class: with nothing else to do, any work gets done.
 */
export function floorsOf(limit: number, reserve: Reserve, shares: Shares): ByClass<number> {
  const kept = reserveOf(limit, reserve);
  const most = Math.max(0, limit - kept - 1);
  return byClass((one) => kept + Math.min(most, Math.ceil(limit * shares[one] - 1e-9)));
}
