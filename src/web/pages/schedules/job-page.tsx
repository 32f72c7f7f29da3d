import type { JobData, JobRun } from '../../../dashboard/api/schedules.ts';
import { formatCount } from '../../../text.ts';
import { formatDuration } from '../../../units.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { describeProblem } from '../../live/request-json.ts';
import { useRead } from '../../live/use-read.ts';
import { JobHistory } from './job-history.tsx';
import { formatMinute, NextRun } from './next-run.tsx';
import { RunBadge } from './run-badge.tsx';
import { describeWorkers, WorkerBanner } from './worker-state.tsx';
import { YieldChart } from './yield-chart.tsx';
import { formatYield } from './yield.ts';

/** One job: its schedule, its runs and what its file says. */
export function JobPage({ job }: { readonly job: string }) {
  const { data, problem } = useRead<JobData>(`/api/schedules/${encodeURIComponent(job)}`);
  return (
    <div class="page schedules-page">
      {data && problem && <ProblemBanner title="This page could not be updated." problem={problem} />}
      {data ? (
        <Content data={data} />
      ) : problem === undefined ? (
        <p class="loading">Reading…</p>
      ) : (
        <>
          <h1>Job</h1>
          <EmptyState title="This job cannot be shown" action={<a href="/schedules">Open the list of jobs</a>}>
            <bdi>{job}</bdi>: {describeProblem(problem)} A job without a file is removed when the schedule is
            synchronised.
          </EmptyState>
        </>
      )}
    </div>
  );
}

function Content({ data }: { readonly data: JobData }) {
  const { line, renames } = data;
  const workers = describeWorkers();
  return (
    <>
      <header class="page-header">
        <h1>
          <bdi>{line.name}</bdi>
        </h1>
        <p class="data-age">
          <span>
            {line.kind}: <bdi>{line.targets}</bdi>
          </span>
          {workers !== undefined && <span>{workers}</span>}
        </p>
      </header>
      <nav class="job-links" aria-label="Related pages">
        <a href="/schedules">All jobs</a>
        <a href={`/crawls?job=${encodeURIComponent(line.name)}`}>Crawls of all runs</a>
      </nav>
      <WorkerBanner jobs={[line]} />
      {line.attention && (
        <p class={`banner ${line.attention.severity}`}>
          <strong>{line.attention.message}.</strong>
        </p>
      )}
      <Figures data={data} />
      {line.history.length > 0 && (
        <Panel id="yield" title="New items and changes per request" note="by run, UTC">
          <YieldChart history={line.history} />
        </Panel>
      )}
      <Panel id="runs" title="Runs" note="the latest first, UTC">
        <JobHistory data={data} />
      </Panel>
      <Definition data={data} />
      {renames.length > 0 && (
        <Panel id="renames" title="Renamed accounts">
          <ul class="plain-list">
            {renames.map((rename) => (
              <li key={rename}>
                <bdi>{rename}</bdi>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function Figures({ data: { line, lastSuccessAt } }: { readonly data: JobData }) {
  const runs = line.history.filter((entry) => entry.type === 'run');
  const [last] = runs;
  const { totals } = line;
  return (
    <dl class="job-figures">
      <div class="panel">
        <dt>Next run (UTC)</dt>
        <dd class="job-figure">
          <NextRun job={line} />
        </dd>
      </div>
      <div class="panel">
        <dt>Last run</dt>
        <dd class="job-figure">{last ? <RunBadge outcome={last.outcome} /> : <span class="muted">never</span>}</dd>
        {last && (
          <dd class="muted">
            <TimeAgo at={last.at} />
            {lastSuccessAt !== null && last.outcome === 'failed' && (
              <>
                , last success <TimeAgo at={lastSuccessAt} />
              </>
            )}
          </dd>
        )}
      </div>
      <div class="panel">
        <dt>New per request</dt>
        <dd class="job-figure">{formatYield(totals)}</dd>
        <dd class="muted">
          {formatCount(totals.newItems)} new, {formatCount(totals.changes)} changed with {formatCount(totals.requests)}{' '}
          requests
        </dd>
      </div>
      <div class="panel">
        <dt>Duration</dt>
        <dd class="job-figure">{describeDuration(runs)}</dd>
        <dd class="muted">median of {formatCount(runs.filter(({ finishedAt }) => finishedAt !== null).length)} runs</dd>
      </div>
    </dl>
  );
}

/** The median duration of finished runs. */
function describeDuration(runs: readonly JobRun[]): string {
  const sorted = runs
    .flatMap(({ at, finishedAt }) => (finishedAt === null ? [] : [Math.max(0, finishedAt - at)]))
    .toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  return median === undefined ? '–' : formatDuration(median);
}

const Definition = ({ data: { line, definition, scheduledAt } }: { readonly data: JobData }) => (
  <Panel id="definition" title="Definition" note="from the job file, at the last synchronisation">
    <dl class="definition">
      <dt>Schedule</dt>
      <dd>
        {line.schedule} {line.pattern.toLowerCase() !== line.schedule.toLowerCase() && <code>{line.pattern}</code>}
      </dd>
      <dt>Next times (UTC)</dt>
      <dd>
        {line.isEnabled
          ? line.nextAt.length > 0
            ? line.nextAt.map(formatMinute).join(', ')
            : 'none'
          : 'none: the job is disabled'}
      </dd>
      <dt>Scheduled</dt>
      <dd>since {formatMinute(scheduledAt)} UTC</dd>
      {definition.map(({ name, value }) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name} value`}>
          <bdi>{value}</bdi>
        </dd>,
      ])}
    </dl>
  </Panel>
);
