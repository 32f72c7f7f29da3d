import { waitUnlessAborted } from '#base/abortable-wait.ts';
import { systemClock } from '#base/clock.ts';
import { createResourceStack } from '#base/disposable-stack.ts';
import { describeHint, UnauthorizedError, UsageError, describeError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import { getConfig, getContext } from '#cli/context.ts';
import { parseTargetAddress } from '#cli/lake/edit-targets.ts';
import { loadJobs } from '#cli/schedule/load-jobs.ts';
import { type Address, type CommonOptions, decideErrorCode, EXIT, requireService } from '#cli/shared/common-options.ts';
import type { WorkerOptions } from '#cli/shared/crawl-options.ts';
import { describeBug } from '#cli/shared/error-messages.ts';
import { openLog } from '#cli/shared/open-log.ts';
import { describeWaitTimeout } from '#cli/shared/outage-report.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { describeUnfinished } from '#cli/targets/crawl-summary.ts';
import { hint } from '#cli/terminal/print.ts';
import { openWorkContext, type WorkContext } from '#composition.ts';
import { type Config, readTargetVariables } from '#config.ts';
import { createScheduleEntry, isEnabled, type Job } from '#crawl/jobs/job.ts';
import { type ShipBeside, shipBeside } from '#lake/worker/ship-beside.ts';
import { toExpectedError } from '#library/run/expected-error.ts';
import { workForOtherHost } from '#library/run/joined-work.ts';
import { runWorkersUntil } from '#library/run/run-crawls.ts';
import { IDLE_EXIT_WAIT_MS } from '#library/run/run-defaults.ts';
import { type Alerter, createAlerter, type AlerterOptions, createWebhook } from '#ops/alerts/alerter.ts';
import { evaluateWorker } from '#ops/alerts/state-conditions.ts';
import type { MonitoringServer } from '#ops/monitoring/server.ts';
import type { WorkObserver } from '#ops/monitoring/work-metrics.ts';
import { type MonitoredWork, createSharedStateReader, readShipLags } from '#ops/monitoring/work-state.ts';
import type { ServiceKey } from '#service/quota/service-key.ts';
import { findReplacement, requireInPlace } from '#store/sqlite/file-watch.ts';
import { type Store, openStore } from '#store/store.ts';

interface WorkOptions extends CommonOptions, WorkerOptions {
  readonly listen?: Address;
  readonly dashboard?: Address;
  readonly allowHost?: readonly string[];
  readonly ship?: true | readonly string[];
  readonly notify?: string;
  readonly exitWhenIdle?: true;
  readonly jobs?: string;
  readonly rawDays?: number;
  readonly share?: true;
  readonly join?: true | string;
}

/**
 * Runs queued crawls until a signal, or with `exitWhenIdle` until none is unfinished. Returns the exit code: 0 (also after a
 * signal), or 3 if the wait for the service or the disk has timed out. @throws UsageError for options that contradict each other
 */
export async function runWork(options: WorkOptions): Promise<number> {
  if (options.allowHost && !options.dashboard) throw new UsageError('--allow-host needs --dashboard');
  const config = getConfig();
  if ((options.share ?? options.join) && !config.redisUrl)
    throw new UsageError(`${options.share ? '--share' : '--join'} needs a Redis server that all hosts reach`, {
      hint: 'Set REDIS_URL on each of them.',
    });
  const jobs = options.jobs === undefined ? undefined : loadJobs(options.jobs, options.db);
  const service = requireService(config);
  const notifyUrl = options.notify ?? config.notifyUrl;
  // From here on, stderr contains only JSON lines, including fatal errors.
  const log = openLog({ level: options.quiet ? 'silent' : 'info' });
  using interruption = trapSignals('stopping after the pages in progress', {
    orderly: EXIT.complete,
    say: (message) => log.info(message),
  });
  const { signal } = interruption;
  try {
    const { join, raw: keepRaw, concurrency } = options;
    if (join) {
      const store = join === true ? undefined : join;
      return await workForOtherHost({ config, service, log, keepRaw, store, concurrency, signal });
    }
    return await runWorkers(options, { config, service, notifyUrl, jobs, log, signal });
  } catch (error) {
    if (error === signal.reason) return EXIT.complete;
    if (error instanceof UnauthorizedError && notifyUrl !== undefined && !options.join)
      await alertRefusedKey(options.db, { url: notifyUrl, log, signal });
    // Without a log, main prints the error.
    if (options.quiet) throw error;
    const refusal = toExpectedError(error);
    log.fatal({ hint: refusal && describeHint(refusal, hint) }, refusal?.message ?? describeBug(error));
    return decideErrorCode(refusal);
  }
}

interface WorkSetting {
  readonly config: Config;
  readonly service: ServiceKey;
  readonly notifyUrl: string | undefined;
  readonly jobs: readonly Job[] | undefined;
  readonly log: Log;
  readonly signal: AbortSignal;
}

async function runWorkers(options: WorkOptions, setting: WorkSetting): Promise<number> {
  const { config, service, notifyUrl, jobs, log, signal } = setting;
  // The server starts first, so that it responds while the worker waits for Redis and the service.
  await using monitoring = options.listen ? await startMonitoring(options.listen, log) : undefined;
  const key = observeKey(monitoring?.observer);
  await using work = await openWorkContext({
    observer: monitoring || notifyUrl !== undefined ? key.observer : undefined,
    config,
    service,
    log,
    signal,
    db: options.db,
    keepRaw: options.raw,
    rawDays: options.rawDays ?? config.rawDays,
    minFree: options.minFreeDisk,
    isShared: options.share,
  });
  const monitored = toMonitored(work);
  monitoring?.attach(monitored);
  log.info({ db: options.db, queue: work.redis.description }, 'working');
  const { dashboard: address, allowHost: allowedHosts } = options;
  await using _dashboard = address && (await serveDashboard({ address, allowedHosts }, { config, log }, work));
  if (jobs) {
    const changes = await work.store.write.setSchedule(jobs.map(createScheduleEntry), systemClock.now());
    const disabled = jobs.filter((job) => !isEnabled(job)).map(({ name }) => name);
    log.info({ changes: changes.filter(({ change }) => change !== 'unchanged'), disabled }, 'schedule');
  }
  const targets = options.ship === true ? [] : (options.ship ?? config.ship);
  await using shipping = targets && openShipping(targets, work.store, { config, log });
  await using alerts = openAlerts(work.store, {
    url: notifyUrl,
    log,
    signal,
    isKeyAccepted: key.isAccepted,
    evaluateWorker: createWorkerEvaluation(monitored),
  });
  // Queues missed runs before the workers start.
  await waitUnlessAborted(work.scheduler.restore(), signal);
  if (options.exitWhenIdle && !work.store.read.hasPending()) log.info('no unfinished crawls');
  try {
    const { concurrency, exitWhenIdle = false, wait: waitMs = IDLE_EXIT_WAIT_MS } = options;
    const isDone = await checkingAlerts(alerts, () =>
      runWorkersUntil(signal, work, { concurrency, exitWhenIdle, waitMs }),
    );
    if (!signal.aborted) await alerts.finish();
    if (!signal.aborted) await shipping?.finish(signal);
    if (!isDone) log.warn(describeWaitTimeout(waitMs, work.disk.shortage !== undefined));
    requireInPlace(work.store.files);
    return isDone ? EXIT.complete : EXIT.partial;
  } finally {
    const isKept = findReplacement(work.store.files) === undefined;
    const left = isKept ? work.store.read.pendingCount() : 0;
    if (left > 0) log.info({ unfinished: left }, describeUnfinished(left, `${hint('work')} resumes`));
  }
}

/** Checks alerts until `run` has ended. */
async function checkingAlerts<T>(alerts: WorkAlerts, run: () => Promise<T>): Promise<T> {
  await using _checks = alerts.start();
  return await run();
}

async function startMonitoring(address: Address, log: Log): Promise<MonitoringServer> {
  const { startMonitoringServer } = await import('#ops/monitoring/server.ts');
  const monitoring = await startMonitoringServer({ ...address, log });
  log.info({ url: monitoring.url }, 'serving /healthz, /readyz and /metrics');
  return monitoring;
}

async function serveDashboard(
  place: { readonly address: Address; readonly allowedHosts: readonly string[] | undefined },
  parts: { config: Config; log: Log },
  { store, producer: notifier }: WorkContext,
): Promise<AsyncDisposable> {
  const { openDashboard } = await import('#cli/dashboard/open-dashboard.ts');
  const { createBackfillActions } = await import('#library/run/actions/backfill-actions.ts');
  const { createCrawlActions } = await import('#library/run/actions/crawl-actions.ts');
  const { createNewCrawlActions } = await import('#library/run/actions/new-crawl-actions.ts');
  const changes = { store, notifier };
  const actions = {
    ...createCrawlActions(changes),
    ...createNewCrawlActions(changes),
    ...createBackfillActions(changes),
  };
  const dashboard = await openDashboard({
    ...parts,
    db: store.path,
    ...place,
    addressOption: '--dashboard',
    actions,
  });
  for (const url of dashboard.shownUrls) parts.log.info({ url }, 'serving the dashboard');
  return dashboard;
}

function toMonitored({ store, redis, governor, breaker, queues, disk }: WorkContext): MonitoredWork {
  const client = redis.connectFailingFast();
  return {
    store,
    governor,
    breaker,
    queues,
    disk,
    pingRedis: () => client.ping(),
    checkStore() {
      requireInPlace(store.files);
      store.read.lastStepId();
    },
  };
}

/**
 * Ships a worker's store beside its crawls. @param names the targets; empty for all, also those that are added later
 * @throws UsageError if the store does not have a target that is named
 */
function openShipping(
  names: readonly string[],
  { path, read }: Pick<Store, 'path' | 'read'>,
  { config, log }: { readonly config: Config; readonly log: Log },
): ShipBeside {
  const addresses = names.map(parseTargetAddress);
  const known = read.shipTargets().map(({ address }) => address);
  const unknown = addresses.find((address) => !known.includes(address));
  if (unknown !== undefined)
    throw new UsageError(`${unknown} is not a target`, { command: { name: 'lake add', result: 'adds it' } });
  if (known.length === 0) log.info(`no targets to ship to yet: ${hint('lake add')} adds one`);
  return shipBeside({
    path,
    env: config.childEnvironment,
    clock: systemClock,
    log,
    variables: readTargetVariables(getContext().env),
    readTargets: () =>
      read.shipTargets().filter(({ address }) => addresses.length === 0 || addresses.includes(address)),
  });
}

/** The alerts of a worker. Disposal aborts requests in progress. */
interface WorkAlerts extends Alerter, AsyncDisposable {}

interface AlertSetting {
  readonly url: string | undefined;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  readonly isKeyAccepted?: (() => boolean) | undefined;
  readonly evaluateWorker?: AlerterOptions['evaluateWorker'];
}

/** Returns an observer that records whether the service accepts the key, and passes all calls on to another observer. */
function observeKey(observer: WorkObserver | undefined): { isAccepted: () => boolean; observer: WorkObserver } {
  let isAccepted = false;
  return {
    isAccepted: () => isAccepted,
    observer: {
      recordRequest(endpoint, status) {
        if (status === 200 || status === 401) isAccepted = status === 200;
        observer?.recordRequest(endpoint, status);
      },
      recordCommit: (...commit) => observer?.recordCommit(...commit),
      recordQuotaEvent: (event) => observer?.recordQuotaEvent(event),
    },
  };
}

/** Returns the evaluation of the disk, the service, the quota and shipping of a worker. */
function createWorkerEvaluation(work: MonitoredWork): NonNullable<AlerterOptions['evaluateWorker']> {
  const readShared = createSharedStateReader(work);
  return async () => {
    const now = systemClock.now();
    const lags = await readShipLags(work, now);
    return evaluateWorker({ disk: work.disk.readDisk(), lags, shared: await readShared() }, now);
  };
}

function openAlerts(store: AlerterOptions['store'], setting: AlertSetting): WorkAlerts {
  const webhook = createWebhook();
  const alerter = createAlerter({ ...setting, store, webhook, clock: systemClock });
  return { ...alerter, [Symbol.asyncDispose]: () => webhook[Symbol.asyncDispose]() };
}

/** Sends the alert of a refused key, even if the worker has not opened its store. Logs a failure. */
async function alertRefusedKey(db: string, setting: AlertSetting): Promise<void> {
  try {
    await using resources = createResourceStack();
    const store = resources.use(openStore(db));
    const alerts = resources.use(openAlerts(store, setting));
    await alerts.reportRefusedKey();
    await alerts.finish();
  } catch (error) {
    setting.log.warn({ error: describeError(error) }, 'the alert of the refused key was not sent');
  }
}
