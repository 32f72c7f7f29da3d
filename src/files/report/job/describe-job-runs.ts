import { describeStopReason } from '../../../analysis/crawls/crawl-reasons.ts';
import { formatCount, pluralize } from '../../../base/text.ts';
import { formatPercent } from '../../../base/units.ts';
import type { CollectionSummary } from '../../export/collection.ts';
import { completePage } from '../complete-page.ts';
import { type Block, describeDays, type PageContent, type Text } from '../report-content.ts';
import type { ReportOrigin } from '../report.ts';
import type { AnsweredQuery } from '../run-queries.ts';
import { presentTable, type TablePresentation } from '../sections/query-blocks.ts';
import type { ReportedJob } from './read-job.ts';

/** The lists and other targets that the runs of a job crawled. */
export interface TargetCounts {
  readonly targets: number;
  /** Those whose newest crawl ended complete or capped. */
  readonly successfulTargets: number;
}

/** The data behind the report of a job. */
export interface JobReportData {
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
export function describeJob(data: JobReportData, origin: ReportOrigin): PageContent {
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
