import type { Overview } from '#analysis/crawls/crawl-overview.ts';
import { describeStopReason } from '#analysis/crawls/end-reasons.ts';
import { SECOND } from '#base/clock.ts';
import { formatCount } from '#base/text.ts';
import { formatAgo, formatDuration } from '#base/units.ts';
import {
  findQuotaHold,
  describeCause,
  describeHold,
  describeNext,
  findOutageHold,
  findPauseHold,
  type Hold,
  type HoldConditions,
} from '#crawl/gates/describe-holds.ts';
import { listOpenCircuits, type OutageState } from '#crawl/gates/outage/breaker-policy.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import { computeHeadrooms, type HeadroomShares, mapPriorities } from '#service/quota/priorities.ts';
import { computeMinWindowMs, computeReserve, type QuotaSample, type Reserve } from '#service/quota/quota-policy.ts';
import { LIMIT_NOTES, type QuotaStatus } from '#service/quota/quota-status.ts';
import type { QuotaAnswer, HoldAnswer, OutageAnswer, PauseAnswer } from './status-model.ts';

/** The parts of the quota that crawls leave. */
export interface QuotaPolicy {
  readonly reserve: Reserve;
  readonly headroomShares: HeadroomShares;
}

/** A quota with a known limit. */
export interface KnownQuota extends QuotaStatus {
  readonly limit: number;
  readonly source: 'ledger' | 'sample';
}

/** Finds the quota of the ledger if a queue runs, otherwise that of the last sample of token-info; undefined if neither is known. */
export function findQuota(
  queue: QueueReading,
  policy: QuotaPolicy,
  readSample: () => Overview['sample'],
): KnownQuota | undefined {
  const ledger = queue && 'quota' in queue ? queue.quota : undefined;
  if (ledger?.limit !== undefined) return { ...ledger, limit: ledger.limit, source: 'ledger' };
  const sample = readSample();
  if (!sample) return undefined;
  const { requestLimit: limit, remaining, resetAt, sampledAt: at, sentSince } = sample;
  return computeSampledQuota({ limit, remaining, resetAt: resetAt ?? undefined, at }, policy, sentSince);
}

/** Returns the quota of a sample of token-info, less the requests since. Without a queue, no worker sends anything. */
export function computeSampledQuota(sample: QuotaSample, policy: QuotaPolicy, sentSince = 0): KnownQuota {
  const { limit, remaining, resetAt, at } = sample;
  const estimate = Math.max(0, remaining - sentSince);
  const headrooms = computeHeadrooms(limit, policy.reserve, policy.headroomShares);
  const noPause = { reason: undefined, pausedSince: undefined, pausedUntil: undefined };
  return {
    source: 'sample',
    limit,
    remaining,
    estimate,
    resetAt,
    sampledAt: at,
    reserve: computeReserve(limit, policy.reserve),
    windowMs: computeMinWindowMs(sample) || undefined,
    limitSource: 'token-info',
    estimatedSince: undefined,
    openReservations: 0,
    priorities: mapPriorities((one) => ({
      headroom: headrooms[one],
      spendable: Math.max(0, estimate - headrooms[one]),
      ...noPause,
    })),
  };
}

const UNKNOWN: QuotaAnswer = {
  state: 'unknown',
  label: 'Quota',
  sentence: 'unknown: token-info has not answered yet',
  command: 'quota',
  source: null,
  limit: null,
  left: null,
  reserve: null,
  resetAt: null,
  sampledAt: null,
  note: null,
  estimatedSince: null,
  priorities: mapPriorities(() => ({ headroom: null, spendable: 0, hold: null })),
};

/** Returns what is said of a quota. @param at the time of the answer */
export function answerQuota(quota: KnownQuota | undefined, at: number): QuotaAnswer {
  if (!quota) return UNKNOWN;
  const { source, limit, estimate = 0, reserve = null, resetAt = null, sampledAt = null, estimatedSince } = quota;
  return {
    state: quota.priorities.interactive.spendable > 0 ? 'available' : 'paused',
    label: 'Quota',
    sentence: describeQuota(quota, at),
    command: null,
    source,
    limit,
    left: Math.max(0, estimate),
    reserve,
    resetAt,
    sampledAt,
    note: LIMIT_NOTES[quota.limitSource] ?? null,
    estimatedSince: estimatedSince ?? null,
    priorities: mapPriorities((one) => {
      const { headroom = null, spendable } = quota.priorities[one];
      const hold = findQuotaHold(quota, one);
      return { headroom, spendable, hold: hold ? answerHold(hold, one, at) : null };
    }),
  };
}

function describeQuota(quota: KnownQuota, at: number): string {
  const { limit, estimate = 0, reserve = 0, resetAt = 0, sampledAt, limitSource, estimatedSince = at } = quota;
  const note = LIMIT_NOTES[limitSource];
  const left = [
    `${formatCount(Math.max(0, estimate))} of ${formatCount(limit)} requests left`,
    `${formatCount(reserve)} in reserve`,
    ...(resetAt - at >= SECOND ? [`resets in ${formatDuration(resetAt - at)}`] : []),
    ...(note === undefined && sampledAt !== undefined ? [`sampled ${formatAgo(sampledAt, at)}`] : []),
  ].join(', ');
  return note === undefined ? left : `${left}; ${note} (${formatDuration(at - estimatedSince)})`;
}

/** Returns what is said of a hold. @param label what it holds @param at the time of the answer */
const answerHold = (hold: Hold, label: string, at: number): HoldAnswer => ({
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
