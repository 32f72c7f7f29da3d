import type { JobLine, JobRun, ScheduleListData } from '../../../dashboard/api/schedules.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { BlockTable, type TableColumn } from '../../components/block-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useRead } from '../../live/use-read.ts';
import { NextRun } from './next-run.tsx';
import { OutcomeStrip } from './outcome-strip.tsx';
import { RunBadge } from './run-badge.tsx';
import { describeWorkers, WorkerBanner } from './worker-state.tsx';
import { formatYield } from './yield.ts';

/** All scheduled jobs with their next and last runs. */
export function JobListPage() {
  const { data, problem } = useRead<ScheduleListData>('/api/schedules');
  const workers = describeWorkers();
  return (
    <div class="page schedules-page">
      <header class="page-header">
        <h1>Schedules</h1>
        <p class="data-age">
          {data && <span>{describeJobs(data.jobs)}</span>}
          {workers !== undefined && <span>{workers}</span>}
        </p>
      </header>
      {problem && <ProblemBanner title="The schedule could not be read." problem={problem} />}
      {data && <WorkerBanner jobs={data.jobs} />}
      {data ? (
        <section class="panel" aria-label="Scheduled jobs">
          {data.jobs.length === 0 ? <NoJobs /> : <JobTable jobs={data.jobs} />}
        </section>
      ) : (
        problem === undefined && <p class="loading">Reading…</p>
      )}
    </div>
  );
}

function describeJobs(jobs: readonly JobLine[]): string {
  const disabled = jobs.filter(({ isEnabled }) => !isEnabled).length;
  return pluralize(jobs.length, 'job') + (disabled > 0 ? `, ${formatCount(disabled)} disabled` : '');
}

const NoJobs = () => (
  <EmptyState title="No scheduled jobs" action={<StoreCommand command="schedule sync jobs" />}>
    A job file describes crawls that are repeated, such as new tweets every morning. Write one into a folder, and let
    trawl read the folder; a worker (<StoreCommand command="work" />) then starts the runs.
  </EmptyState>
);

const COLUMNS: readonly TableColumn[] = [
  ['Job'],
  ['Schedule'],
  ['Next run (UTC)'],
  ['Last run'],
  ['Latest runs'],
  ['New per request', 'number'],
];

const JobTable = ({ jobs }: { readonly jobs: readonly JobLine[] }) => (
  <BlockTable class="job-table" caption="Scheduled jobs, those that need attention first" columns={COLUMNS}>
    {jobs.map((job) => (
      <JobRow key={job.name} job={job} />
    ))}
  </BlockTable>
);

function JobRow({ job }: { readonly job: JobLine }) {
  const { name, kind, targets, schedule, attention, history, totals } = job;
  const last = history.find((entry) => entry.type === 'run');
  return (
    <tr role="row" class={job.isEnabled ? '' : 'disabled'}>
      <th role="rowheader" scope="row" class="cell-job">
        <a href={`/schedules/${encodeURIComponent(name)}`}>
          <bdi>{name}</bdi>
        </a>
        <span class="job-targets muted">
          {kind}: <bdi>{targets}</bdi>
        </span>
        {attention && <span class={`job-attention ${attention.severity}`}>{attention.message}</span>}
      </th>
      <td role="cell" class="cell-schedule" data-label="Schedule">
        {schedule}
      </td>
      <td role="cell" class="cell-next" data-label="Next run">
        <NextRun job={job} />
      </td>
      <td role="cell" class="cell-last" data-label="Last run">
        {last ? <LastRun run={last} /> : <span class="muted">never</span>}
      </td>
      <td role="cell" class="cell-strip" data-label="Latest runs">
        {history.length > 0 && <OutcomeStrip history={history} />}
      </td>
      <td role="cell" class="number nowrap" data-label="New per request">
        {history.length > 0 && formatYield(totals)}
      </td>
    </tr>
  );
}

const LastRun = ({ run: { at, outcome, reason } }: { readonly run: JobRun }) => (
  <>
    <span class="last-run">
      <RunBadge outcome={outcome} />{' '}
      <span class="muted nowrap">
        <TimeAgo at={at} />
      </span>
    </span>
    {reason !== '' && (
      <bdi class="run-reason clamp-2" title={reason}>
        {reason}
      </bdi>
    )}
  </>
);
