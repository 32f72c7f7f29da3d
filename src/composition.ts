import { createHash } from 'node:crypto';
import { readTargetsFromFile, readTargetsFromSql } from './analysis/targets.ts';
import { type Client, createClient, type TokenInfo } from './client/client.ts';
import { createRequestCoalescer } from './client/request-coalescing.ts';
import { DAY, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { createResourceStack } from './disposable-stack.ts';
import { createBudgetCounter } from './engine/budget-counter.ts';
import type { EngineDependencies } from './engine/engine-dependencies.ts';
import { type Breaker, createBreaker } from './engine/outage/breaker.ts';
import type { OutageState } from './engine/outage/circuit.ts';
import { createDiskGuard, type DiskEvent, type DiskGuard } from './engine/outage/disk-guard.ts';
import type { OutageEvent } from './engine/outage/events.ts';
import { runSlice } from './engine/slice.ts';
import { describeError, type ServiceError, TransientError, UnauthorizedError } from './errors.ts';
import type { Log } from './log.ts';
import { createProducer, type Producer } from './queue/producer.ts';
import { type CrawlQueues, openQueues } from './queue/queues.ts';
import { connectToExisting } from './queue/redis/connect-existing.ts';
import { type QueueRedis, startRedis } from './queue/redis/start-redis.ts';
import { createScheduler, type Scheduler } from './queue/scheduler.ts';
import { startWorkers, type Workers } from './queue/worker.ts';
import { createGovernor, type Governor } from './quota/governor.ts';
import type { QuotaSample } from './quota/policy.ts';
import type { QuotaStatus } from './quota/quota-status.ts';
import { startBodyRetention } from './store/journal/body-retention.ts';
import { canWriteBeside, type MinFreeSpace, minFreeBytes, readDiskSpace } from './store/sqlite/disk-space.ts';
import { watchFiles } from './store/sqlite/file-watch.ts';
import { openStore, type Store } from './store/store.ts';

/** The composition root: the only file that builds live objects. */

/** What a producer needs: the store, the queue, and itself. */
export interface QueueContext extends AsyncDisposable {
  readonly store: Store;
  readonly redis: QueueRedis;
  readonly queues: CrawlQueues;
  readonly producer: Producer;
}

export interface QueueOptions {
  readonly config: Config;
  readonly db: string;
  readonly log: Log;
  /** The name of a `trawl crawl` run that works on what it names only. */
  readonly run?: string | undefined;
}

async function openQueue(options: QueueOptions): Promise<QueueContext> {
  await using building = createResourceStack();
  const { config, db, log, run } = options;
  const store = building.use(openStore(db, { threaded: true }));
  const redis = building.use(
    await startRedis({ ...redisOf(config), storePath: db, log, environment: config.childEnvironment }),
  );
  const queues = building.use(openQueues({ redis, storeId: store.id, run }));
  const producer = createProducer({ store, queues, clock: systemClock, run });
  const owned = building.move();
  return { store, redis, queues, producer, ...owned };
}

/** What a worker needs besides: the service, the governor of its quota, and the workers themselves. */
export interface WorkContext extends QueueContext {
  readonly client: Client;
  readonly governor: Governor;
  readonly breaker: Breaker;
  /** Why crawls wait for the disk, if they do. */
  readonly disk: Pick<DiskGuard, 'shortage'>;
  readonly scheduler: Scheduler;
  /** What token-info said when it was asked whether the service is there; undefined where it has none. */
  readonly initialTokenInfo: TokenInfo | undefined;
  /** Starts workers and, except for a run of `trawl crawl`, the scheduler. */
  startWorkers(concurrency: number): Workers;
}

export interface WorkOptions extends QueueOptions {
  readonly service: { readonly apiUrl: string; readonly apiKey: string };
  readonly keepRaw?: boolean | undefined;
  /** Days to keep raw bodies; forever by default. */
  readonly rawDays?: number | undefined;
  /** How much of the disk stays free; else what the configuration says. */
  readonly minFree?: MinFreeSpace | undefined;
  /** Ends the wait for the service's first answer. */
  readonly signal?: AbortSignal | undefined;
  /** What a person should know of the service and its quota; a line of the log by default. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** The service is out, or works again, as this process was the one to find out. */
  readonly onOutage?: ((event: OutageEvent) => void) | undefined;
  /** Crawls wait for the disk, or go on. */
  readonly onDisk?: ((event: DiskEvent) => void) | undefined;
}

/**
 * Opens everything, having asked the service first whether it is there and knows the key (token-info is free).
 * A service that does not answer is waited for. @throws UnauthorizedError, TransientError with what to check; the
 * signal's reason when it was aborted before that.
 */
export async function openWorkContext(options: WorkOptions): Promise<WorkContext> {
  await using building = createResourceStack();
  const { config, service, log, run, onWarning = (message) => log.warn(message) } = options;
  const client = building.use(createClient({ baseUrl: service.apiUrl, apiKey: service.apiKey, method: config.method }));
  const initialTokenInfo = await checkService(client, onWarning, options.signal);
  const queue = building.use(await openQueue(options));
  const { store, redis, queues, producer } = queue;
  const listener = redis.connect();
  const keyHash = hashKey(service);
  // A sample that cannot be stored now is one fewer in the record.
  const storeSample = (sample: QuotaSample): void =>
    void store.write.addQuotaSample({ ...sample, keyHash }).catch(() => undefined);
  // The record of requests has no key: the first sample of a process shows which key it uses.
  if (initialTokenInfo) storeSample(initialTokenInfo);
  const governor = building.use(
    createGovernor({
      redis: redis.connect(),
      listener,
      prefix: LEDGER_PREFIX,
      keyId: keyHash,
      tokenInfo: (signal) => client.tokenInfo(signal),
      reserve: config.reserve,
      headroomShares: config.headroomShares,
      clock: systemClock,
      onSample: storeSample,
      onEvent: (event) => log.info({ quota: event }, `quota: ${event.event}`),
      onWarning,
    }),
  );
  const breaker = createBreaker({
    ...{ redis: redis.connectFailingFast(), listener, prefix: LEDGER_PREFIX },
    ...{ serviceId: serviceIdOf(service.apiUrl), clock: systemClock, random: Math.random },
    onEvent(event) {
      log.warn({ outage: event }, `outage: ${event.event}`);
      options.onOutage?.(event);
    },
    onClosed: () =>
      void queues
        .promoteDelayed()
        .catch((error: unknown) => log.warn({ error: describeError(error) }, 'crawls go on later')),
  });
  const disk = createDiskGuard({
    read: () => diskOf(store.path, options.minFree ?? config.minFree),
    canWrite: () => canWriteBeside(store.path),
    clock: systemClock,
    onEvent(event) {
      log.warn({ disk: event }, `disk: ${event.event}`);
      options.onDisk?.(event);
    },
  });
  const ports: EngineDependencies = {
    ...{ store, client, governor, breaker, disk, log },
    clock: systemClock,
    budgets: createBudgetCounter({ queries: store.queries, clock: systemClock }),
    flights: createRequestCoalescer(systemClock),
    random: Math.random,
    keepRaw: options.keepRaw ?? true,
    // Crawls that are not queued now are found in the store later (invariant 2).
    announceCrawls: (crawlIds) =>
      void producer
        .dispatch(crawlIds)
        .catch((error: unknown) => log.warn({ error: describeError(error) }, 'not queued yet')),
  };
  const scheduler = building.use(openScheduler({ store, queues, producer, log }));
  const owned = building.move();
  return {
    ...{
      store,
      redis,
      queues,
      producer,
      client,
      governor,
      breaker,
      disk,
      scheduler,
      initialTokenInfo,
    },
    startWorkers(concurrency) {
      const workers = startWorkers({
        ...{ queues, producer, concurrency, log },
        clock: systemClock,
        runSlice: (crawlId, signals) => runSlice(crawlId, ports, signals),
        ...(run === undefined ? {} : { reconcileMs: 5000 }),
      });
      const watch = watchFiles([store.files]);
      const parts: AsyncDisposable[] = [workers];
      if (run === undefined) parts.push(scheduler.start());
      const { rawDays } = options;
      if (run === undefined && rawDays !== undefined) {
        const onError = (error: unknown): void =>
          log.warn({ error: describeError(error) }, 'old bodies are let go later');
        const { expireBodies } = store.write;
        parts.push(startBodyRetention({ expireBodies, clock: systemClock, ageMs: rawDays * DAY, onError }));
      }
      return {
        stopped: Promise.race([workers.stopped, watch.replaced]),
        async [Symbol.asyncDispose]() {
          watch[Symbol.dispose]();
          await Promise.all(parts.map((each) => each[Symbol.asyncDispose]()));
        },
      };
    },
    ...owned,
  };
}

/** The free bytes of a store's disk, and how many have to be. Where the system does not tell, writes do. */
function diskOf(path: string, setting: MinFreeSpace | undefined): { readonly free: number; readonly minFree: number } {
  try {
    const { free, total } = readDiskSpace(path);
    return { free, minFree: minFreeBytes(setting, total) };
  } catch {
    return { free: Infinity, minFree: 0 };
  }
}

/** The quota belongs to the key: crawls into several databases share its ledger. */
const LEDGER_PREFIX = 'trawl';

/** The scheduler of a store, on whichever queue: its jobs' targets are looked up where they keep them. */
export function openScheduler(parts: { store: Store; queues: CrawlQueues; producer: Producer; log: Log }): Scheduler {
  return createScheduler({
    ...parts,
    clock: systemClock,
    readTargets(source) {
      if ('list' in source) return source.list;
      return 'file' in source
        ? [...readTargetsFromFile(source.file)]
        : readTargetsFromSql(parts.store.path, source.sql);
    },
  });
}

/** A connection to an existing queue. It starts no server. */
export interface QueueConnection extends AsyncDisposable {
  readonly description: string;
  readonly queues: CrawlQueues;
  /** The quota of the configured key as the workers see it; undefined when no key is configured. */
  readonly readQuota: () => Promise<QuotaStatus | undefined>;
  /** Whether the configured service is out; undefined when none is configured. */
  readonly readOutage: () => Promise<OutageState | undefined>;
}

/** Undefined when no queue is up. @throws TrawlError when it does not answer. */
export async function connectToQueue(options: {
  config: Config;
  db: string;
  storeId: string;
}): Promise<QueueConnection | undefined> {
  await using building = createResourceStack();
  const { config, db, storeId } = options;
  const visit = await connectToExisting({ ...redisOf(config), storePath: db });
  if (!visit) return undefined;
  building.use(visit);
  const queues = building.use(openQueues({ redis: visit, storeId, isObserver: true }));
  const { apiUrl, apiKey, reserve, headroomShares } = config;
  const governor =
    apiUrl && apiKey
      ? createGovernor({
          ...{
            redis: visit.connection,
            prefix: LEDGER_PREFIX,
            keyId: hashKey({ apiUrl, apiKey }),
            reserve,
            headroomShares,
          },
          clock: systemClock,
          tokenInfo: () => Promise.reject(new TransientError('a visitor only looks')),
        })
      : undefined;
  const breaker = apiUrl
    ? createBreaker({
        ...{ redis: visit.connection, prefix: LEDGER_PREFIX, serviceId: serviceIdOf(apiUrl) },
        ...{ clock: systemClock, random: Math.random },
      })
    : undefined;
  return {
    ...{ description: visit.description, queues },
    readQuota: async () => await governor?.readStatus(),
    readOutage: async () => await breaker?.readState(),
    ...building.move(),
  };
}

const redisOf = ({ redisUrl, runtimeDir }: Config) => ({ redisUrl, runtimeDir });

/** Pauses before another try: a service that is there may well have a bad moment. */
const RETRY_DELAYS_MS = [250, 500];

/**
 * A service without a working token-info may still serve pages. One that is not there is waited for, as in any outage
 * (invariant 14). @throws UnauthorizedError; TransientError where something else answers in its place.
 */
async function checkService(
  client: Client,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<TokenInfo | undefined> {
  for (const pauseMs of [...RETRY_DELAYS_MS, undefined]) {
    try {
      return await client.tokenInfo(signal);
    } catch (error) {
      signal?.throwIfAborted();
      const { status } = error as ServiceError;
      if (error instanceof UnauthorizedError) throw error;
      if (!(error instanceof TransientError) || (status !== undefined && status >= 500)) {
        warn(`going on without token-info: ${describeError(error)}`);
        return undefined;
      }
      if (pauseMs === undefined && status !== undefined) throw error;
      if (pauseMs === undefined) {
        warn(`the service is waited for: ${describeError(error)}`);
        return undefined;
      }
      await systemClock.sleep(pauseMs, signal);
    }
  }
  return undefined;
}

/** Tells keys apart in Redis and in the store without holding them. The address is part of it: the same key elsewhere is another quota. */
export const hashKey = ({ apiUrl, apiKey }: { apiUrl: string; apiKey: string }): string =>
  createHash('sha256').update(`${apiUrl}\n${apiKey}`).digest('hex').slice(0, 16);

/** Tells services apart in Redis: all keys of one share its circuit breaker. */
const serviceIdOf = (apiUrl: string): string =>
  createHash('sha256').update(apiUrl.replace(/\/+$/, '')).digest('hex').slice(0, 16);
