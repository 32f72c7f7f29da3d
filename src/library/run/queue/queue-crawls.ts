import { splitIntoBatches } from '../../../base/batches.ts';
import { systemClock } from '../../../base/clock.ts';
import { addPlans } from '../../../crawl/planning/plan.ts';
import type { CrawlSpec } from '../../../service/kinds/crawl-spec.ts';
import type { OpenedCrawl } from '../../../store/schema/commit-messages.ts';
import type { Store } from '../../../store/store.ts';
import type { WorkerNotifier } from './worker-notifier.ts';

/** A queued crawl, and its request. */
export interface QueuedCrawl {
  readonly opened: OpenedCrawl;
  readonly spec: CrawlSpec;
}

/**
 * Stores and queues crawls. Yields each batch once it is stored. A kill loses no stored crawl: workers queue stored crawls, and
 * an equal request joins them.
 */
export async function* queueCrawls(
  specs: Iterable<CrawlSpec>,
  options: {
    readonly store: Store;
    readonly notifier: Pick<WorkerNotifier, 'dispatch'>;
    readonly runId: number | undefined;
  },
): AsyncGenerator<QueuedCrawl[], void> {
  const { store, notifier, runId } = options;
  const [facts, now] = [store.planningQueries(), systemClock.now()];
  for (const specsOfBatch of splitIntoBatches(specs)) {
    const batch = await addPlans(specsOfBatch, facts, now);
    const opened = await store.write.openCrawls(
      batch.map((spec) => ({ ...spec, runId })),
      systemClock.now(),
    );
    await notifier.dispatch(opened.map(({ id }) => id));
    yield opened.map((crawl, i) => ({ opened: crawl, spec: batch[i]! }));
  }
}
