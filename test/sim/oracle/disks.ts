import { SECOND } from '#base/clock.ts';
import type { Evidence } from './evidence.ts';

/** Interval of reading the free space, plus the time of a pending request. */
const NOTICED_MS = 2 * SECOND;
/** Requests of a page and the page before it. */
const PER_STEP = 4;

/** Invariants 9 and 14: on a full disk only active crawls and tests send requests, and no crawl fails because of it. */
export function checkDisks({ plan, log, crawls, fail, startedAt, kills, activations }: Evidence): void {
  for (const disk of plan.disks ?? []) {
    const from = startedAt + disk.at;
    const during = log.filter(({ at }) => at >= from + NOTICED_MS && at < from + disk.lasts);
    // A process that starts in this time may have to detect it itself.
    const processes = new Set(activations.map((one) => one.process)).size;
    const most = (Math.min(processes, plan.processes + kills) + 1) * plan.slots * PER_STEP;
    if (during.length > most)
      fail('invariant 9', `${during.length} requests, at most ${most} expected, without room: ${JSON.stringify(disk)}`);
    // A crawl must not wait without a reason.
    for (const { id, state, reason } of crawls)
      if (state === 'paused' && reason === 'disk') fail('invariant 14', `crawl ${id} still waits for the disk`);
  }
}
