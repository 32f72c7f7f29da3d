import { DAY } from '../../clock.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { Attribution } from './attributions.ts';
import { MAX_DISORDER_MS, findFirstIdSince } from './rates.ts';

/** What the quota was spent on: the account of requests, attributed to what they were sent for. */

/** What requests with something in common cost, and brought. */
export interface RequestUsage {
  /** What they have in common: a crawl's number, a kind, a class, a day, a job; null for requests of no job. */
  readonly key: string | number | null;
  /** Of a crawl: what it is. */
  readonly kind: string | null;
  readonly target: string | null;
  readonly handle: string | null;
  /** How many crawls they were sent for. */
  readonly crawls: number;
  readonly requests: number;
  /**
   * The most that killed workers may have sent beside them and not recorded. Null by day or since a time: when they were
   * sent is not known.
   */
  readonly unknown: number | null;
  /** Of these, those without an answer or with one that was no page. */
  readonly failed: number;
  readonly bytes: number;
  /**
   * Rows that the store did not have before. The store counts them by crawl: where only a part of a crawl's requests is
   * counted, each is taken to have brought as many.
   */
  readonly newItems: number;
  /** What was found otherwise than it was stored: changed users and tweets, ended edges, deleted tweets; counted likewise. */
  readonly changes: number;
}

/** A crawl stands for all that came of it: children are counted with the crawl that somebody asked for. */
const ROOT = 'coalesce(crawls.root_id, crawls.id)';

const KEYS: Readonly<Record<Exclude<Attribution, 'day'>, string>> = {
  crawl: ROOT,
  kind: 'crawls.kind',
  class: 'crawls.class',
  job: '(select job from runs where runs.id = crawls.run_id)',
};

/** The most requests of a crawl that are on no record: of killed workers, also where a cancelled crawl was theirs. */
const UNKNOWN = `sum(crawls.unknown_requests + case when crawls.finished_at is null then 0 else crawls.in_flight end)`;

/** The most requests that killed workers may have sent and not recorded, of all crawls. */
export const countUnknownRequests = ({ $client }: Db): number =>
  $client
    .prepare<[], number>(
      `select (select coalesce(sum(unknown_requests), 0) from crawls where unknown_requests > 0)
        + (select coalesce(sum(in_flight), 0) from crawls where in_flight > 0 and finished_at is not null)`,
    )
    .pluck()
    .get()!;

/** The spending by something, most first, or by day, the latest first. */
export function readUsage(db: Db, by: Attribution, since?: number): RequestUsage[] {
  const { $client } = db;
  const within = since === undefined ? '' : 'where requests.id >= @first and requests.at >= @since';
  const bound = since === undefined ? {} : { since, first: findFirstIdSince(db, since - MAX_DISORDER_MS) };
  const day = by === 'day' ? `, requests.at / ${DAY} as day` : '';
  // First by crawl, which the index over them gives in order; there are far fewer crawls than requests.
  const sent = `select crawl_id${day}, count(*) as n, sum(bytes) as bytes,
      count(*) filter (where status is null or status >= 400) as failed
    from requests ${within} group by crawl_id${by === 'day' ? ', day' : ''}`;
  const isDated = by === 'day' || since !== undefined;
  // A worker may have been killed before it recorded any.
  const unrecorded = `select id, 0, 0, 0 from crawls
    where (unknown_requests > 0 or (in_flight > 0 and finished_at is not null))
      and not exists (select 1 from requests where crawl_id = crawls.id)`;
  const key = by === 'day' ? "date(day * 86400, 'unixepoch')" : KEYS[by];
  const rows = $client
    .prepare<[object], Omit<RequestUsage, 'kind' | 'target' | 'handle'>>(
      `select ${key} as key, count(distinct sent.crawl_id) as crawls, sum(n) as requests,
         ${isDated ? 'null' : UNKNOWN} as unknown, sum(failed) as failed,
         sum(bytes) as bytes,
         ${shareOf('new_items')} as newItems, ${shareOf('changes')} as changes
       from (${sent} ${isDated ? '' : `union all ${unrecorded}`}) sent left join crawls on crawls.id = sent.crawl_id
       group by 1 order by ${by === 'day' ? '1 desc' : 'requests desc, 1'}`,
    )
    .all(bound);
  const name = $client.prepare<[unknown], { kind: string; target: string; handle: string | null }>(
    'select kind, target, handle from crawls where id = ?',
  );
  return rows.map((row) => ({ ...row, ...NAMELESS, ...(by === 'crawl' ? name.get(row.key) : {}) }));
}

/** Of what a crawl counted, the part that falls to these requests. */
const shareOf = (column: string): string =>
  `cast(round(coalesce(sum(1.0 * crawls.${column} * n / max(crawls.requests, n)), 0)) as integer)`;

const NAMELESS = { kind: null, target: null, handle: null };
