import type { Producer } from '#crawl/queue/producer.ts';
import { queueCrawls } from '#library/run/queue-connection.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { Store } from '#store/store.ts';

/** What the actions of the dashboard work with. */
export interface ActionParts {
  readonly store: Store;
  readonly notifier: Pick<Producer, 'dispatch'>;
}

/** Queues crawls that a user has confirmed. Returns their ids: a request that equals an unfinished crawl has the id of that one. */
export async function queueConfirmedCrawls(
  specs: Iterable<CrawlSpec>,
  { store, notifier }: ActionParts,
): Promise<{ readonly opened: readonly number[] }> {
  const opened: number[] = [];
  for await (const batch of queueCrawls(specs, { store, notifier, runId: undefined }))
    opened.push(...batch.map((queued) => queued.opened.id));
  return { opened };
}
