import { listOpenCircuits, type OutageState } from '../../engine/outage/circuit.ts';
import type { OutageEvent } from '../../engine/outage/events.ts';
import { pluralize, formatDuration } from '../terminal/format.ts';
import { toIso } from '../terminal/times.ts';

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
  `${isForDisk ? 'there was still too little space' : 'the service was still unavailable'} after ${formatDuration(waitMs)}; --wait <duration> waits longer`;

/** Describes an outage with its duration and the next probe; undefined without an outage. */
export function describeOutage(state: OutageState | undefined, now: number): string | undefined {
  if (!state?.outage) return undefined;
  const { since, why, failedProbes } = state.outage;
  const { isWholeService, endpoints, probeAt } = listOpenCircuits(state);
  if (!isWholeService && endpoints.length === 0) return undefined;
  const left = (probeAt ?? now) - now;
  const probe = left > 0 ? `next probe in ${formatDuration(left)}` : 'next probe with the next crawl';
  const who = subject(isWholeService ? [] : endpoints);
  return `${who} has been unavailable for ${formatDuration(now - since)}, ${pluralize(failedProbes, 'failed probe')}, ${probe}: ${why}`;
}

/** An outage for `--json`; null without an outage. */
export function toOutageJson(state: OutageState | undefined) {
  if (!state?.outage) return null;
  const { since, why, failedProbes, turnedAway } = state.outage;
  const { isWholeService, endpoints, probeAt } = listOpenCircuits(state);
  return {
    ...{ since: toIso(since), error: why, isWholeService, endpoints, failedProbes },
    ...{ heldRequests: turnedAway, probeAt: toIso(probeAt) },
  };
}
