import { isOpen, listOpenEndpoints, type OutageState } from '../../engine/outage/circuit.ts';
import type { OutageEvent } from '../../engine/outage/events.ts';
import { pluralize, formatDuration } from '../terminal/format.ts';

const subject = (endpoints: readonly string[]): string =>
  endpoints.length === 0 ? 'the service' : `the service's ${endpoints.join(', ')}`;

export function describeOutageEvent(event: OutageEvent): string {
  if (event.event === 'closed') {
    const { at, since, failedProbes, turnedAway } = event;
    const saved = turnedAway === 0 ? '' : `, ${pluralize(turnedAway, 'request')} saved`;
    return `the service is available again after ${formatDuration(at - since)} (${pluralize(failedProbes, 'failed probe')}${saved})`;
  }
  return `${subject(event.endpoints)} is unavailable; probing until it responds: ${event.why}`;
}

export const describeWaitTimeout = (waitMs: number, isForDisk = false): string =>
  `${isForDisk ? 'the disk was still full' : 'the service was still unavailable'} after ${formatDuration(waitMs)}; --wait <duration> waits longer`;

/** Describes an outage with its duration and the next probe; undefined without an outage. */
export function describeOutage(outage: OutageState | undefined, now: number): string | undefined {
  const open = [...(outage && isOpen(outage.service) ? [outage.service] : []), ...openCircuits(outage)];
  if (!outage?.outage || open.length === 0) return undefined;
  const { since, why, failedProbes } = outage.outage;
  const endpoints = isOpen(outage.service) ? [] : listOpenEndpoints(outage);
  const left = Math.min(...open.map(({ probeAt = now }) => probeAt)) - now;
  const probe = left > 0 ? `next probe in ${formatDuration(left)}` : 'next probe with the next crawl';
  return `${subject(endpoints)} has been unavailable for ${formatDuration(now - since)}, ${pluralize(failedProbes, 'failed probe')}, ${probe}: ${why}`;
}

const openCircuits = (outage: OutageState | undefined) =>
  outage === undefined ? [] : listOpenEndpoints(outage).map((name) => outage.endpoints[name]!);

/** An outage for `--json`; null without an outage. */
export function toOutageJson(outage: OutageState | undefined) {
  if (!outage?.outage) return null;
  const open = [...(isOpen(outage.service) ? [outage.service] : []), ...openCircuits(outage)];
  return {
    since: new Date(outage.outage.since).toISOString(),
    error: outage.outage.why,
    isWholeService: isOpen(outage.service),
    endpoints: listOpenEndpoints(outage),
    failedProbes: outage.outage.failedProbes,
    heldRequests: outage.outage.turnedAway,
    probeAt: open.length === 0 ? null : new Date(Math.min(...open.map(({ probeAt = 0 }) => probeAt))).toISOString(),
  };
}
