import { waitUnlessAborted } from '#base/abortable-wait.ts';
import { openWorkContext } from '#composition.ts';
import { requireInPlace } from '#store/sqlite/file-watch.ts';
import { createConfig, createSilentLog, parseService } from './create-config.ts';
import { createWorkListener, startRun } from './run.ts';
import { runWorkersUntil } from './run/run-crawls.ts';
import { DEFAULT_CONCURRENCY, IDLE_EXIT_WAIT_MS } from './run/run-defaults.ts';
import { getStoreHandle } from './store-handle.ts';
import type { Worker, WorkEvent, WorkRequest, WorkResult } from './types.ts';

/**
 * Starts a worker in this process. It runs the queued crawls and the scheduled jobs of a store.
 *
 * @throws UsageError if an argument is invalid; nothing was started.
 */
export function work(request: WorkRequest): Worker {
  const { store, service, redis, keepRaw, rawDays, exitWhenIdle = false } = request;
  const { concurrency = DEFAULT_CONCURRENCY, waitMs = IDLE_EXIT_WAIT_MS } = request;
  const handle = getStoreHandle(store);
  const config = createConfig(store.path, { service, redis });
  const settings = { config, service: parseService(service), db: store.path, log: createSilentLog(), keepRaw, rawDays };
  return startRun<WorkEvent, WorkResult>(handle, request.signal, async (signal, events) => {
    const countUnfinishedCrawls = (): number => handle.store.read.pendingCount();
    try {
      await using context = await openWorkContext({ ...settings, signal, ...createWorkListener(events) });
      await waitUnlessAborted(context.scheduler.restore(), signal);
      const isDone = await runWorkersUntil(signal, context, { concurrency, exitWhenIdle, waitMs });
      requireInPlace(context.store.files);
      return { unfinished: countUnfinishedCrawls(), hasTimedOut: !isDone };
    } catch (error) {
      // The worker was stopped during its start-up.
      if (signal.aborted && error === signal.reason) return { unfinished: countUnfinishedCrawls(), hasTimedOut: false };
      throw error;
    }
  });
}
