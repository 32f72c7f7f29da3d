import type { KindName } from '#service/kinds/kinds.ts';
import { createConfig } from './create-config.ts';
import { readRequestedSpecs } from './requested-specs.ts';
import { beginRun } from './run/begin-run.ts';
import { queueCrawls, openWorkerNotifier } from './run/queue-connection.ts';
import { getStoreHandle, withTypedErrors } from './store-handle.ts';
import type { EnqueuedCrawl, EnqueueRequest } from './types.ts';

/**
 * Queues crawls for workers of the store, which may run in other processes. Resolves when the crawls are stored: if no
 * worker is running, the next one finds them.
 *
 * @throws UsageError if an argument is invalid; nothing was queued.
 */
export function enqueue(request: EnqueueRequest): Promise<EnqueuedCrawl[]> {
  return withTypedErrors(() => enqueueAll(request));
}

async function enqueueAll(request: EnqueueRequest): Promise<EnqueuedCrawl[]> {
  const { into, redis } = request;
  const { store } = getStoreHandle(into);
  const specs = readRequestedSpecs(request, request.priority);
  await using notifier = await openWorkerNotifier({
    store,
    db: into.path,
    config: createConfig(into.path, { redis }),
    onWarning: () => undefined,
  });
  const runId = await beginRun(store.write, request);
  const enqueued: EnqueuedCrawl[] = [];
  for await (const batch of queueCrawls(specs, { store, notifier, runId })) {
    for (const { opened, spec } of batch) {
      enqueued.push({ id: opened.id, kind: spec.kind as KindName, target: spec.target, isJoined: opened.isJoined });
    }
  }
  return enqueued;
}
