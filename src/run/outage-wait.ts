import { isRequestHeld, type OutageState } from '../engine/outage/circuit.ts';
import type { DiskShortage } from '../engine/outage/disk-guard.ts';
import { getKind } from '../kinds/kinds.ts';
import type { CrawlRow } from '../store/schema/crawl-row.ts';

/** The fields of an unfinished crawl that a wait needs. */
export type WaitingCrawl = Pick<CrawlRow, 'kind' | 'state' | 'reason'>;

/** What blocks all crawls: an outage of the service, or a full disk. */
export interface Obstacles {
  readonly outage: OutageState | undefined;
  readonly shortage: DiskShortage | undefined;
}

/** Whether a crawl waits for the end of an outage, or for disk space. */
export const isBlocked = ({ kind, state, reason }: WaitingCrawl, { outage, shortage }: Obstacles): boolean =>
  state !== 'running' &&
  (shortage !== undefined ||
    (state === 'paused' && (reason === 'outage' || reason === 'disk')) ||
    (outage !== undefined &&
      (state === 'queued' || reason === 'retry') &&
      isRequestHeld(outage, getKind(kind).endpoint)));

/**
 * Creates a timeout for outages and full disks. The returned function takes the unfinished crawls, a measure of progress
 * and the time in ms. It returns true once all crawls have been blocked without progress for `waitMs`. A crawl that
 * can run, or waits for another reason, restarts the timeout.
 */
export function createOutageTimeout(waitMs: number) {
  let since: number | undefined;
  let reached: number | undefined;

  return (
    unfinished: readonly WaitingCrawl[],
    holds: Obstacles,
    { progress, now }: { progress: number; now: number },
  ): boolean => {
    const held = unfinished.filter((crawl) => isBlocked(crawl, holds)).length;
    // A crawl that probes the service runs for a moment; that is no progress.
    const running = unfinished.filter(({ state }) => state === 'running').length;
    if (progress !== reached || held + running < unfinished.length) since = undefined;
    reached = progress;
    if (held > 0 && held + running === unfinished.length) since ??= now;
    return since !== undefined && now - since >= waitMs;
  };
}
