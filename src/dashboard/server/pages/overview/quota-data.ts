import type { Overview } from '../../../../analysis/crawls/overview.ts';
import { MINUTE } from '../../../../base/clock.ts';
import { toSentence } from '../../../../base/text.ts';
import { describeCause, findQuotaHold } from '../../../../crawl/gates/holds.ts';
import { computeReserve } from '../../../../service/quota/policy.ts';
import { type ByPriority, computeHeadrooms, PRIORITIES } from '../../../../service/quota/priorities.ts';
import { LIMIT_NOTES, type QuotaStatus } from '../../../../service/quota/quota-status.ts';
import type { Db } from '../../../../store/sqlite/database.ts';
import type { PriorityData, QuotaData } from '../../api/overview.ts';
import type { QueueReading, ReadContext } from '../../reader/read.ts';

/** The samples of at least this time are shown, and at most this many. */
const SHOWN_MS = 30 * MINUTE;
const SHOWN_SAMPLES = 720;
/** A process that sends requests polls token-info at least twice a minute: after this time nobody does. */
const BREAK_MS = 90_000;

type KnownQuota = QuotaStatus & { readonly limit: number };

/** The quota from the ledger if there is a queue, otherwise from the last sample of token-info; null if nothing is known. */
export function readQuotaData(context: ReadContext, overview: Overview, queue: QueueReading): QuotaData | null {
  const ledger =
    queue && 'quota' in queue && queue.quota?.limit !== undefined ? (queue.quota as KnownQuota) : undefined;
  if (ledger) return fromLedger(context, ledger);
  return overview.sample ? fromSample(context, overview.sample) : null;
}

function fromLedger({ db, now }: ReadContext, ledger: KnownQuota): QuotaData {
  const { limit, estimate = 0, reserve = 0, sampledAt = null, resetAt = null, windowMs = 0, priorities } = ledger;
  const toData = (name: (typeof PRIORITIES)[number]): PriorityData => {
    const { headroom = reserve, spendable, pausedUntil = null } = priorities[name];
    const hold = findQuotaHold(ledger, name);
    return { name, headroom, spendable, pause: hold ? describeCause(hold) : null, pausedUntil };
  };
  const note = LIMIT_NOTES[ledger.limitSource];
  return {
    source: 'ledger',
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

/** Without a queue no worker sends anything, and the settings of this process decide what a worker would leave. */
function fromSample({ db, now, settings }: ReadContext, sample: NonNullable<Overview['sample']>): QuotaData {
  const { requestLimit: limit, remaining, resetAt, sampledAt, sentSince } = sample;
  const left = Math.max(0, remaining - sentSince);
  const headrooms: ByPriority<number> = computeHeadrooms(limit, settings.reserve, settings.headroomShares);
  return {
    source: 'sample',
    limit,
    left,
    resetAt,
    checkedAt: sampledAt,
    estimate: null,
    reserve: computeReserve(limit, settings.reserve),
    priorities: PRIORITIES.map((name) => ({
      name,
      headroom: headrooms[name],
      spendable: Math.max(0, left - headrooms[name]),
      pause: null,
      pausedUntil: null,
    })),
    samples: readSamples(db, now - SHOWN_MS),
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
