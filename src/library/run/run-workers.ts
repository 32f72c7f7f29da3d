import { waitUnlessAborted } from '../../base/abortable-wait.ts';
import { SECOND, systemClock } from '../../base/clock.ts';
import type { WorkContext } from '../../composition.ts';
import { type HoldConditions, isBlocked, type WaitingCrawl } from '../../crawl/gates/holds.ts';

const IDLE_CHECK_MS = 250;
/** How often a worker that exits when idle checks whether all unfinished crawls are blocked. */
const OUTAGE_CHECK_MS = 5 * SECOND;

/**
 * Runs workers until the signal is aborted, or with `exitWhenIdle` until no crawl is unfinished. Returns false if the wait
 * for the service or the disk has timed out. @throws UnauthorizedError, StoreError.
 */
export async function runWorkersUntil(
  signal: AbortSignal,
  context: WorkContext,
  options: { readonly concurrency: number; readonly exitWhenIdle: boolean; readonly waitMs: number },
): Promise<boolean> {
  const { store, startWorkers } = context;
  const { concurrency, exitWhenIdle, waitMs } = options;
  await using workers = startWorkers(concurrency);
  const hasWaited = exitWhenIdle ? createOutageCheck(context, waitMs) : async () => false;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const idle = async (): Promise<boolean> => {
    for (;;) {
      await systemClock.sleep(IDLE_CHECK_MS, either).catch(() => undefined);
      if (either.aborted) return true;
      if (exitWhenIdle && !store.read.hasPending()) {
        await waitUnlessAborted(workers.applied, either).catch(() => undefined);
        return true;
      }
      if (await hasWaited()) return false;
    }
  };
  try {
    return await Promise.race([idle(), workers.stopped]);
  } finally {
    // Ends the wait, which would keep the process alive.
    ended.abort();
  }
}

/** Returns a function that checks, at most every 5 s, whether all unfinished crawls have been blocked for `waitMs`. */
function createOutageCheck({ store: { read }, breaker, disk }: WorkContext, waitMs: number): () => Promise<boolean> {
  const isOver = createOutageTimeout(waitMs);
  let nextCheck = 0;
  return async () => {
    const now = systemClock.now();
    if (now < nextCheck) return false;
    nextCheck = now + Math.min(OUTAGE_CHECK_MS, waitMs / 2);
    const conditions = { outage: await breaker.readState(), shortage: disk.shortage };
    return isOver(read.unfinishedStates(), conditions, { progress: read.lastStepId(), now });
  };
}

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
