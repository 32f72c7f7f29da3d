import type { QuotaSampleRow } from '../schema/messages.ts';
import type { Db } from '../sqlite/database.ts';

/** The recorded quota of a key: see `quota/estimation/window-estimation.ts`. */
export interface StoredQuota {
  readonly samples: readonly StoredSample[];
  readonly requests: readonly { readonly at: number; readonly ms: number; readonly isMetered: boolean }[];
  readonly otherSamples: readonly number[];
}

type StoredSample = Omit<QuotaSampleRow, 'keyHash'>;

export const NO_QUOTA_RECORD: StoredQuota = { samples: [], requests: [], otherSamples: [] };

/** Older records say little about the current quota, and would take long to read. */
const LATEST_SAMPLES = 2000;
const LATEST_REQUESTS = 50_000;

/** Reads the latest samples of a key, and later requests. A cached response of `following` costs nothing (endpoint rule 5). */
export function readQuotaRecord(db: Db, keyHash: string): StoredQuota {
  const { $client } = db;
  const rows = $client
    .prepare<[], Omit<StoredSample, 'resetAt'> & { resetAt: number | null; keyHash: string | null }>(
      `select sampled_at as at, request_limit as "limit", remaining, reset_at as resetAt, key_hash as keyHash from _quota_samples
       where id > (select coalesce(max(id), 0) - ${LATEST_SAMPLES} from _quota_samples) order by sampled_at`,
    )
    .all();
  const own = rows.filter((row) => row.keyHash === keyHash);
  if (own.length === 0) return NO_QUOTA_RECORD;
  const requests = $client
    .prepare<[number], { at: number; ms: number; metered: number }>(
      `select sent_at as at, duration_ms as ms, status = 200 and endpoint <> 'following' as metered from requests
       where id > (select coalesce(max(id), 0) - ${LATEST_REQUESTS} from requests) and sent_at >= ?
       and (status is null or status <> 429) order by sent_at`,
    )
    .all(own[0]!.at);
  // Samples before the oldest request that was read are left out.
  const from = requests.length < LATEST_REQUESTS ? -Infinity : requests[0]!.at;
  return {
    samples: own
      .filter(({ at }) => at >= from)
      .map(({ at, limit, remaining, resetAt }) => ({ at, limit, remaining, resetAt: resetAt ?? undefined })),
    requests: requests.map(({ at, ms, metered }) => ({ at, ms, isMetered: metered === 1 })),
    otherSamples: rows.filter((row) => row.keyHash !== keyHash).map(({ at }) => at),
  };
}
