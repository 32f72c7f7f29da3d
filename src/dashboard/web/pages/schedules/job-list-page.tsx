import { formatCount, pluralize } from '../../../../base/text.ts';
import type { JobLine, ScheduleListData } from '../../../server/api/schedules.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { DataPage } from '../../components/loaded.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { NextRun } from './next-run.tsx';
import { RunBadge } from './run-badge.tsx';
import { formatYield } from './run-yield.ts';
import { describeWorkers, WorkerBanner } from './worker-state.tsx';

/** All scheduled jobs with their next and last runs. */
export const JobListPage = () => (
  <DataPage<ScheduleListData>
    path="/api/schedules"
    failure="The schedule could not be read."
    title={() => 'Schedules'}
    facts={({ jobs }) => [describeJobs(jobs), describeWorkers()]}
  >
    {({ jobs }) => (
      <>
        <WorkerBanner jobs={jobs} />
        <section class="panel" aria-label="Scheduled jobs">
          {jobs.length === 0 ? (
            <NoJobs />
          ) : (
            <DataTable
              caption="Scheduled jobs, those that need attention first"
              columns={COLUMNS}
              rows={jobs}
              keyOf={({ name }) => name}
            />
          )}
        </section>
      </>
    )}
  </DataPage>
);

function describeJobs(jobs: readonly JobLine[]): string {
  const disabled = jobs.filter(({ isEnabled }) => !isEnabled).length;
  return pluralize(jobs.length, 'job') + (disabled > 0 ? `, ${formatCount(disabled)} disabled` : '');
}

const NoJobs = () => (
  <EmptyState title="No scheduled jobs" command="schedule sync jobs">
    A job file describes crawls that are repeated, such as new tweets every morning. Write one into a folder, and let
    trawl read the folder; a worker (<StoreCommand command="work" />) then starts the runs.
  </EmptyState>
);

const COLUMNS: readonly Column<JobLine>[] = [
  [
    'Job',
    ({ name, kind, targets, attention }) => (
      <>
        <a href={`/schedules/${encodeURIComponent(name)}`}>
          <bdi>{name}</bdi>
        </a>
        <p class="muted">
          {kind}: <bdi>{targets}</bdi>
        </p>
        {attention && <p class={attention.severity === 'error' ? 'bad' : 'warn'}>{attention.message}</p>}
      </>
    ),
    'head',
  ],
  ['Schedule', ({ schedule }) => schedule],
  ['Next run (UTC)', (job) => <NextRun job={job} />],
  ['Last run', (job) => <LastRun job={job} />],
  ['New per request', ({ totals }) => formatYield(totals), 'number'],
];

function LastRun({ job: { history } }: { readonly job: JobLine }) {
  const last = history.find((entry) => entry.type === 'run');
  if (!last) return <span class="muted">never</span>;
  return (
    <>
      <RunBadge outcome={last.outcome} />{' '}
      <span class="muted nowrap">
        <TimeAgo at={last.at} />
      </span>
      <p class="muted">
        <bdi>{last.reason}</bdi>
      </p>
    </>
  );
}
