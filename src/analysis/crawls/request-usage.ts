import { DAY } from '../../base/clock.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { Attribution } from './attributions.ts';
import { HAS_FAILED, IS_NOT_FOUND } from './request-outcomes.ts';
import { MAX_DISORDER_MS, findFirstIdSince } from './throughput.ts';

/** The cost and the result of the requests of one group. */
export interface RequestUsage {
  /** A root crawl's id, a kind, a priority, a day or a job; null for requests without a job. */
  readonly key: string | number | null;
  readonly crawls: number;
  readonly requests: number;
  /**
   * The maximum number of requests that killed workers sent without a record. Null by day or since a time: their time is
   * unknown.
   */
  readonly unknownRequests: number | null;
  /** Of the recorded requests, those without a response or with an error status, but for `notFound`. */
  readonly failed: number;
  /** Of the recorded requests, those that the service answered with 404. */
  readonly notFound: number;
  readonly bytes: number;
  /**
   * New rows. The store counts them by crawl: if only a part of a crawl's requests is counted, its rows are divided
   * evenly.
   */
  readonly newItems: number;
  /** Changed users and tweets, ended edges and deleted tweets; divided in the same way. */
  readonly changes: number;
}

/** Child crawls are counted with their root crawl. */
const ROOT = 'coalesce(crawls.root_id, crawls.id)';

const KEYS: Readonly<Record<Exclude<Attribution, 'day'>, string>> = {
  crawl: ROOT,
  kind: 'crawls.kind',
  priority: 'crawls.priority',
  job: '(select job_name from runs where runs.id = crawls.run_id)',
};

/** The maximum number of unrecorded requests of a crawl, including a cancelled one. */
const UNKNOWN = `sum(crawls.unknown_requests + case when crawls.finished_at is null then 0 else crawls.in_flight_requests end)`;

/** The maximum number of requests of all crawls that killed workers sent without a record. */
export const countUnknownRequests = ({ $client }: Db): number =>
  $client
    .prepare<[], number>(
      `select (select coalesce(sum(unknown_requests), 0) from crawls where unknown_requests > 0)
        + (select coalesce(sum(in_flight_requests), 0) from crawls where in_flight_requests > 0 and finished_at is not null)`,
    )
    .pluck()
    .get()!;

/** The usage by group, highest first, or by day, latest first. */
export function readUsage(db: Db, by: Attribution, since?: number): RequestUsage[] {
  const { $client } = db;
  const within = since === undefined ? '' : 'where requests.id >= @first and requests.sent_at >= @since';
  const bound = since === undefined ? {} : { since, first: findFirstIdSince(db, since - MAX_DISORDER_MS) };
  const day = by === 'day' ? `, requests.sent_at / ${DAY} as day` : '';
  // Grouped by crawl first, in index order: there are far fewer crawls than requests.
  const sent = `select crawl_id${day}, count(*) as n, sum(response_bytes) as bytes,
      sum(${HAS_FAILED}) as failed, sum(${IS_NOT_FOUND}) as notFound
    from requests ${within} group by crawl_id${by === 'day' ? ', day' : ''}`;
  const isDated = by === 'day' || since !== undefined;
  // Crawls of workers that were killed before they recorded a request.
  const unrecorded = `select id, 0, 0, 0, 0 from crawls
    where (unknown_requests > 0 or (in_flight_requests > 0 and finished_at is not null))
      and not exists (select 1 from requests where crawl_id = crawls.id)`;
  const key = by === 'day' ? "date(day * 86400, 'unixepoch')" : KEYS[by];
  return $client
    .prepare<[object], RequestUsage>(
      `select ${key} as key, count(distinct sent.crawl_id) as crawls, sum(n) as requests,
         ${isDated ? 'null' : UNKNOWN} as unknownRequests, sum(failed) as failed, sum(notFound) as notFound,
         sum(bytes) as bytes,
         ${shareOf('new_items')} as newItems, ${shareOf('changes')} as changes
       from (${sent} ${isDated ? '' : `union all ${unrecorded}`}) sent left join crawls on crawls.id = sent.crawl_id
       group by 1 order by ${by === 'day' ? '1 desc' : 'requests desc, 1'}`,
    )
    .all(bound);
}

/** The share of a crawl's counter that falls to the counted requests. */
const shareOf = (column: string): string =>
  `cast(round(coalesce(sum(1.0 * crawls.${column} * n / max(crawls.requests, n)), 0)) as integer)`;
