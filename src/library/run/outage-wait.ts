import { type HoldConditions, isBlocked, type WaitingCrawl } from '../../crawl/gates/holds.ts';

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
    conditions: HoldConditions,
    { progress, now }: { progress: number; now: number },
  ): boolean => {
    const held = unfinished.filter((crawl) => isBlocked(crawl, conditions)).length;
    // A crawl that probes the service runs for a moment; that is no progress.
    const running = unfinished.filter(({ state }) => state === 'running').length;
    if (progress !== reached || held + running < unfinished.length) since = undefined;
    reached = progress;
    if (held > 0 && held + running === unfinished.length) since ??= now;
    return since !== undefined && now - since >= waitMs;
  };
}
