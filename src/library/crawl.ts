import { answerCrawl } from '#analysis/crawls/describe-crawl.ts';
import { createConfig, createSilentLog, parseService } from './create-config.ts';
import { readRequestedSpecs } from './requested-specs.ts';
import { createChangeReporter, createWorkListener, startRun } from './run.ts';
import { runCrawlsToEnd } from './run/run-crawls.ts';
import { DEFAULT_CONCURRENCY } from './run/run-defaults.ts';
import { getStoreHandle } from './store-handle.ts';
import type { CrawlEvent, CrawlRequest, CrawlResult, CrawlRun } from './types.ts';

/**
 * Starts crawls in this process. They join equal unfinished crawls. Repeating a request fetches only new items.
 *
 * @throws UsageError if an argument is invalid; nothing was started.
 */
export function crawl(request: CrawlRequest): CrawlRun {
  const { into, service, redis, maxTargets, maxRequests, maxRequestsPerDay, keepRaw, waitMs } = request;
  const handle = getStoreHandle(into);
  const specs = readRequestedSpecs(request);
  const settings = {
    config: createConfig(into.path, {
      service,
      redis,
    }),
    service: parseService(service),
    db: into.path,
    log: createSilentLog(),
    concurrency: request.concurrency ?? DEFAULT_CONCURRENCY,
    keepRaw,
    waitMs,
    maxTargets,
    maxRequests,
    maxRequestsPerDay,
  };
  return startRun<CrawlEvent, CrawlResult>(handle, request.signal, async (signal, events) => {
    const report = createChangeReporter(events);
    try {
      const { rows } = await runCrawlsToEnd(
        specs,
        { ...settings, signal },
        {
          ...createWorkListener(events),
          onResume: (crawls) => events.push({ type: 'resume', crawls }, 'resume'),
          onWaitTimeout: (ms, isForDisk) => events.push({ type: 'timeout', waitMs: ms, isForDisk }, 'timeout'),
          startProgress: () => ({
            show: (read, { quota }) => report(read, quota),
            [Symbol.dispose]() {},
          }),
        },
      );
      report(rows);
      return { crawls: rows.map(answerCrawl), isComplete: rows.every(({ state }) => state === 'complete') };
    } catch (error) {
      // The run was stopped before it queued a crawl.
      if (signal.aborted && error === signal.reason) return { crawls: [], isComplete: false };
      throw error;
    }
  });
}
