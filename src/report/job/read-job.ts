import type { CrawlSelection } from '../../analysis/history/crawl-selection.ts';
import { isoTime } from '../../analysis/sql/iso-time.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The job of a report, as the store knows it. Times are ISO 8601 in UTC. */
export interface ReportedJob {
  readonly name: string;
  /** Null if the job is no longer scheduled: its file was removed. */
  readonly kind: string | null;
  /** What a job checks that crawls nothing else. */
  readonly recheck: 'tweets' | 'users' | null;
  readonly schedule: string | null;
  readonly isEnabled: boolean | null;
  readonly purpose: string | null;
  readonly ethicsRef: string | null;
  readonly retention: string | null;
  readonly runs: number;
  readonly firstRunAt: string | null;
  readonly lastRunAt: string | null;
}

/** Reads the job of a report. Returns undefined if no job of this name was ever scheduled or run. */
export function readJob({ $client }: Db, name: string): ReportedJob | undefined {
  const row = $client
    .prepare<[object], Omit<ReportedJob, 'isEnabled' | 'schedule'> & { definition: string | null; isKnown: 0 | 1 }>(
      `select :name as name, j.definition, j.definition ->> '$.kind' as kind, 
         j.definition ->> '$.targets.recheck.items' as recheck, j.definition ->> '$.purpose' as purpose,
         j.definition ->> '$.ethicsRef' as ethicsRef, j.definition ->> '$.retention' as retention,
         count(r.id) as runs, ${isoTime('min(r.created_at)')} as firstRunAt, ${isoTime('max(r.created_at)')} as lastRunAt,
         j.name is not null or count(r.id) > 0 as isKnown
       from (select 1) left join _scheduled_jobs j on j.name = :name left join runs r on r.job_name = :name`,
    )
    .get({ name })!;
  const { definition, isKnown, ...job } = row;
  if (!isKnown) return undefined;
  const { schedule, enabled } = (definition === null ? {} : JSON.parse(definition)) as {
    schedule?: { cron?: string; timezone?: string; every?: string };
    enabled?: boolean;
  };
  return {
    ...job,
    isEnabled: definition === null ? null : enabled !== false,
    schedule: schedule === undefined ? null : describeSchedule(schedule),
  };
}

const describeSchedule = (schedule: Readonly<Record<string, unknown>>): string =>
  Object.entries(schedule)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');

/** The crawls of the runs of a job, with their child crawls. */
export const selectJobCrawls = (name: string): CrawlSelection => ({
  sql: `select id from crawls where run_id in (select id from runs where job_name = :job)
union
select t.descendant_id from _crawl_tree t join crawls c on c.id = t.root_id
  where c.run_id in (select id from runs where job_name = :job)`,
  parameters: { job: name },
});
