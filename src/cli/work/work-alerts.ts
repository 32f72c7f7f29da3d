import { measureShipLag } from '../../analysis/ship-lag.ts';
import { systemClock } from '../../base/clock.ts';
import { createResourceStack } from '../../base/disposable-stack.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type Alerter, createAlerter, type AlerterOptions, createWebhook } from '../../ops/alerts/alerter.ts';
import { evaluateWorker } from '../../ops/alerts/state-conditions.ts';
import type { WorkObserver } from '../../ops/monitoring/work-metrics.ts';
import { createSharedStateReader, type MonitoredWork } from '../../ops/monitoring/work-state.ts';
import { openStore } from '../../store/store.ts';

/** The alerts of a worker. Disposal aborts requests in progress. */
export interface WorkAlerts extends Alerter, AsyncDisposable {}

interface AlertSetting {
  readonly url: string | undefined;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  readonly isKeyAccepted?: (() => boolean) | undefined;
  readonly evaluateWorker?: AlerterOptions['evaluateWorker'];
}

/** Returns an observer that records whether the service accepts the key, and passes all calls on to another observer. */
export function observeKey(observer: WorkObserver | undefined): { isAccepted: () => boolean; observer: WorkObserver } {
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
export function createWorkerEvaluation(work: MonitoredWork): NonNullable<AlerterOptions['evaluateWorker']> {
  const readShared = createSharedStateReader(work);
  return async () => {
    const now = systemClock.now();
    const lags = (await work.store.queries.shipTargets()).map((target) => measureShipLag(target, now));
    return evaluateWorker({ disk: work.disk.readDisk(), lags, shared: await readShared() }, now);
  };
}

export function openAlerts(store: AlerterOptions['store'], setting: AlertSetting): WorkAlerts {
  const webhook = createWebhook();
  const alerter = createAlerter({ ...setting, store, webhook, clock: systemClock });
  return { ...alerter, [Symbol.asyncDispose]: () => webhook[Symbol.asyncDispose]() };
}

/** Sends the alert of a refused key, even if the worker has not opened its store. Logs a failure. */
export async function alertRefusedKey(db: string, setting: AlertSetting): Promise<void> {
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
