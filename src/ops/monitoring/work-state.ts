import { measureShipLag, type ShipLag } from '#analysis/ship-lag.ts';
import { waitUnlessAborted } from '#base/abortable-wait.ts';
import { SECOND } from '#base/clock.ts';
import { describeError } from '#base/errors.ts';
import type { DiskGuard } from '#crawl/gates/disk-guard.ts';
import { type OutageState, isOpen } from '#crawl/gates/outage/breaker-policy.ts';
import type { ByPriority } from '#service/quota/priorities.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import type { StoreQueries } from '#store/schema/query-results.ts';

/** The parts of a worker that readiness and metrics read. */
export interface MonitoredWork {
  readonly store: {
    readonly path: string;
    readonly queries: Pick<StoreQueries, 'crawlCounts' | 'jobSuccesses' | 'shipTargets'>;
  };
  readonly disk: Pick<DiskGuard, 'readDisk'>;
  /** @throws if the store cannot be read, or its file was replaced */
  readonly checkStore: () => void;
  /** Rejects within a second if Redis does not answer. */
  readonly pingRedis: () => Promise<unknown>;
  readonly governor: { readonly readStatus: () => Promise<QuotaStatus> };
  readonly breaker: { readonly readState: () => Promise<OutageState> };
  readonly queues: { readonly countJobsByPriority: () => Promise<ByPriority<Readonly<Record<string, number>>>> };
}

/** The state in Redis, which all workers share. */
export interface SharedState {
  readonly quota: QuotaStatus;
  readonly outage: OutageState;
  /** Jobs by priority and state: waiting, active, delayed. */
  readonly jobs: Awaited<ReturnType<MonitoredWork['queues']['countJobsByPriority']>>;
}

const READ_MS = 2 * SECOND;

/** Returns a reader of the shared state. It returns undefined within 3 s if Redis does not answer. */
export function createSharedStateReader({
  pingRedis,
  governor,
  breaker,
  queues,
}: MonitoredWork): () => Promise<SharedState | undefined> {
  let reading: Promise<SharedState> | undefined;

  async function readAll(): Promise<SharedState> {
    const reads = [governor.readStatus(), breaker.readState(), queues.countJobsByPriority()] as const;
    const [quota, outage, jobs] = await Promise.all(reads);
    return { quota, outage, jobs };
  }

  return async () => {
    try {
      await pingRedis();
      // Commands wait until Redis is back, so one pending read is enough.
      reading ??= readAll().finally(() => {
        reading = undefined;
      });
      return await waitUnlessAborted(reading, AbortSignal.timeout(READ_MS));
    } catch {
      return undefined;
    }
  };
}

export const readShipLags = async ({ store }: Pick<MonitoredWork, 'store'>, now: number): Promise<ShipLag[]> =>
  (await store.queries.shipTargets()).map((target) => measureShipLag(target, now));

/** The result of each check: `ok`, `starting`, `unknown` (Redis does not answer) or the problem. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<'redis' | 'store' | 'disk' | 'service' | 'key', string>>;
}

/** The readiness before the worker has opened the store and connected to Redis and the service. */
export const STARTING: Readiness = {
  isReady: false,
  checks: { redis: 'starting', store: 'starting', disk: 'starting', service: 'starting', key: 'starting' },
};

/** Checks whether a worker can crawl now. No request is sent. @param shared undefined if Redis does not answer */
export function checkReadiness(
  { checkStore, disk }: Pick<MonitoredWork, 'checkStore' | 'disk'>,
  shared: SharedState | undefined,
): Readiness {
  const checks = {
    redis: shared ? 'ok' : 'no answer',
    store: describeFailure(checkStore),
    disk: disk.readDisk().isFull ? 'full' : 'ok',
    // An outage of some endpoints does not stop the crawls of the others.
    service: shared ? (isOpen(shared.outage.service) ? 'out' : 'ok') : 'unknown',
    key: shared ? (shared.quota.priorities.interactive.reason === 'key_dead' ? 'refused' : 'ok') : 'unknown',
  };
  return { isReady: Object.values(checks).every((result) => result === 'ok'), checks };
}

function describeFailure(check: () => void): string {
  try {
    check();
    return 'ok';
  } catch (error) {
    return describeError(error).split('\n')[0]!;
  }
}
