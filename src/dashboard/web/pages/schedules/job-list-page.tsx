import { formatCount, pluralize, capitalise } from '#base/text.ts';
import { formatMinute, toIso } from '#base/units.ts';
import type { CrawlState } from '#dashboard/server/api/overview.ts';
import type { JobLine, ScheduleListData, JobRunOutcomeName, JobYield } from '#dashboard/server/api/schedules.ts';
import { type Column, DataTable } from '#dashboard/web/components/data-table.tsx';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { DataPage } from '#dashboard/web/components/loaded.tsx';
import { StateBadge } from '#dashboard/web/components/state-badge.tsx';
import { StoreCommand } from '#dashboard/web/components/store-command.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { formatAge, formatRest, formatUtc, formatFigure } from '#dashboard/web/format-numbers.ts';
import { overview } from '#dashboard/web/live/live-updates.ts';
import { now } from '#dashboard/web/live/now.ts';

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

/** The workers that start the runs, in words; false without any, which the banner says. */
export function describeWorkers(): string | false {
  const work = overview.value?.work;
  return work?.state === 'running' && capitalise(work.sentence);
}

/** Says why runs do not start: no worker is running, or the queue does not answer. Disabled jobs need neither. */
export function WorkerBanner({ jobs }: { readonly jobs: readonly Pick<JobLine, 'isEnabled'>[] }) {
  const work = overview.value?.work;
  if (!work || !jobs.some(({ isEnabled }) => isEnabled)) return null;
  if (work.state === 'unknown')
    return (
      <div class="banner error" role="alert">
        <strong>
          {work.label}: {work.sentence}.
        </strong>{' '}
        Jobs and runs are shown as the database has them. Due runs start when Redis is back.
      </div>
    );
  if (work.state === 'running') return null;
  return (
    <div class="banner warning">
      <strong>{capitalise(work.sentence)}.</strong> Runs start while <StoreCommand command="work" /> runs; missed runs
      are replaced by one run.
    </div>
  );
}

const MINUTE = 60_000;

/** When a job runs next, in UTC and from now. */
export function NextRun({ job: { isEnabled, dueAt, nextAt } }: { readonly job: JobLine }) {
  const [next] = nextAt;
  if (!isEnabled) return <span class="muted">Disabled</span>;
  if (dueAt !== null) {
    const isLate = overview.value?.work.workers === 0 && now.value - dueAt > MINUTE;
    return (
      <span class={isLate ? 'warn' : ''} title={formatUtc(dueAt)}>
        <span class="nowrap">Due since {formatMinute(dueAt)}</span>{' '}
        <span class="muted nowrap">{formatAge(dueAt, now.value)}</span>
      </span>
    );
  }
  if (next === undefined) return <span class="muted">No further run</span>;
  return (
    <time dateTime={toIso(next)} title={formatUtc(next)}>
      <span class="nowrap">{formatMinute(next)}</span>{' '}
      <span class="muted nowrap">in {formatRest(next, now.value)}</span>
    </time>
  );
}

/** The state of crawls that an outcome is like. */
const STATES: Readonly<Record<JobRunOutcomeName | 'missed', CrawlState>> = {
  succeeded: 'complete',
  partial: 'partial',
  failed: 'failed',
  cancelled: 'cancelled',
  unfinished: 'running',
  joined: 'cancelled',
  missed: 'partial',
};

/** The outcome of a run. */
export const RunBadge = ({ outcome }: { readonly outcome: keyof typeof STATES }) => (
  <StateBadge state={STATES[outcome]} label={outcome === 'joined' ? 'continued' : outcome} />
);

/** Formats new items and changes of known ones per request: `12.3`; a dash without a request. */
export function formatYield({ requests, newItems, changes }: JobYield): string {
  if (requests === 0) return '–';
  const value = (newItems + changes) / requests;
  return value > 0 && value < 0.05 ? '<0.1' : formatFigure(value);
}
