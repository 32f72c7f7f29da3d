import { HAS_FAILED, IS_NOT_FOUND } from '#analysis/crawls/request-outcomes.ts';
import type { CrawlSelection } from '#analysis/history/crawl-selection.ts';
import { isoTime } from '#analysis/sql/iso-time.ts';
import { END_STATES } from '#store/schema/tables/crawl-states.ts';
import type { Db } from '#store/sqlite/database.ts';

/** How the data of a report or a dataset was collected. Times are ISO 8601 in UTC. */
export interface CollectionSummary {
  /** The crawls by kind and endpoint, with their requests. */
  readonly kinds: readonly CollectionKind[];
  /** Requests that were sent, those of them that failed, and those that the service answered with 404. */
  readonly requests: number;
  readonly failedRequests: number;
  readonly notFoundRequests: number;
  /** The maximum number of requests that killed workers sent without a record. */
  readonly unknownRequests: number;
  readonly responseBytes: number;
  readonly firstRequestAt: string | null;
  readonly lastRequestAt: string | null;
  /** The versions, services and keys that the crawls recorded. */
  readonly sources: readonly CollectionSource[];
  /** The stored bodies of responses, and those with headers. */
  readonly bodies: number;
  readonly bodiesWithHeaders: number;
  /** Items that could not be read, and field values that were left out. */
  readonly rejectedItems: number;
  readonly droppedValues: number;
  /** The newest crawls, newest first. */
  readonly newest: readonly CollectionCrawl[];
  /** The jobs whose runs these crawls belong to. */
  readonly jobs: readonly CollectionJob[];
}

/** The crawls of a kind by their states, and their requests. */
export interface CollectionKind {
  readonly kind: string;
  readonly crawls: number;
  readonly complete: number;
  readonly capped: number;
  readonly partial: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly unfinished: number;
  readonly requests: number;
  readonly newItems: number;
  readonly firstRequestAt: string | null;
  readonly lastRequestAt: string | null;
}

export interface CollectionSource {
  readonly trawlVersion: string;
  readonly serviceHost: string;
  readonly keyLabel: string;
  readonly crawls: number;
  readonly firstUsedAt: string;
  readonly lastUsedAt: string;
}

export interface CollectionCrawl {
  readonly id: number;
  readonly kind: string;
  readonly target: string;
  readonly state: string;
  readonly reason: string | null;
  readonly requests: number;
  readonly newItems: number;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** A job whose crawls are in the data. Its statements are null if it has none, or is no longer scheduled. */
export interface CollectionJob {
  readonly name: string;
  readonly purpose: string | null;
  readonly ethicsRef: string | null;
  readonly retention: string | null;
}

/** What the end states of crawls mean. */
export const END_STATE_MEANINGS =
  'Complete: the service ended the list, and nothing was rejected. Capped: all that the service shows is stored, and more may exist. ' +
  'Partial, failed, cancelled: something is missing.';

/** The number of crawls that a report lists one by one. */
export const LISTED_CRAWLS = 25;

/** Reads how the data of some crawls was collected. */
export function readCollectionSummary({ $client }: Db, { sql, parameters }: CrawlSelection): CollectionSummary {
  const read = <T>(statement: string): T[] =>
    $client.prepare<[object], T>(`with listed(id) as materialized (\n${sql}\n)\n${statement}`).all(parameters);
  const [sent] = read<Omit<CollectionSummary, 'kinds' | 'sources' | 'newest' | 'jobs'>>(
    `select count(*) as requests, coalesce(sum(${HAS_FAILED}), 0) as failedRequests,
       coalesce(sum(${IS_NOT_FOUND}), 0) as notFoundRequests,
       coalesce(sum(r.response_bytes), 0) as responseBytes, ${isoTime('min(r.sent_at)')} as firstRequestAt,
       ${isoTime('max(r.sent_at)')} as lastRequestAt,
       (select coalesce(sum(c.unknown_requests + iif(c.finished_at is null, 0, c.in_flight_requests)), 0)
        from listed l join crawls c on c.id = l.id) as unknownRequests,
       (select count(*) from listed l join raw_pages p on p.crawl_id = l.id) as bodies,
       (select count(p.headers) from listed l join raw_pages p on p.crawl_id = l.id) as bodiesWithHeaders,
       (select count(*) from listed l join rejects j on j.crawl_id = l.id where j.resolved_at is null) as rejectedItems,
       (select coalesce(sum(d.occurrences), 0) from listed l join _dropped_fields d on d.crawl_id = l.id) as droppedValues
     from listed l join requests r on r.crawl_id = l.id`,
  );
  return {
    ...sent!,
    kinds: read(
      `select c.kind, count(*) as crawls,
         ${END_STATES.map((state) => `count(*) filter (where c.state = '${state}') as ${state}`).join(', ')},
         count(*) filter (where c.finished_at is null) as unfinished,
         sum((select count(*) from requests r where r.crawl_id = c.id)) as requests, sum(c.new_items) as newItems,
         ${isoTime('min((select min(sent_at) from requests r where r.crawl_id = c.id))')} as firstRequestAt,
         ${isoTime('max((select max(sent_at) from requests r where r.crawl_id = c.id))')} as lastRequestAt
       from listed l join crawls c on c.id = l.id group by c.kind order by c.kind`,
    ),
    sources: read(
      `select s.trawl_version as trawlVersion, s.service_host as serviceHost, s.key_label as keyLabel,
         count(*) as crawls, ${isoTime('min(s.first_used_at)')} as firstUsedAt, ${isoTime('max(s.last_used_at)')} as lastUsedAt
       from listed l join crawl_sources s on s.crawl_id = l.id group by 1, 2, 3 order by min(s.first_used_at), 1, 2, 3`,
    ),
    newest: read(
      `select c.id, c.kind, coalesce(c.handle, c.target) as target, c.state, c.reason,
         (select count(*) from requests r where r.crawl_id = c.id) as requests, c.new_items as newItems,
         ${isoTime('c.started_at')} as startedAt, ${isoTime('c.finished_at')} as finishedAt
       from listed l join crawls c on c.id = l.id order by c.id desc limit ${LISTED_CRAWLS}`,
    ),
    jobs: read(
      `select j.name, s.definition ->> '$.purpose' as purpose, s.definition ->> '$.ethicsRef' as ethicsRef,
         s.definition ->> '$.retention' as retention
       from (select distinct r.job_name as name from listed l join crawls c on c.id = l.id join runs r on r.id = c.run_id
         where r.job_name is not null) j left join _scheduled_jobs s on s.name = j.name order by 1`,
    ),
  };
}

/** The number of all crawls of a collection. */
export const countCrawls = ({ kinds }: Pick<CollectionSummary, 'kinds'>): number =>
  kinds.reduce((sum, { crawls }) => sum + crawls, 0);
