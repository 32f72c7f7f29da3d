import { answerQuota, type KnownQuota } from '../../../../analysis/status/quota-answer.ts';
import { MINUTE } from '../../../../base/clock.ts';
import type { Db } from '../../../../store/sqlite/database.ts';
import type { QuotaData } from '../../api/overview.ts';
import type { ReadContext } from '../../reader/read.ts';

/** The samples of at least this time are shown, and at most this many. */
const SHOWN_MS = 30 * MINUTE;
const SHOWN_SAMPLES = 720;
/** A process that sends requests polls token-info at least twice a minute: after this time nobody does. */
const BREAK_MS = 90_000;

/** Returns a quota with its samples for the page. */
export function toQuotaData({ db, now }: ReadContext, quota: KnownQuota): QuotaData {
  const { limit, windowMs = 0 } = quota;
  const answer = answerQuota(quota, now);
  const { left, reserve } = answer;
  const samples = readSamples(db, now - Math.max(SHOWN_MS, windowMs));
  return { ...answer, limit, left: left ?? 0, reserve: reserve ?? 0, samples };
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
