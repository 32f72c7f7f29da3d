import { waitUnlessAborted } from '#base/abortable-wait.ts';
import { SECOND, systemClock } from '#base/clock.ts';
import { createResourceStack } from '#base/disposable-stack.ts';
import { connectToService, openEngine, type WorkOptions } from '#composition.ts';
import { describeWait, findQuotaHold } from '#crawl/gates/describe-holds.ts';
import { createDiskHold } from '#crawl/gates/disk-guard.ts';
import type { GateHold } from '#crawl/gates/gates.ts';
import { createProducer } from '#crawl/queue/producer.ts';
import { openQueues } from '#crawl/queue/queues.ts';
import { startRedis } from '#crawl/queue/redis/start-redis.ts';
import { type JoinedStore, joinStore } from '#crawl/queue/shared-store/join-store.ts';
import { startWorkers } from '#crawl/queue/worker.ts';
import { describeSource, type Engine, type EngineParts } from '#crawl/slice/create-engine.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import { createRemoteStore } from '#store/remote/store-calls.ts';

export interface JoinOptions extends Pick<WorkOptions, 'config' | 'service' | 'log' | 'keepRaw'> {
  /** The start of the id of a store; by default the only one. */
  readonly store: string | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** How long to wait for the disk of another host after a failed write, unless it says more. */
const REMOTE_DISK_MS = 10 * SECOND;

/**
 * Works for a store that another host shares over the Redis of REDIS_URL, until the signal. Waits until there is one, and joins it
 * again whenever the connection to it is lost.
 * @throws UsageError if there are several stores, UnauthorizedError, TransientError, StoreError; the signal's reason
 */
export async function workForOtherHost(options: JoinOptions): Promise<never> {
  for (let { store } = options; ;) store = await workUntilLost({ ...options, store });
}

/** Works for a store until the connection to it is lost. Returns its id. */
async function workUntilLost(options: JoinOptions): Promise<string> {
  await using building = createResourceStack();
  const { config, service, log, store: wanted, concurrency, signal } = options;
  const { redisUrl, runtimeDir, childEnvironment: environment } = config;
  const redis = building.use(
    await startRedis({ redisUrl, runtimeDir, storePath: '', log, environment, allow: ['url'] }),
  );
  const connection = await connectToService(building, options, { isFirst: false });
  const { keyLabel, serviceHost } = describeSource(service, config.keyLabel);
  let engine: Engine | undefined;
  const describeHold = async (): Promise<string | undefined> => describeQuotaWait(await engine?.governor.readStatus());
  const joined = building.use(
    await joinStore({ connect: redis.connect, store: wanted, keyLabel, serviceHost, describeHold, log, signal }),
  );
  const { storeId, clock, lost } = joined;
  const store = createRemoteStore(joined.exchange);
  const queues = building.use(openQueues({ redis, storeId }));
  const producer = createProducer({ store, queues, clock });
  const disk = guardRemoteDisk(joined);
  engine = openEngine(options, { ...connection, store, redis, queues, producer, disk, clock });
  building.use(engine);
  log.info({ store: storeId, queue: redis.description }, 'working for the database of another host');
  const { runSlice } = engine;
  // The host with the store queues crawls again.
  const noReconcile = { reconcile: () => Promise.resolve(0) };
  const workers = building.use(
    startWorkers({ queues, producer: noReconcile, runSlice, concurrency, pausesAlone: true, log, clock }),
  );
  lost.addEventListener('abort', () => void workers[Symbol.asyncDispose](), { once: true });
  await waitUnlessAborted(workers.stopped, AbortSignal.any([signal, lost])).catch((error: unknown) => {
    if (!lost.aborted) throw error;
  });
  signal.throwIfAborted();
  await joined.waitForRedis(signal);
  return storeId;
}

/** Describes what keeps some priority from sending requests; undefined if nothing does. */
function describeQuotaWait(quota: QuotaStatus | undefined): string | undefined {
  const hold = PRIORITIES.map((priority) => findQuotaHold(quota, priority)).find((each) => each !== undefined);
  return hold && describeWait(hold, systemClock.now());
}

/** The disk of another host, whose process watches it. A failed write is tried again with the page. */
function guardRemoteDisk(joined: Pick<JoinedStore, 'shortage' | 'clock'>): EngineParts['disk'] {
  const checkSpace = (): GateHold | undefined => joined.shortage;
  return {
    checkSpace,
    admitCrawl: checkSpace,
    reportFailure: ({ message }) => checkSpace() ?? createDiskHold(joined.clock.now() + REMOTE_DISK_MS, message),
    reportSuccess: () => undefined,
  };
}
