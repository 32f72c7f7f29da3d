import { listOpenCircuits, type OutageState } from '../../crawl/gates/outage/circuit.ts';
import { formatDuration, toIso } from '../terminal/print.ts';

export const describeWaitTimeout = (waitMs: number, isForDisk = false): string =>
  `${isForDisk ? 'there was still too little space' : 'the service was still unavailable'} after ${formatDuration(waitMs)}; --wait <duration> waits longer`;

/** An outage for `--json`; null without an outage. */
export function toOutageJson(state: OutageState | undefined) {
  if (!state?.outage) return null;
  const { since, why, failedProbes } = state.outage;
  const { isWholeService, endpoints, probeAt } = listOpenCircuits(state);
  return {
    since: toIso(since),
    error: why,
    isWholeService,
    endpoints,
    failedProbes,
    probeAt: toIso(probeAt),
  };
}
