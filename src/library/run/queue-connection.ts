import { splitIntoBatches } from '#base/batches.ts';
import { systemClock } from '#base/clock.ts';
import { createResourceStack } from '#base/disposable-stack.ts';
import { TransientError, describeError } from '#base/errors.ts';
import type { Config } from '#config.ts';
import type { OutageState } from '#crawl/gates/outage/breaker-policy.ts';
import { addPlans } from '#crawl/planning/plan.ts';
import { createProducer, type Producer } from '#crawl/queue/producer.ts';
import type { JoinedWorker } from '#crawl/queue/queue-snapshot.ts';
import type { CrawlQueues } from '#crawl/queue/queues.ts';
import { connectToExisting } from '#crawl/queue/redis/connect-existing.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import { hashAddress, hashKey, LEDGER_PREFIX } from '#service/quota/service-key.ts';
import type { OpenedCrawl } from '#store/schema/commit-messages.ts';
import type { Store } from '#store/store.ts';

/** A connection to an existing queue. It starts no server. */
export interface QueueConnection extends AsyncDisposable {
  readonly description: string;
  readonly queues: CrawlQueues;
  /** The workers on other hosts than the database. */
  readonly readJoined: () => Promise<JoinedWorker[]>;
  /** The ledger of the configured key; undefined without a key. */
  readonly readQuota: () => Promise<QuotaStatus | undefined>;
  /** The outage state of the configured service; undefined without a service. */
  readonly readOutage: () => Promise<OutageState | undefined>;
}

/** Connects to the queue of a store. Returns undefined if none is running. @throws TrawlError if it does not answer. */
export async function connectToQueue(options: {
  config: Config;
  db: string;
  storeId: string;
}): Promise<QueueConnection | undefined> {
  await using building = createResourceStack();
  const { config, db, storeId } = options;
  const { apiUrl, apiKey, reserve, headroomShares, redisUrl, runtimeDir } = config;
  const redis = await connectToExisting({ redisUrl, runtimeDir, storePath: db });
  if (!redis) return undefined;
  building.use(redis);
  // Loaded only if there is a queue.
  const [{ openQueues }, { createGovernor }, { createBreaker }, { readJoinedWorkers }] = await Promise.all([
    import('#crawl/queue/queues.ts'),
    import('#service/quota/governor.ts'),
    import('#crawl/gates/outage/breaker.ts'),
    import('#crawl/queue/shared-store/store-session.ts'),
  ]);
  const queues = building.use(openQueues({ redis, storeId, isObserver: true }));
  const shared = { redis: redis.connection, prefix: LEDGER_PREFIX, clock: systemClock };
  const governor =
    apiUrl && apiKey
      ? createGovernor({
          ...shared,
          keyId: hashKey({
            apiUrl,
            apiKey,
          }),
          reserve,
          headroomShares,
          tokenInfo: () => Promise.reject(new TransientError('an observer sends no request')),
        })
      : undefined;
  const breaker = apiUrl
    ? createBreaker({ ...shared, serviceId: hashAddress(apiUrl), random: Math.random })
    : undefined;
  return {
    description: redis.description,
    queues,
    readJoined: () => readJoinedWorkers(redis.connection, queues.prefix),
    readQuota: async () => await governor?.readStatus(),
    readOutage: async () => await breaker?.readState(),
    ...building.move(),
  };
}

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

/** Queues crawls for running workers immediately. Without a queue, workers find the rows themselves (invariant 2). */
export type WorkerNotifier = Pick<Producer, 'dispatch'> & AsyncDisposable;

/** Connects to an existing queue. A queue that fails is reported once, and not used again. */
export async function openWorkerNotifier(options: {
  readonly store: Store;
  readonly db: string;
  readonly config: Config;
  /** Called with the reason when the queue fails. */
  readonly onWarning: (message: string) => void;
}): Promise<WorkerNotifier> {
  const { store, db, config, onWarning } = options;
  let connection: QueueConnection | undefined;
  let producer: Producer | undefined;
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      producer = undefined;
      onWarning(`queued in the database only: ${describeError(error)}`);
    }
  };
  await attempt(async () => {
    connection = await connectToQueue({ config, db, storeId: store.id });
    producer = connection && createProducer({ store, queues: connection.queues, clock: systemClock });
  });
  return {
    dispatch: async (ids) => await attempt(async () => await producer?.dispatch(ids)),
    [Symbol.asyncDispose]: async () => await connection?.[Symbol.asyncDispose](),
  };
}
