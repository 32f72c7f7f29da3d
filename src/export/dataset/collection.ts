import { END_STATES } from '../../store/schema/tables/crawl-states.ts';
import type { SelectionQuery } from '../selection.ts';
import type { Snapshot } from '../snapshot.ts';

/** How the data of a store was collected. Times are ISO 8601 in UTC. */
export interface Collection {
  readonly crawls: readonly KindCounts[];
  /** When the first crawl began and the last one ended; null without crawls. */
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** The services that were crawled, and the versions of trawl, as far as the crawls recorded them. */
  readonly hosts: readonly string[];
  readonly versions: readonly string[];
  readonly jobs: readonly CollectionJob[];
}

/** The crawls of a kind by their states, and their requests. */
export interface KindCounts {
  readonly kind: string;
  readonly crawls: number;
  readonly complete: number;
  readonly capped: number;
  readonly partial: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly unfinished: number;
  readonly requests: number;
}

/** A job whose crawls are in the data. Its statements are null if it has none, or is no longer scheduled. */
export interface CollectionJob {
  readonly name: string;
  readonly purpose: string | null;
  readonly ethicsRef: string | null;
  readonly retention: string | null;
}

/** Returns the statement that reads the statements of jobs (`CollectionJob`). @param names the query of their names, as `name` */
export const selectJobStatements = (names: string): string =>
  `select j.name, s.definition ->> '$.purpose' as purpose, s.definition ->> '$.ethicsRef' as ethicsRef,
     s.definition ->> '$.retention' as retention
   from (${names}) j left join _scheduled_jobs s on s.name = j.name order by 1`;

/** Reads how the data of some crawls was collected. @param crawls the statement of the table `crawls` of the dataset */
export function readCollection({ db }: Snapshot, crawls: SelectionQuery): Collection {
  const read = <T>(sql: string): T[] =>
    db.$client.prepare<[object], T>(`with listed as (${crawls.sql})\n${sql}`).all(crawls.parameters);
  const readNames = (column: string): string[] =>
    read<{ name: string }>(
      `select distinct ${column} as name from crawl_sources where crawl_id in (select id from listed) order by 1`,
    ).map(({ name }) => name);
  const [period] = read<{ firstAt: number | null; lastAt: number | null }>(
    'select min(started_at) as firstAt, max(coalesce(finished_at, started_at)) as lastAt from listed',
  );
  return {
    firstAt: toIso(period?.firstAt),
    lastAt: toIso(period?.lastAt),
    hosts: readNames('service_host'),
    versions: readNames('trawl_version'),
    crawls:
      read(`select kind, count(*) as crawls, ${END_STATES.map((state) => `count(*) filter (where state = '${state}') as ${state}`).join(', ')},
         count(*) filter (where finished_at is null) as unfinished, sum(requests) as requests
       from listed group by kind order by kind`),
    jobs: read(selectJobStatements('select distinct job as name from listed where job is not null')),
  };
}

const toIso = (time: number | null | undefined): string | null => (time == null ? null : new Date(time).toISOString());

/** The lists of a kind, those with evidence of completeness, and the intervals and gaps of all of them. */
export interface ListCounts {
  readonly kind: string;
  readonly lists: number;
  readonly complete: number;
  readonly intervals: number;
  readonly gaps: number;
  /** The items that were removed from them. */
  readonly pruned: number;
}

/** Counts lists. @param completeness the statement of the table `completeness` of the dataset */
export const countLists = ({ db }: Snapshot, completeness: SelectionQuery): ListCounts[] =>
  db.$client
    .prepare<[object], ListCounts>(
      `select kind, count(*) as lists, sum(is_complete) as complete, sum(intervals) as intervals, sum(gaps) as gaps,
         sum(pruned) as pruned
       from (${completeness.sql}) group by kind order by kind`,
    )
    .all(completeness.parameters);
