import { type Reserve, computeReserve } from './quota-policy.ts';

/** The priorities, most urgent first. Each leaves a part of the quota to those before it. */
export const PRIORITIES = ['interactive', 'scheduled', 'backfill'] as const;
export type Priority = (typeof PRIORITIES)[number];
export type ByPriority<T> = Readonly<Record<Priority, T>>;

/** What each priority leaves above the reserve, as a share of the limit from 0 to 1. */
export type HeadroomShares = ByPriority<number>;

/**
 * Small shares suffice: while a priority is paused at its headroom, all requests that the window frees go to more
 * urgent ones.
 */
export const DEFAULT_HEADROOM_SHARES: HeadroomShares = { interactive: 0, scheduled: 0.05, backfill: 0.1 };

/** Computes a value for every priority. */
export const mapPriorities = <T>(valueOf: (one: Priority) => T): ByPriority<T> => ({
  interactive: valueOf('interactive'),
  scheduled: valueOf('scheduled'),
  backfill: valueOf('backfill'),
});

/**
 * The number of remaining requests at which each priority stops, the reserve included. A share is rounded up to at least
 * one request, but if the reserve leaves anything, every priority may use at least one.
 */
export function computeHeadrooms(limit: number, reserve: Reserve, shares: HeadroomShares): ByPriority<number> {
  const kept = computeReserve(limit, reserve);
  const most = Math.max(0, limit - kept - 1);
  return mapPriorities((one) => kept + Math.min(most, Math.ceil(limit * shares[one] - 1e-9)));
}
