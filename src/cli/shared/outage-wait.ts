import { MINUTE } from '../../clock.ts';
import { isRequestHeld, type OutageState } from '../../engine/outage/circuit.ts';
import type { DiskShortage } from '../../engine/outage/disk-guard.ts';
import { type KindName, kindTable } from '../../kinds/kinds.ts';
import type { CrawlRow } from '../../store/schema/messages.ts';

/** How long a command waits for a service that is out, in ms, unless `--wait` says otherwise. */
export const COMMAND_WAIT_MS = 5 * MINUTE;
export const IDLE_EXIT_WAIT_MS = 60 * MINUTE;

/** What a wait needs to know of unfinished crawls. */
export type UnfinishedCrawl = Pick<CrawlRow, 'kind' | 'state' | 'reason'>;

/** What holds all crawls back: a service that is out, or a disk without room. */
export interface Obstacles {
  readonly outage: OutageState | undefined;
  readonly shortage: DiskShortage | undefined;
}

/** Whether a crawl waits for the service to work again, or for room on the disk. */
export const isBlocked = ({ kind, state, reason }: UnfinishedCrawl, { outage, shortage }: Obstacles): boolean =>
  state !== 'running' &&
  (shortage !== undefined ||
    (state === 'paused' && (reason === 'outage' || reason === 'disk')) ||
    (outage !== undefined &&
      (state === 'queued' || reason === 'retry') &&
      isRequestHeld(outage, kindTable[kind as KindName].endpoint)));

/**
 * A wait for a service that is out, or for the disk. The function that is returned is told what is unfinished, a measure of progress,
 * and the time in ms; it returns true when all of it has waited without progress for longer than `waitMs`. Crawls that
 * can go on, or wait for something else, begin the wait anew.
 */
export function createOutageTimeout(waitMs: number) {
  let since: number | undefined;
  let reached: number | undefined;

  return (
    unfinished: readonly UnfinishedCrawl[],
    holds: Obstacles,
    { progress, now }: { progress: number; now: number },
  ): boolean => {
    const held = unfinished.filter((crawl) => isBlocked(crawl, holds)).length;
    // A crawl that probes is running for a moment: that is no progress.
    const running = unfinished.filter(({ state }) => state === 'running').length;
    if (progress !== reached || held + running < unfinished.length) since = undefined;
    reached = progress;
    if (held > 0 && held + running === unfinished.length) since ??= now;
    return since !== undefined && now - since >= waitMs;
  };
}
