import { SECOND } from '../../base/clock.ts';
import { formatCount } from '../../base/text.ts';
import { formatAgo, formatDuration } from '../../base/units.ts';
import { findQuotaHold } from '../../crawl/gates/holds.ts';
import type { QueueReading } from '../../crawl/queue/queue-snapshot.ts';
import { computeHeadrooms, type HeadroomShares, mapPriorities } from '../../service/quota/priorities.ts';
import {
  computeMinWindowMs,
  computeReserve,
  type QuotaSample,
  type Reserve,
} from '../../service/quota/quota-policy.ts';
import { LIMIT_NOTES, type QuotaStatus } from '../../service/quota/quota-status.ts';
import type { Overview } from '../crawls/crawl-overview.ts';
import { answerHold } from './hold-answers.ts';
import type { QuotaAnswer } from './status-model.ts';

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
