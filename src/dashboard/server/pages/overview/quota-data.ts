import { type Overview, readLatestSample } from '../../../../analysis/crawls/crawl-overview.ts';
import { MINUTE } from '../../../../base/clock.ts';
import { toSentence } from '../../../../base/text.ts';
import { describeCause, findQuotaHold } from '../../../../crawl/gates/holds.ts';
import { computeHeadrooms, mapPriorities, PRIORITIES } from '../../../../service/quota/priorities.ts';
import { computeMinWindowMs, computeReserve } from '../../../../service/quota/quota-policy.ts';
import { LIMIT_NOTES, type QuotaStatus } from '../../../../service/quota/quota-status.ts';
import type { Db } from '../../../../store/sqlite/database.ts';
import type { PriorityData, QuotaData } from '../../api/overview.ts';
import type { QueueReading, ReadContext } from '../../reader/read.ts';

/** The samples of at least this time are shown, and at most this many. */
const SHOWN_MS = 30 * MINUTE;
const SHOWN_SAMPLES = 720;
/** A process that sends requests polls token-info at least twice a minute: after this time nobody does. */
const BREAK_MS = 90_000;

export type KnownQuota = QuotaStatus & { readonly limit: number };

/** Finds the quota of the ledger if there is a queue, otherwise that of the last sample of token-info; undefined if nothing is known. */
export function findQuota(
  context: ReadContext,
  queue: QueueReading,
  readSample: () => Overview['sample'] = () => readLatestSample(context.db),
): KnownQuota | undefined {
  const ledger = findLedger(queue);
  if (ledger) return ledger;
  const sample = readSample();
  return sample && fromSample(context, sample);
}

const findLedger = (queue: QueueReading): KnownQuota | undefined =>
  queue && 'quota' in queue && queue.quota?.limit !== undefined ? (queue.quota as KnownQuota) : undefined;

/** Without a queue no worker sends anything, and the settings of this process decide what a worker would leave. */
function fromSample({ settings }: ReadContext, sample: NonNullable<Overview['sample']>): KnownQuota {
  const { requestLimit: limit, remaining, sampledAt, sentSince } = sample;
  const resetAt = sample.resetAt ?? undefined;
  const estimate = Math.max(0, remaining - sentSince);
  const headrooms = computeHeadrooms(limit, settings.reserve, settings.headroomShares);
  return {
    limit,
    remaining,
    estimate,
    resetAt,
    sampledAt,
    reserve: computeReserve(limit, settings.reserve),
    windowMs: computeMinWindowMs({ limit, remaining, resetAt, at: sampledAt }) || undefined,
    limitSource: 'token-info',
    estimatedSince: undefined,
    openReservations: 0,
    priorities: mapPriorities((name) => ({
      headroom: headrooms[name],
      spendable: Math.max(0, estimate - headrooms[name]),
      reason: undefined,
      pausedSince: undefined,
      pausedUntil: undefined,
    })),
  };
}

/** Returns a quota with its samples for the page. */
export function toQuotaData({ db, now }: ReadContext, quota: KnownQuota, queue: QueueReading): QuotaData {
  const { limit, estimate = 0, reserve = 0, sampledAt = null, resetAt = null, windowMs = 0, priorities } = quota;
  const toData = (name: (typeof PRIORITIES)[number]): PriorityData => {
    const { headroom = reserve, spendable, pausedUntil = null } = priorities[name];
    const hold = findQuotaHold(quota, name);
    return { name, headroom, spendable, pause: hold ? describeCause(hold) : null, pausedUntil };
  };
  const note = LIMIT_NOTES[quota.limitSource];
  return {
    source: findLedger(queue) ? 'ledger' : 'sample',
    limit,
    left: Math.max(0, estimate),
    reserve,
    resetAt,
    checkedAt: sampledAt,
    estimate: note === undefined ? null : `${toSentence(note)}.`,
    priorities: PRIORITIES.map(toData),
    samples: readSamples(db, now - Math.max(SHOWN_MS, windowMs)),
  };
}

/** The latest samples of the key that was used last, oldest first, with breaks between those that are far apart. */
function readSamples({ $client }: Db, since: number): QuotaData['samples'] {
  const rows = $client
    .prepare<[number, number], { at: number; left: number }>(
      `select sampled_at as at, remaining as left from _quota_samples
       where sampled_at >= ? and key_hash is (select key_hash from _quota_samples order by id desc limit 1)
       order by id desc limit ?`,
    )
    .all(since, SHOWN_SAMPLES)
    .toReversed();
  return rows.flatMap(({ at, left }, i) => {
    const before = rows[i - 1];
    const isBreak = before !== undefined && at - before.at > BREAK_MS;
    return isBreak ? [[before.at + 1, null] as const, [at, left] as const] : [[at, left] as const];
  });
}
