import { MINUTE } from '../../../base/clock.ts';
import { computeHeadrooms } from '../../../service/quota/priorities.ts';
import type { CrawlRow } from '../../../store/schema/crawl-row.ts';
import type { CrawlWaitCause, CrawlWaitData } from '../api/crawl.ts';
import type { ReadContext } from '../reader/read.ts';

/** A shorter time without a response is no wait: responses may be slow, and crawls take turns. */
const LEAST_MS = 2 * MINUTE;
/** Workers ask token-info at least twice a minute. */
const NEAR_MS = MINUTE;

/** A time between two usable responses. */
interface Pause {
  readonly from: number;
  readonly to: number;
  /** The first request in it that the service refused or did not answer. */
  readonly failedAt: number | null;
  readonly status: number | null;
}

const PAUSES = `with usable as (select id, sent_at, sent_at + duration_ms as ended from requests
    where crawl_id = @id and status is not null and status < 500 and status not in (408, 429)),
  pauses as (select @start as "from", min(sent_at) as "to", 0 as after, min(id) as before from usable
    union all select ended, lead(sent_at) over (order by id), id, lead(id) over (order by id) from usable)
  select "from", coalesce("to", @end) as "to", failed.sent_at as failedAt, failed.status from pauses
  left join requests failed on failed.id = (select min(id) from requests
    where crawl_id = @id and id > pauses.after and id < coalesce(pauses.before, 9e18))
  where coalesce("to", @end) - "from" >= @least order by 1`;

/**
 * Reads when a crawl got no usable response for minutes, and why, as far as its requests and the samples of the quota show
 * it. A pause that goes on is left out: its reason is in the row of the crawl.
 */
export function readWaits(context: ReadContext, crawl: CrawlRow): CrawlWaitData[] {
  const { id, startedAt, finishedAt, updatedAt, state } = crawl;
  if (startedAt === null) return [];
  const end = finishedAt ?? (state === 'paused' ? updatedAt : context.now);
  const pauses = context.db.$client
    .prepare<[object], Pause>(PAUSES)
    .all({ id, start: BigInt(startedAt), end: BigInt(end), least: BigInt(LEAST_MS) });
  if (pauses.length === 0) return [];
  const isLow = readLowQuota(context, crawl, pauses[0]!.from, pauses.at(-1)!.to);
  return pauses.flatMap(({ from, to, failedAt, status }) => {
    const waits: CrawlWaitData[] = [
      { from, to: failedAt ?? to, cause: isLow(from) ? 'quota' : 'unknown' },
      ...(failedAt === null ? [] : [{ from: failedAt, to, cause: toCause(status) }]),
    ];
    return waits.filter((wait) => wait.to - wait.from >= LEAST_MS);
  });
}

const toCause = (status: number | null): CrawlWaitCause => (status === 429 ? 'quota' : 'failure');

/** Returns whether the quota was too low for the priority of a crawl at a time. */
function readLowQuota(
  { db, settings }: ReadContext,
  { priority }: CrawlRow,
  first: number,
  last: number,
): (at: number) => boolean {
  const samples = db.$client
    .prepare<[bigint, bigint], { at: number; limit: number; left: number }>(
      'select sampled_at as at, request_limit as "limit", remaining as left from _quota_samples where sampled_at between ? and ?',
    )
    .all(BigInt(first - NEAR_MS), BigInt(last));
  const low = samples.filter(
    ({ limit, left }) => left <= computeHeadrooms(limit, settings.reserve, settings.headroomShares)[priority],
  );
  return (from) => low.some(({ at }) => Math.abs(at - from) <= NEAR_MS);
}
