import { describeStopReason } from '#analysis/crawls/end-reasons.ts';
import type { CrawlSelection } from '#analysis/history/crawl-selection.ts';
import { isoTime } from '#analysis/sql/iso-time.ts';
import { formatCount, pluralize } from '#base/text.ts';
import { formatPercent } from '#base/units.ts';
import { formatSchedule } from '#crawl/jobs/describe-job.ts';
import { isEnabled, parseJob } from '#crawl/jobs/job.ts';
import { readCollectionSummary, type CollectionSummary } from '#files/export/collection.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import type { Db } from '#store/sqlite/database.ts';
import { completePage } from './complete-page.ts';
import {
  type ReadOptions,
  type Report,
  type Block,
  describeDays,
  type PageContent,
  type Text,
  type ReportOrigin,
} from './report.ts';
import { type AnsweredQuery, listAnswers, prepareQueries, toObjects } from './run-queries.ts';
import { presentTable, type TablePresentation } from './sections/query-blocks.ts';

/** Reads the report of a job. Returns undefined if no job of this name was ever scheduled or run. */
export function readJobReport({ db, takenAt }: Snapshot, name: string, { catalogue }: ReadOptions): Report | undefined {
  const job = readJob(db, name);
  if (!job) return undefined;
  const run = prepareQueries(db, catalogue, takenAt);
  const answers = { 'job-runs': run('job-runs', { job: name }), 'job-targets': run('job-targets', { job: name }) };
  const counted = { ...job, ...countTargets(answers['job-targets']) };
  const data: JobReportData = { job: counted, answers, collection: readCollectionSummary(db, selectJobCrawls(name)) };
  return {
    data: { ...data, answers: listAnswers(answers) },
    queries: Object.values(answers),
    excluded: {},
    describe: (origin) => describeJob(data, origin),
  };
}

/** Counts the rows of `job-targets`, which has a list of an account once, however it was requested. */
function countTargets({ answer }: AnsweredQuery): TargetCounts {
  const successful = toObjects(answer).filter(({ state }) => state === 'complete' || state === 'capped');
  return { targets: answer.rows.length, successfulTargets: successful.length };
}

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
function readJob({ $client }: Db, name: string): ReportedJob | undefined {
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
const selectJobCrawls = (name: string): CrawlSelection => ({
  sql: `select id from crawls where run_id in (select id from runs where job_name = :job)
union
select t.descendant_id from _crawl_tree t join crawls c on c.id = t.root_id
  where c.run_id in (select id from runs where job_name = :job)`,
  parameters: { job: name },
});

/** The lists and other targets that the runs of a job crawled. */
interface TargetCounts {
  readonly targets: number;
  /** Those whose newest crawl ended complete or capped. */
  readonly successfulTargets: number;
}

/** The data behind the report of a job. */
interface JobReportData {
  readonly job: ReportedJob & TargetCounts;
  readonly collection: CollectionSummary;
  readonly answers: Readonly<Record<'job-runs' | 'job-targets', AnsweredQuery>>;
}

const TARGETS: TablePresentation = {
  title: 'Targets',
  columns: {
    target: 'Target',
    kind: 'Kind',
    state: 'State',
    reason: 'Reason',
    stored: 'Stored',
    reported: 'Reported',
    crawls: 'Crawls',
    finished_at: 'Ended',
  },
  caption: 'A row is a target with its newest crawl by this job. Other crawls may have collected more of it.',
  none: 'No run of the job has crawled a target.',
};

const RUNS: TablePresentation = {
  title: 'Runs',
  caption: 'A row is a run of the job. A crawl that several runs requested counts in the latest of them.',
  none: 'The job is scheduled, and has not run yet.',
  columns: {
    started_at: 'Begun',
    crawls: 'Crawls',
    complete: 'Complete',
    capped: 'Capped',
    partial: 'Partial',
    failed: 'Failed',
    unfinished: 'Unfinished',
    requests: 'Requests',
    new_items: 'New rows',
    error: 'Error',
  },
};

/** Returns the page of the report of a job. */
function describeJob(data: JobReportData, origin: ReportOrigin): PageContent {
  const { job, collection, answers } = data;
  const targets = presentTable(explainReasons(answers['job-targets']), TARGETS);
  return completePage(
    {
      kind: 'Job report',
      name: job.name,
      titleName: `Job ${job.name}`,
      lines: [describeSchedule(job)],
      sections: [
        { id: 'overview', title: 'Overview', blocks: describeOverview(data) },
        { id: 'targets', title: 'How complete it is', blocks: targets },
        { id: 'runs', title: 'Runs over time', blocks: presentTable(answers['job-runs'], RUNS) },
      ],
      cited: {
        title: `Microblog data that the job ${job.name} collected`,
        key: job.name,
        queries:
          collection.newest.length === 0 ? 'none' : `${job.kind ?? 'crawls'} of ${pluralize(job.targets, 'target')}`,
      },
    },
    collection,
    origin,
  );
}

function describeSchedule({ kind, recheck, schedule, isEnabled }: ReportedJob): string {
  if (kind === null) return 'This job is no longer scheduled: its file was removed.';
  const what = recheck === null ? `Crawls ${kind}` : `Checks stored ${recheck}`;
  return `${what} (${schedule})${isEnabled ? '' : ', disabled now'}.`;
}

function describeOverview({ job, collection }: JobReportData): Block[] {
  const { runs, targets, successfulTargets, firstRunAt, lastRunAt } = job;
  const newRows = collection.kinds.reduce((sum, { newItems }) => sum + newItems, 0);
  return [
    {
      type: 'tiles',
      tiles: [
        {
          label: 'Runs',
          value: formatCount(runs),
          detail: firstRunAt === null || lastRunAt === null ? 'none yet' : describeDays(firstRunAt, lastRunAt),
        },
        {
          label: 'Targets',
          value: formatCount(targets),
          share: targets === 0 ? undefined : successfulTargets / targets,
          detail:
            targets === 0
              ? 'none yet'
              : `of which ${formatCount(successfulTargets)} ended complete or capped (${formatPercent(successfulTargets / targets)})`,
        },
        { label: 'Requests', value: formatCount(collection.requests), detail: 'by its crawls' },
        { label: 'New rows', value: formatCount(newRows), detail: 'stored by its crawls' },
      ],
    },
    { type: 'facts', facts: listStatements(job) },
  ];
}

const listStatements = ({ purpose, ethicsRef, retention }: ReportedJob): (readonly [string, Text])[] =>
  (
    [
      ['Purpose', purpose],
      ['Approval', ethicsRef],
      ['Retention', retention],
    ] as const
  ).map(([label, text]) => [label, text === null ? 'The job does not state it.' : { name: text }]);

/** Returns the answer with its reasons in English. */
function explainReasons({ answer, ...answered }: AnsweredQuery): AnsweredQuery {
  const at = answer.columns.indexOf('reason');
  const rows = answer.rows.map((row) =>
    row.map((value, i) => (i === at && typeof value === 'string' ? describeStopReason(value) : value)),
  );
  return { ...answered, answer: { ...answer, rows } };
}
