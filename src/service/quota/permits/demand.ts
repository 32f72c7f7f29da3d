import { PREFETCH_LIFETIME, MAX_PREFETCH } from '../quota-policy.ts';

/** How fast a priority uses permits. */
export type Demand = ReturnType<typeof createDemand>;

/** Predicts the use of the last interval for the next one. */
export function createDemand() {
  let [since, lately, before] = [0, 0, 0];
  function turn(now: number): void {
    const age = now - since;
    if (age >= 0 && age < PREFETCH_LIFETIME) return;
    before = age >= 0 && age < 2 * PREFETCH_LIFETIME ? lately : 0;
    [since, lately] = [now, 0];
  }
  return {
    record(grants: number, now: number): void {
      turn(now);
      lately += grants;
    },
    /** The number of permits expected to be used during `PREFETCH_LIFETIME`. */
    predict(now: number): number {
      turn(now);
      return Math.min(MAX_PREFETCH, Math.max(lately, before));
    },
  };
}
