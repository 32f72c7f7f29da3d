import type { CrawlSelection } from '../../../analysis/history/crawl-selection.ts';
import { isoTime } from '../../../analysis/sql/iso-time.ts';
import { formatSchedule } from '../../../crawl/jobs/describe-job.ts';
import { isEnabled, parseJob } from '../../../crawl/jobs/job.ts';
import type { Db } from '../../../store/sqlite/database.ts';

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
  const { definition, isKnown, ...runs } = $client
    .prepare<
      [object],
      Pick<ReportedJob, 'runs' | 'firstRunAt' | 'lastRunAt'> & { definition: string | null; isKnown: 0 | 1 }
    >(
      `select j.definition, count(r.id) as runs, ${isoTime('min(r.created_at)')} as firstRunAt,
         ${isoTime('max(r.created_at)')} as lastRunAt, j.name is not null or count(r.id) > 0 as isKnown
       from (select 1) left join _scheduled_jobs j on j.name = :name left join runs r on r.job_name = :name`,
    )
    .get({ name })!;
  if (!isKnown) return undefined;
  const job = definition === null ? undefined : parseJob({ job: definition });
  return {
    name,
    kind: job?.kind ?? null,
    recheck: job && 'recheck' in job.targets ? job.targets.recheck.items : null,
    schedule: job ? formatSchedule(job) : null,
    isEnabled: job ? isEnabled(job) : null,
    purpose: job?.purpose ?? null,
    ethicsRef: job?.ethicsRef ?? null,
    retention: job?.retention ?? null,
    ...runs,
  };
}

/** The crawls of the runs of a job, with their child crawls. */
export const selectJobCrawls = (name: string): CrawlSelection => ({
  sql: `select id from crawls where run_id in (select id from runs where job_name = :job)
union
select t.descendant_id from _crawl_tree t join crawls c on c.id = t.root_id
  where c.run_id in (select id from runs where job_name = :job)`,
  parameters: { job: name },
});
