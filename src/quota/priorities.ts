import { type Reserve, computeReserve } from './policy.ts';

/** Who spends of the quota, the most urgent first: each class leaves a part of it to those before it. */
export const PRIORITIES = ['interactive', 'scheduled', 'backfill'] as const;
export type Priority = (typeof PRIORITIES)[number];
export type ByPriority<T> = Readonly<Record<Priority, T>>;

/** What each class leaves above the reserve, as a share of the limit from 0 to 1. */
export type HeadroomShares = ByPriority<number>;

/**
 * Small, since it is only for the first moments: as long as a class pauses at its floor, all that the window frees is
 * for those that do not.
 */
export const DEFAULT_HEADROOM_SHARES: HeadroomShares = { interactive: 0, scheduled: 0.05, backfill: 0.1 };

/** The same for every class. */
export const mapPriorities = <T>(valueOf: (one: Priority) => T): ByPriority<T> => ({
  interactive: valueOf('interactive'),
  scheduled: valueOf('scheduled'),
  backfill: valueOf('backfill'),
});

/**
 * At how many requests left each class stops. A share keeps at least one, but where the reserve leaves something to
 * use, so does every class: with nothing else to do, any work gets done.
 */
export function computeHeadrooms(limit: number, reserve: Reserve, shares: HeadroomShares): ByPriority<number> {
  const kept = computeReserve(limit, reserve);
  const most = Math.max(0, limit - kept - 1);
  return mapPriorities((one) => kept + Math.min(most, Math.ceil(limit * shares[one] - 1e-9)));
}
