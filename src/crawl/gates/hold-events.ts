import { pluralize } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import type { QuotaEvent } from '#service/quota/ledger/quota-events.ts';
import { createQuotaHold, describeHold } from './describe-holds.ts';
import { type DiskEvent, describeShortage } from './disk-guard.ts';
import type { OutageEvent } from './outage/outage-events.ts';

/** The wording of beginning and ending holds, for logs and messages. */

export function describeQuotaEvent(event: QuotaEvent): string {
  if (event.event !== 'paused') return `quota: ${event.event}`;
  const { priority, reason, until, left, at } = event;
  const hold = describeHold(createQuotaHold(reason, { until: until ?? undefined, left }), at);
  return priority === 'all' ? hold : `${priority}: ${hold}`;
}

export function describeOutageEvent(event: OutageEvent): string {
  const { at } = event;
  if (event.event !== 'closed') {
    const { endpoints, why, probeAt } = event;
    return describeHold({ kind: 'outage', endpoints, why, until: probeAt }, at);
  }
  const { since, failedProbes } = event;
  return `the service is available again after ${formatDuration(at - since)} (${pluralize(failedProbes, 'failed probe')})`;
}

export const describeDiskEvent = (event: DiskEvent): string =>
  event.event === 'enough'
    ? `there is enough space again after ${formatDuration(event.lasted)}: crawls resume`
    : describeHold({ kind: 'disk', why: describeShortage(event) }, 0);
