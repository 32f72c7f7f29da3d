import { SECOND } from '../../../src/clock.ts';
import type { Evidence } from './evidence.ts';

/** The free space is read as often; a request of before may be on its way so long. */
const NOTICED_MS = 2 * SECOND;
/** Requests of a step, with those of the page before it. */
const PER_STEP = 4;

/**
 * Invariants 9 and 14: while the disk has no room, nothing is sent but by crawls that were under way, or that found out;
 * and no crawl fails for it.
 */
export function checkDisks({ plan, log, crawls, fail, begunAt, kills, activations }: Evidence): void {
  for (const disk of plan.disks ?? []) {
    const from = begunAt + disk.at;
    const during = log.filter(({ at }) => at >= from + NOTICED_MS && at < from + disk.lasts);
    // A process that starts meanwhile may have to find out by itself.
    const processes = new Set(activations.map((one) => one.process)).size;
    const most = (Math.min(processes, plan.processes + kills) + 1) * plan.slots * PER_STEP;
    if (during.length > most)
      fail('invariant 9', `${during.length} requests, at most ${most} expected, without room: ${JSON.stringify(disk)}`);
    // One that stays so has nothing to wait for.
    for (const { id, state, reason } of crawls)
      if (state === 'paused' && reason === 'disk') fail('invariant 14', `crawl ${id} still waits for the disk`);
  }
}
