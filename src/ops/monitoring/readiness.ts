import { describeError } from '../../base/errors.ts';
import { isOpen } from '../../crawl/gates/outage/circuit.ts';
import type { MonitoredWork, SharedState } from './work-state.ts';

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
