import { Agent, request } from 'undici';
import { countRunsToRead, evaluateJob } from '#analysis/jobs/job-conditions.ts';
import { type Clock, MINUTE, SECOND } from '#base/clock.ts';
import { describeError, CONNECT_ERRORS } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import { formatDuration } from '#base/units.ts';
import { parseJob } from '#crawl/jobs/job.ts';
import type { AlertAttempt, AlertState, StoredAlert } from '#store/schema/job-messages.ts';
import type { JobRunResult, StoreQueries } from '#store/schema/query-results.ts';
import { createNotification, formatDetails, type Notification } from './notification.ts';

export type Alerter = ReturnType<typeof createAlerter>;

export interface AlerterOptions {
  readonly store: {
    readonly queries: Pick<StoreQueries, 'schedule' | 'jobRuns' | 'alerts'>;
    readonly write: {
      setAlerts(states: readonly AlertState[], at: number): Promise<void>;
      claimAlert(attempt: AlertAttempt, retryAt: number): Promise<boolean>;
      settleAlert(change: Omit<AlertAttempt, 'attempts'>): Promise<void>;
    };
  };
  /** The webhook of the worker, also for jobs without a webhook. */
  readonly url: string | undefined;
  readonly webhook: Pick<Webhook, 'post'>;
  /** Whether the service has accepted the key in this process, which resolves the alert of the key. */
  readonly isKeyAccepted?: (() => boolean) | undefined;
  /** Evaluates further alerts of the worker's webhook. */
  readonly evaluateWorker?: (() => Promise<readonly AlertState[]>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts requests and waits. */
  readonly signal?: AbortSignal | undefined;
}

const CHECK_INTERVAL_MS = 30 * SECOND;
/** The wait after the first failed attempt. It doubles after each further one, up to `MAX_RETRY_MS`. */
const RETRY_MS = 15 * SECOND;
const MAX_RETRY_MS = 60 * MINUTE;
/** The attempts to send a change, in about 7 hours. */
const MAX_ATTEMPTS = 15;
const LAST_RETRIES_MS = [SECOND, 2 * SECOND, 4 * SECOND];

/**
 * Sends alerts. The store records their states and deliveries, so that each change is sent once, whatever the number of
 * workers and restarts. If a response is lost, the change is sent again with the same id.
 */
export function createAlerter(options: AlerterOptions) {
  const { store, url, isKeyAccepted, evaluateWorker, clock, log, signal } = options;
  const { queries, write } = store;

  /** Stores the states that have changed. */
  async function setStates(states: readonly AlertState[]): Promise<void> {
    const stored = new Map((await queries.alerts()).map((one) => [keyOf(one), one.isFiring]));
    const changed = states.filter((state) => (stored.get(keyOf(state)) ?? false) !== state.isFiring);
    if (changed.length > 0) await write.setAlerts(changed, clock.now());
  }

  const readRuns = createRunReader(queries);

  /** Evaluates all alerts. Returns the webhooks by job; '' is that of the worker. */
  async function evaluate(): Promise<ReadonlyMap<string, string>> {
    const urls = new Map(url === undefined ? [] : [['', url]]);
    const states = isKeyAccepted?.() ? [createKeyState(false)] : [];
    if (url !== undefined && evaluateWorker) states.push(...(await evaluateWorker()));
    for (const entry of await queries.schedule()) {
      const { name, notify } = parseJob(entry);
      const to = notify?.url ?? url;
      if (to === undefined) continue;
      urls.set(name, to);
      const conditions = evaluateJob(name, await readRuns(name, countRunsToRead(notify)), notify);
      for (const { details, ...condition } of conditions)
        states.push({ ...condition, subject: name, details: formatDetails(details) });
    }
    await setStates(states);
    return urls;
  }

  /** Evaluates the alerts, and sends changes that are due or in `again`. Returns the changes whose delivery failed. */
  async function run(again?: ReadonlySet<string>): Promise<Set<string>> {
    const urls = await evaluate();
    const failed = new Set<string>();
    for (const change of await queries.alerts()) {
      const to = urls.get(change.subject);
      if (to === undefined || change.nextAttemptAt === null || signal?.aborted) continue;
      const isDue = change.nextAttemptAt <= clock.now() || again?.has(keyOf(change));
      if (isDue && !(await deliver(change, to, options))) failed.add(keyOf(change));
    }
    return failed;
  }

  return {
    /** Evaluates the alerts of all jobs, and sends changes that are due. */
    async check(): Promise<void> {
      await run();
    },
    /** Stores that the service refuses the key. The alert is sent at the next check. */
    async reportRefusedKey(): Promise<void> {
      if (url !== undefined) await setStates([createKeyState(true)]);
    },
    /** Checks the alerts before the process ends, and repeats failed attempts for some seconds. */
    async finish(): Promise<void> {
      try {
        let failed = await run();
        for (const ms of LAST_RETRIES_MS) {
          if (failed.size === 0 || signal?.aborted) return;
          await clock.sleep(ms, signal).catch(() => undefined);
          failed = await run(failed);
        }
      } catch (error) {
        log.warn({ error: describeError(error) }, 'alerts not checked; retrying at the next start');
      }
    },
    /** Checks every 30 s until disposal. */
    start: (): AsyncDisposable =>
      repeat(async (stopped) => {
        await run().catch((error: unknown) =>
          log.warn({ error: describeError(error) }, 'alerts not checked; retrying later'),
        );
        await clock.sleep(CHECK_INTERVAL_MS, stopped).catch(() => undefined);
      }, signal),
  };
}

/** Sends a change if no other process does. Returns false if the attempt failed and is to be repeated. */
async function deliver(
  change: StoredAlert,
  to: string,
  { store: { write }, webhook, clock, log, signal }: AlerterOptions,
): Promise<boolean> {
  const { alert, subject, changedAt, attempts } = change;
  const retryAt = clock.now() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** attempts);
  if (!(await write.claimAlert({ alert, subject, changedAt, attempts }, retryAt))) return true;
  const problem = await webhook.post(to, createNotification(change), signal);
  const isLast = attempts + 1 >= MAX_ATTEMPTS;
  if (problem === undefined || isLast) await write.settleAlert({ alert, subject, changedAt });
  const facts = {
    alert,
    ...(subject === '' ? {} : { job: subject }),
    state: change.isFiring ? 'firing' : 'resolved',
  };
  if (problem === undefined) log.info(facts, 'alert sent');
  else log.warn({ ...facts, problem }, isLast ? 'alert not sent; giving up' : 'alert not sent; retrying later');
  return problem === undefined || isLast;
}

/** Returns a reader of the runs of a job. An ended run is read only once, since it may have many crawls. */
function createRunReader({ jobRuns }: Pick<StoreQueries, 'jobRuns'>) {
  /** The ended runs of each job except the newest one. */
  const endedRuns = new Map<string, readonly JobRunResult[]>();
  return async (job: string, most: number): Promise<readonly JobRunResult[]> => {
    const known = endedRuns.get(job) ?? [];
    const knownIds = known.map(({ runId }) => runId);
    const read = await jobRuns(job, most, knownIds);
    const runs = [...read, ...known].toSorted((a, b) => b.runId - a.runId).slice(0, most);
    const isEnded = ({ isUnfinished, crawls }: JobRunResult): boolean => !isUnfinished && crawls > 0;
    endedRuns.set(job, runs.slice(1).filter(isEnded));
    return runs;
  };
}

/** Repeats a task until disposal, or until the signal is aborted. */
function repeat(task: (stopped: AbortSignal) => Promise<void>, signal: AbortSignal | undefined): AsyncDisposable {
  const stop = new AbortController();
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const loop = async (): Promise<void> => {
    while (!stopped.aborted) await task(stopped);
  };
  const running = loop();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

function createKeyState(isRefused: boolean): AlertState {
  const message = isRefused
    ? 'the service refuses the API key; the worker has stopped'
    : 'the service accepts the API key again';
  return { alert: 'key_refused', subject: '', isFiring: isRefused, details: formatDetails({ message }) };
}

const keyOf = ({ alert, subject }: Pick<StoredAlert, 'alert' | 'subject'>): string => `${alert} ${subject}`;

type Webhook = ReturnType<typeof createWebhook>;

const TIMEOUT_MS = 10 * SECOND;

/** Creates a client for webhooks. It follows no redirects, so that the body is sent only to the configured address. */
export function createWebhook() {
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS }, maxResponseSize: 1e6 });
  return {
    /** Sends a notification. Returns undefined if it was accepted (2xx), otherwise the reason, which contains no address. */
    async post(url: string, notification: Notification, signal?: AbortSignal): Promise<string | undefined> {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const { statusCode, body } = await request(url, {
          method: 'POST',
          dispatcher: agent,
          body: JSON.stringify(notification),
          headers: {
            'content-type': 'application/json',
            'user-agent': 'trawl',
          },
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        await body.dump();
        if (statusCode >= 200 && statusCode < 300) return undefined;
        return statusCode >= 300 && statusCode < 400
          ? `it redirects (${statusCode}), which is not followed`
          : `it answered ${statusCode}`;
      } catch (error) {
        if (timeout.aborted) return `no answer within ${formatDuration(TIMEOUT_MS)}`;
        // The messages of some errors contain the address, which may contain a secret.
        const { code = 'an error without a code' } = error as NodeJS.ErrnoException;
        return CONNECT_ERRORS[code] ?? `the network failed (${code})`;
      }
    },
    [Symbol.asyncDispose]: (): Promise<void> => agent.destroy(),
  };
}
