import {
  describeCause,
  describeHold,
  describeNext,
  findOutageHold,
  findPauseHold,
  type Hold,
  type HoldConditions,
} from '../../crawl/gates/holds.ts';
import { listOpenCircuits, type OutageState } from '../../crawl/gates/outage/circuit.ts';
import type { Overview } from '../crawls/crawl-overview.ts';
import { describeStopReason } from '../crawls/crawl-reasons.ts';
import type { HoldAnswer, OutageAnswer, PauseAnswer } from './status-model.ts';

/** Returns what is said of a hold. @param label what it holds @param at the time of the answer */
export const answerHold = (hold: Hold, label: string, at: number): HoldAnswer => ({
  state: hold.kind,
  label,
  sentence: describeHold(hold, at),
  command: hold.kind === 'unauthorized' ? 'work' : null,
  cause: describeCause(hold),
  since: hold.since ?? null,
  until: hold.until ?? null,
  next: describeNext(hold),
  error: hold.why ?? null,
});

/** Returns what is said of the crawls that are paused for a reason. */
export function answerPause(
  { reason, n, until }: Overview['paused'][number],
  conditions: HoldConditions,
  at: number,
): PauseAnswer {
  const hold = findPauseHold({ reason, until }, conditions);
  const answer = hold ? answerHold(hold, 'Paused crawls', at) : answerUnknownReason(reason, until);
  return { ...answer, reason, crawls: n };
}

/** A reason of another version, or none. */
function answerUnknownReason(reason: string | null, until: number | null): HoldAnswer {
  const cause = reason === null ? 'no reason is known' : describeStopReason(reason);
  const text = { state: 'unknown', label: 'Paused crawls', sentence: cause, command: null, cause };
  return { ...text, since: null, until, next: 'resumes', error: null };
}

/** Returns what is said of an outage; null without one. @param paused the paused crawls by reason */
export function answerOutage(
  state: OutageState | undefined,
  paused: Overview['paused'],
  at: number,
): OutageAnswer | null {
  const waiting = paused.find(({ reason }) => reason === 'outage');
  const hold = findOutageHold(state, waiting);
  if (!state?.outage || hold === undefined) return null;
  const { isWholeService, endpoints, probeAt = null } = listOpenCircuits(state);
  const { failedProbes } = state.outage;
  return { ...answerHold(hold, 'Service', at), isWholeService, endpoints, failedProbes, probeAt };
}
