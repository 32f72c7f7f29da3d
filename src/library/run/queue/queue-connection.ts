import { systemClock } from '../../../base/clock.ts';
import { createResourceStack } from '../../../base/disposable-stack.ts';
import { TransientError } from '../../../base/errors.ts';
import type { Config } from '../../../config.ts';
import type { OutageState } from '../../../crawl/gates/outage/circuit.ts';
import type { CrawlQueues } from '../../../crawl/queue/queues.ts';
import { connectToExisting } from '../../../crawl/queue/redis/connect-existing.ts';
import type { QuotaStatus } from '../../../service/quota/quota-status.ts';
import { hashAddress, hashKey, LEDGER_PREFIX } from '../../../service/quota/service-key.ts';

/** A connection to an existing queue. It starts no server. */
export interface QueueConnection extends AsyncDisposable {
  readonly description: string;
  readonly queues: CrawlQueues;
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
  const [{ openQueues }, { createGovernor }, { createBreaker }] = await Promise.all([
    import('../../../crawl/queue/queues.ts'),
    import('../../../service/quota/governor.ts'),
    import('../../../crawl/gates/outage/breaker.ts'),
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
    readQuota: async () => await governor?.readStatus(),
    readOutage: async () => await breaker?.readState(),
    ...building.move(),
  };
}
