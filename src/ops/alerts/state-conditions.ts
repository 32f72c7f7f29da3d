import { answerDisk } from '#analysis/disk-answer.ts';
import { isBacklogFull, LONG_SHIP_LAG_MS, type ShipLag } from '#analysis/ship-lag.ts';
import { MINUTE } from '#base/clock.ts';
import { pluralize } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import { describeDuration, findOutageHold } from '#crawl/gates/describe-holds.ts';
import type { DiskState } from '#crawl/gates/disk-guard.ts';
import type { OutageState } from '#crawl/gates/outage/breaker-policy.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import type { AlertName, AlertState } from '#store/schema/job-messages.ts';
import { formatDetails } from './notification.ts';

/** What alerts of a worker are about. */
export interface WorkerState {
  readonly disk: DiskState;
  readonly lags: readonly ShipLag[];
  /** In Redis; undefined if it does not answer: then these alerts stay as they are. */
  readonly shared: { readonly outage: OutageState; readonly quota: QuotaStatus } | undefined;
}

/** Shorter outages are common, and end by themselves. */
const LONG_OUTAGE_MS = 15 * MINUTE;
/** A pause for the quota ends with its window; without a known one, with this. */
const UNKNOWN_WINDOW_MS = 60 * MINUTE;
const LATE_RESET_MS = 15 * MINUTE;

/** Evaluates the alerts of a worker that do not concern its jobs. Their messages contain no addresses. */
export function evaluateWorker({ disk, lags, shared }: WorkerState, now: number): AlertState[] {
  const toState = (alert: AlertName, firing: string | undefined, resolved: string): AlertState => ({
    alert,
    subject: '',
    isFiring: firing !== undefined,
    details: formatDetails({ message: firing ?? resolved }),
  });
  return [
    toState('disk_full', describeFullDisk(disk), 'the disk has enough space again'),
    toState('ship_late', describeLateShipping(lags), 'facts are shipped again'),
    ...(shared
      ? [
          toState('outage', describeLongOutage(shared.outage, now), 'the service is available again'),
          toState('quota_stuck', describeStuckQuota(shared.quota, now), 'the quota is available again'),
        ]
      : []),
  ];
}

function describeFullDisk({ isFull, free, minFree }: DiskState): string | undefined {
  if (!isFull) return undefined;
  return free < minFree ? `the disk has ${answerDisk(free, minFree).sentence}` : 'the disk is full: crawls pause';
}

function describeLateShipping(lags: readonly ShipLag[]): string | undefined {
  const late = lags.filter((lag) => isBacklogFull(lag) || lag.ms >= LONG_SHIP_LAG_MS);
  if (late.length === 0) return undefined;
  const waited = formatDuration(Math.max(...late.map(({ ms }) => ms)));
  const pause = late.some(isBacklogFull) ? ': crawls pause' : '';
  return `facts wait to be shipped to ${pluralize(late.length, 'target')}, the first for ${waited}${pause}`;
}

function describeLongOutage(state: OutageState, now: number): string | undefined {
  const hold = findOutageHold(state);
  return hold === undefined || now - hold.since! < LONG_OUTAGE_MS ? undefined : describeDuration(hold, now);
}

function describeStuckQuota(
  { priorities, windowMs = UNKNOWN_WINDOW_MS }: QuotaStatus,
  now: number,
): string | undefined {
  const isStuck = ({ reason, pausedSince = now }: QuotaStatus['priorities']['interactive']): boolean =>
    (reason === 'low' || reason === 'refused') && now - pausedSince >= windowMs + LATE_RESET_MS;
  const stuck = PRIORITIES.filter((one) => isStuck(priorities[one]));
  if (stuck.length === 0) return undefined;
  return `${stuck.join(', ')} crawls wait for the quota for longer than its window (${formatDuration(windowMs)})`;
}
