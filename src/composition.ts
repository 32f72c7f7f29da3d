import { readTargetsFromFile, readTargetsFromPanel, readTargetsFromSql } from './analysis/crawl-targets.ts';
import { selectChecks } from './analysis/recheck/select-checks.ts';
import { DAY, systemClock } from './base/clock.ts';
import { createResourceStack, type ResourceStack } from './base/disposable-stack.ts';
import { describeError } from './base/errors.ts';
import type { Log } from './base/log.ts';
import type { Config } from './config.ts';
import { createDiskGuard, type DiskEvent, type DiskGuard } from './crawl/gates/disk-guard.ts';
import { describeDiskEvent } from './crawl/gates/hold-events.ts';
import type { Breaker } from './crawl/gates/outage/breaker.ts';
import type { OutageEvent } from './crawl/gates/outage/outage-events.ts';
import { parseTimeSpan } from './crawl/jobs/job-schedule.ts';
import { createProducer, type Producer } from './crawl/queue/producer.ts';
import { type CrawlQueues, openQueues } from './crawl/queue/queues.ts';
import { type QueueRedis, startRedis } from './crawl/queue/redis/start-redis.ts';
import { createScheduler, type Scheduler } from './crawl/queue/scheduler.ts';
import { shareStore } from './crawl/queue/shared-store/share-store.ts';
import { startWorkers, type Workers } from './crawl/queue/worker.ts';
import { createEngine, describeSource, type Engine, type EngineParts } from './crawl/slice/create-engine.ts';
import { observeClient, observeStore } from './ops/monitoring/observe-work.ts';
import type { WorkObserver } from './ops/monitoring/work-metrics.ts';
import { logRetention, type Retention, startRetention } from './ops/retention/start-retention.ts';
import { checkService, type Contact } from './service/client/check-service.ts';
import { type Client, createClient, type TokenInfo } from './service/client/client.ts';
import type { Governor } from './service/quota/governor.ts';
import { hashKey, type ServiceKey } from './service/quota/service-key.ts';
import { hasAnswered } from './store/crawls/crawl-sources.ts';
import { finishErasures } from './store/erasure/erase-accounts.ts';
import { startBodyExpiry } from './store/journal/body-expiry.ts';
import { readPanelMembers } from './store/panels/panels.ts';
import { type CrawlStore, prepareAnswers } from './store/remote/store-calls.ts';
import { openDatabase } from './store/sqlite/database.ts';
import { canWriteBeside, type MinFreeSpace, readFreeSpace } from './store/sqlite/disk-space.ts';
import { watchFiles } from './store/sqlite/file-watch.ts';
import { openStore, type Store } from './store/store.ts';

/** The composition root: constructs the objects that crawl commands, workers and the library share. */

/** The objects of a process that crawls. */
export interface WorkContext extends AsyncDisposable {
  readonly store: Store;
  readonly redis: QueueRedis;
  readonly queues: CrawlQueues;
  readonly producer: Producer;
  readonly governor: Governor;
  readonly breaker: Breaker;
  /** Why crawls wait for the disk, if they do. */
  readonly disk: Pick<DiskGuard, 'shortage' | 'readDisk'>;
  readonly scheduler: Scheduler;
  /** The sample of token-info at the start; undefined if the service has none. */
  readonly initialTokenInfo: TokenInfo | undefined;
  /** Starts workers and, except for a run of `trawl crawl`, the scheduler. */
  startWorkers(concurrency: number): Workers & Pick<Retention, 'applied'>;
}

export interface WorkOptions {
  readonly config: Config;
  readonly db: string;
  readonly log: Log;
  /** The name of a `trawl crawl` run, which runs its own crawls only. */
  readonly run?: string | undefined;
  readonly service: ServiceKey;
  readonly keepRaw?: boolean | undefined;
  /** Days to keep raw bodies; forever by default. */
  readonly rawDays?: number | undefined;
  /** The disk space that stays free; by default that of the configuration. */
  readonly minFree?: MinFreeSpace | undefined;
  /** A service that has never answered this store is not waited for: its address may be wrong. */
  readonly endsAtFirstContact?: boolean | undefined;
  /** Ends the wait for the first response of the service. */
  readonly signal?: AbortSignal | undefined;
  /** Called with warnings about the service and its quota; by default they are logged. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Called when this process detects the start or the end of an outage. */
  readonly onOutage?: ((event: OutageEvent) => void) | undefined;
  /** Receives requests, commits and changes of the quota. */
  readonly observer?: WorkObserver | undefined;
  /** Called when crawls begin or end to wait for the disk. */
  readonly onDisk?: ((event: DiskEvent) => void) | undefined;
  /** Workers on other hosts use this store, too. */
  readonly isShared?: boolean | undefined;
}

/**
 * Opens everything, after a request of token-info, which is free, has shown that the service accepts the key.
 * @throws UnauthorizedError, TransientError; the signal's reason if it was aborted before that.
 */
export async function openWorkContext(options: WorkOptions): Promise<WorkContext> {
  await using building = createResourceStack();
  const { config, db, service, log, run, observer, endsAtFirstContact = false, isShared = false } = options;
  const { serviceHost } = describeSource(service, config.keyLabel);
  const hasContact = (): boolean => hasAnswered(db, { host: serviceHost, keyHash: hashKey(service) });
  const contact: Contact = { isFirst: endsAtFirstContact && !hasContact() };
  const connection = await connectToService(building, options, contact);
  await finishErasures({ path: db, now: systemClock.now, onProgress: () => undefined });
  const plainStore = building.use(openStore(db, { threaded: true }));
  const store = observer ? observeStore(plainStore, observer) : plainStore;
  const { redisUrl, runtimeDir, childEnvironment: environment } = config;
  const redis = building.use(await startRedis({ redisUrl, runtimeDir, storePath: db, log, environment }));
  const queues = building.use(openQueues({ redis, storeId: store.id, run }));
  const producer = createProducer({ store, queues, clock: systemClock, run });
  const disk = openDiskGuard(options, store);
  const engine = building.use(
    openEngine(options, { ...connection, store, redis, queues, producer, disk, clock: systemClock }),
  );
  const scheduler = building.use(openScheduler({ store, queues, producer, log }));
  if (isShared)
    building.use(
      await shareStore({
        connect: redis.connect,
        prefix: queues.prefix,
        storeId: store.id,
        serviceHost,
        answer: prepareAnswers(store),
        readShortage: disk.checkSpace,
        log,
      }),
    );
  return {
    store,
    redis,
    queues,
    producer,
    disk,
    scheduler,
    governor: engine.governor,
    breaker: engine.breaker,
    initialTokenInfo: connection.initialTokenInfo,
    startWorkers: (concurrency) =>
      startAll({ ...options, store, queues, producer, scheduler }, concurrency, engine.runSlice),
    ...building.move(),
  };
}

interface ServiceConnection {
  readonly client: Client;
  readonly contact: Contact;
  readonly initialTokenInfo: TokenInfo | undefined;
}

/** Requests token-info, which is free. @throws UnauthorizedError, TransientError; the signal's reason */
export async function connectToService(
  building: ResourceStack,
  { config, service, log, observer, signal, onWarning: warn = (message) => log.warn(message) }: Omit<WorkOptions, 'db'>,
  contact: Contact,
): Promise<ServiceConnection> {
  const plainClient = building.use(
    createClient({ baseUrl: service.apiUrl, apiKey: service.apiKey, method: config.method }),
  );
  const client = observer ? observeClient(plainClient, observer) : plainClient;
  return { client, contact, initialTokenInfo: await checkService(client, { warn, signal, contact }) };
}

interface EngineConnections extends ServiceConnection, Pick<EngineParts, 'disk' | 'clock'> {
  readonly store: CrawlStore;
  readonly redis: QueueRedis;
  readonly queues: CrawlQueues;
  readonly producer: Pick<Producer, 'dispatch'>;
}

/** Opens what runs crawls, with the state that all workers of a key share. */
export const openEngine = (
  options: Omit<WorkOptions, 'db'>,
  { queues, producer, ...connections }: EngineConnections,
): Engine =>
  createEngine(options, {
    ...connections,
    staging: connections.store.staging,
    resumeCrawls: queues.promoteDelayed,
    onQuotaEvent: (event) => options.observer?.recordQuotaEvent(event),
    announceCrawls: (crawlIds) => void producer.dispatch(crawlIds).catch(failureLogger(options.log)('not queued yet')),
  });

/** Logs an error with its consequence. */
const failureLogger =
  (log: Log) =>
  (consequence: string) =>
  (error: unknown): void =>
    log.warn({ error: describeError(error) }, consequence);

const openDiskGuard = ({ config, minFree = config.minFree, log, onDisk }: WorkOptions, store: Store): DiskGuard =>
  createDiskGuard({
    read: () => ({ ...readFreeSpace(store.path, minFree), backlog: store.read.fullShipBacklog() }),
    canWrite: () => canWriteBeside(store.path),
    clock: systemClock,
    onEvent(event) {
      log.warn({ disk: event }, describeDiskEvent(event));
      onDisk?.(event);
    },
  });

type WorkParts = WorkOptions & Pick<WorkContext, 'store' | 'queues' | 'producer' | 'scheduler'>;

/** Starts the workers of a store; unless it is a run of its own crawls, also the scheduler, expiry and retention. */
function startAll(
  { store, queues, producer, scheduler, log, run, rawDays, isShared: pausesAlone }: WorkParts,
  concurrency: number,
  slice: Parameters<typeof startWorkers>[0]['runSlice'],
): Workers & Pick<Retention, 'applied'> {
  const workers = startWorkers({
    queues,
    producer,
    concurrency,
    pausesAlone,
    log,
    clock: systemClock,
    runSlice: slice,
    ...(run === undefined ? {} : { reconcileMs: 5e3 }),
  });
  const watch = watchFiles([store.files]);
  const parts: AsyncDisposable[] = [workers];
  let applied: Promise<void> = Promise.resolve();
  if (run === undefined) {
    const onError = failureLogger(log);
    parts.push(scheduler.start());
    if (rawDays !== undefined)
      parts.push(
        startBodyExpiry({
          expireBodies: store.write.expireBodies,
          clock: systemClock,
          ageMs: rawDays * DAY,
          onError: onError('old bodies are removed later'),
        }),
      );
    const retention = startRetention({
      files: store.files,
      readSchedule: store.read.schedule,
      clock: systemClock,
      onEvent: (event) => logRetention(log, event),
      onError: onError('retentions are applied later'),
    });
    parts.push(retention);
    applied = retention.applied;
  }
  return {
    applied,
    stopped: Promise.race([workers.stopped, watch.replaced]),
    async [Symbol.asyncDispose]() {
      watch[Symbol.dispose]();
      await Promise.all(parts.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** The scheduler of a store. It reads the targets of a job, or selects its checks, at each run. */
export function openScheduler(parts: { store: Store; queues: CrawlQueues; producer: Producer; log: Log }): Scheduler {
  return createScheduler({
    ...parts,
    clock: systemClock,
    readTargets(source) {
      if ('list' in source) return source.list;
      if ('file' in source) return readTargetsFromFile(source.file);
      const { path } = parts.store;
      return 'panel' in source ? readTargetsFromPanel(path, source.panel) : readTargetsFromSql(path, source.sql);
    },
    selectChecks({ items, olderThan, metricsAt, panel, includeDeleted: includesGone }, { at, maxRequests }) {
      using db = openDatabase(parts.store.path);
      const accountIds = panel === undefined ? undefined : readPanelMembers(db, panel).map(({ restId }) => restId);
      const before = olderThan === undefined ? at : at - parseTimeSpan(olderThan);
      const scope = { items, before, ages: metricsAt?.map(parseTimeSpan), accountIds, includesGone };
      return selectChecks(db, scope, maxRequests).specs;
    },
  });
}
