import { readTargetsFromFile, readTargetsFromPanel, readTargetsFromSql } from './analysis/crawl-targets.ts';
import { selectChecks } from './analysis/recheck/select-checks.ts';
import { DAY, systemClock } from './base/clock.ts';
import { createResourceStack } from './base/disposable-stack.ts';
import { describeError } from './base/errors.ts';
import type { Log } from './base/log.ts';
import { VERSION } from './base/package-root.ts';
import type { Config } from './config.ts';
import { createBudgetCounter } from './crawl/gates/budget-counter.ts';
import { describeDiskEvent, describeOutageEvent, describeQuotaEvent } from './crawl/gates/hold-events.ts';
import { type Breaker, createBreaker } from './crawl/gates/outage/breaker.ts';
import { createDiskGuard, type DiskEvent, type DiskGuard } from './crawl/gates/outage/disk-guard.ts';
import type { OutageEvent } from './crawl/gates/outage/outage-events.ts';
import { parseTimeSpan } from './crawl/jobs/job-schedule.ts';
import { createProducer, type Producer } from './crawl/queue/producer.ts';
import { type CrawlQueues, openQueues } from './crawl/queue/queues.ts';
import { type QueueRedis, startRedis } from './crawl/queue/redis/start-redis.ts';
import { createScheduler, type Scheduler } from './crawl/queue/scheduler.ts';
import { startWorkers, type Workers } from './crawl/queue/worker.ts';
import type { EngineDependencies } from './crawl/slice/engine-dependencies.ts';
import { runSlice } from './crawl/slice/slice.ts';
import { observeClient, observeStore } from './ops/monitoring/observe-work.ts';
import type { WorkObserver } from './ops/monitoring/work-metrics.ts';
import { logRetention, type Retention, startRetention } from './ops/retention/start-retention.ts';
import { checkService, type Contact } from './service/client/check-service.ts';
import { type Client, createClient, type TokenInfo } from './service/client/client.ts';
import { createRedactor } from './service/client/redactor.ts';
import { createRequestCoalescer } from './service/client/request-coalescing.ts';
import { createGovernor, type Governor } from './service/quota/governor.ts';
import type { QuotaSample } from './service/quota/quota-policy.ts';
import { hashAddress, hashKey, labelByHash, LEDGER_PREFIX, type ServiceKey } from './service/quota/service-key.ts';
import { hasAnswered } from './store/crawls/crawl-sources.ts';
import { finishErasures } from './store/erasure/erase-accounts.ts';
import { startBodyExpiry } from './store/journal/body-expiry.ts';
import { readPanelMembers } from './store/panels/panels.ts';
import type { CrawlSource } from './store/schema/commit-messages.ts';
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
}

/**
 * Opens everything, after a request of token-info, which is free, has shown that the service accepts the key.
 * @throws UnauthorizedError, TransientError; the signal's reason if it was aborted before that.
 */
export async function openWorkContext(options: WorkOptions): Promise<WorkContext> {
  await using building = createResourceStack();
  const { config, db, service, log, run, observer, onWarning = (message) => log.warn(message) } = options;
  const plainClient = building.use(
    createClient({ baseUrl: service.apiUrl, apiKey: service.apiKey, method: config.method }),
  );
  const client = observer ? observeClient(plainClient, observer) : plainClient;
  const source = describeSource(service, config.keyLabel);
  const { endsAtFirstContact = false } = options;
  const hasContact = (): boolean => hasAnswered(db, { host: source.serviceHost, keyHash: hashKey(service) });
  const contact: Contact = { isFirst: endsAtFirstContact && !hasContact() };
  const initialTokenInfo = await checkService(client, { warn: onWarning, signal: options.signal, contact });
  await finishErasures({ path: db, now: systemClock.now, onProgress: () => undefined });
  const plainStore = building.use(openStore(db, { threaded: true }));
  const store = observer ? observeStore(plainStore, observer) : plainStore;
  const { redisUrl, runtimeDir, childEnvironment: environment } = config;
  const redis = building.use(await startRedis({ redisUrl, runtimeDir, storePath: db, log, environment }));
  const queues = building.use(openQueues({ redis, storeId: store.id, run }));
  const producer = createProducer({ store, queues, clock: systemClock, run });
  const logFailure = failureLogger(log);
  const listener = redis.connect();
  const governor = building.use(openGovernor(options, { client, redis, listener, store, initialTokenInfo }));
  const breaker = openBreaker(options, {
    redis: redis.connectFailingFast(),
    listener,
    onClosed: () => void queues.promoteDelayed().catch(logFailure('crawls resume later')),
  });
  const disk = openDiskGuard(options, store);
  const dependencies: EngineDependencies = {
    store,
    client,
    governor,
    breaker,
    disk,
    log,
    staging: plainStore.staging,
    clock: systemClock,
    budgets: createBudgetCounter({ queries: store.queries, clock: systemClock }),
    coalescer: createRequestCoalescer(systemClock),
    random: Math.random,
    keepRaw: options.keepRaw ?? true,
    source,
    contact,
    announceCrawls: (crawlIds) => void producer.dispatch(crawlIds).catch(logFailure('not queued yet')),
  };
  const scheduler = building.use(openScheduler({ store, queues, producer, log }));
  return {
    store,
    redis,
    queues,
    producer,
    governor,
    breaker,
    disk,
    scheduler,
    initialTokenInfo,
    startWorkers: (concurrency) =>
      startAll({ ...options, store, queues, producer, scheduler }, concurrency, (crawlId, signals) =>
        runSlice(crawlId, dependencies, signals),
      ),
    ...building.move(),
  };
}

/** Logs an error with its consequence. */
const failureLogger =
  (log: Log) =>
  (consequence: string) =>
  (error: unknown): void =>
    log.warn({ error: describeError(error) }, consequence);

interface GovernorParts extends Pick<WorkContext, 'redis' | 'store' | 'initialTokenInfo'> {
  readonly client: Client;
  readonly listener: ReturnType<QueueRedis['connect']>;
}

function openGovernor(
  { config, service, log, observer, onWarning = (message) => log.warn(message) }: WorkOptions,
  { client, redis, listener, store, initialTokenInfo }: GovernorParts,
): Governor {
  const keyHash = hashKey(service);
  // A record with one sample less is still useful.
  const storeSample = (sample: QuotaSample): void =>
    void store.write.addQuotaSample({ ...sample, keyHash }).catch(() => undefined);
  // Recorded requests do not have the key: the first sample of a process shows which key it uses.
  if (initialTokenInfo) storeSample(initialTokenInfo);
  return createGovernor({
    redis: redis.connect(),
    listener,
    prefix: LEDGER_PREFIX,
    keyId: keyHash,
    tokenInfo: (signal) => client.tokenInfo(signal),
    reserve: config.reserve,
    headroomShares: config.headroomShares,
    clock: systemClock,
    onSample: storeSample,
    onEvent(event) {
      log.info({ quota: event }, describeQuotaEvent(event));
      observer?.recordQuotaEvent(event);
    },
    onWarning,
  });
}

const openBreaker = (
  { service, log, onOutage }: WorkOptions,
  parts: Pick<Parameters<typeof createBreaker>[0], 'redis' | 'listener' | 'onClosed'>,
): Breaker =>
  createBreaker({
    ...parts,
    prefix: LEDGER_PREFIX,
    serviceId: hashAddress(service.apiUrl),
    clock: systemClock,
    random: Math.random,
    onEvent(event) {
      log.warn({ outage: event }, describeOutageEvent(event));
      onOutage?.(event);
    },
  });

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
  { store, queues, producer, scheduler, log, run, rawDays }: WorkParts,
  concurrency: number,
  slice: Parameters<typeof startWorkers>[0]['runSlice'],
): Workers & Pick<Retention, 'applied'> {
  const workers = startWorkers({
    queues,
    producer,
    concurrency,
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

/** What this process crawls with, without the key: `parseServiceUrl` accepts no user, password or query. */
function describeSource(service: ServiceKey, keyLabel = labelByHash(service)): CrawlSource {
  const { host, pathname } = new URL(service.apiUrl);
  const serviceHost = createRedactor(service.apiKey).text(`${host}${pathname.replace(/\/+$/, '')}`);
  return { trawlVersion: VERSION, serviceHost, keyLabel };
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
