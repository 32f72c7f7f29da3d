import type { Clock } from '#base/clock.ts';
import type { Governor, Reservation } from '#service/quota/governor.ts';
import type { Priority } from '#service/quota/priorities.ts';

/** Reserves and settles up to `most` requests. Returns how many were granted. */
export async function spend(governor: Governor, most: number, as: Priority = 'interactive'): Promise<number> {
  for (let n = 0; n < most; n += 1) {
    const reservation = await governor.reserve(as);
    if (!reservation.granted) return n;
    governor.settle(reservation.id, true);
  }
  return most;
}

/** Reserves a request, and waits for quota as the queue does. */
export async function reserveWithWaits(
  governor: Governor,
  wait: (refused: Exclude<Reservation, { granted: true }>) => Promise<void> | void,
): Promise<number> {
  for (;;) {
    const reservation = await governor.reserve('interactive');
    if (reservation.granted) return reservation.id;
    await wait(reservation);
  }
}

/** Waits until a pause is expected to end. */
export const sleepUntilEnd =
  (clock: Clock) =>
  ({ until }: { readonly until: number }): Promise<void> =>
    clock.sleep(until - clock.now());
