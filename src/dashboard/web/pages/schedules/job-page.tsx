import { formatCount, pluralize } from '../../../../base/text.ts';
import { formatMinute } from '../../../../base/units.ts';
import type { JobData } from '../../../server/api/schedules.ts';
import { type FigureData, FigureList } from '../../components/figure-list.tsx';
import { DataPage } from '../../components/loaded.tsx';
import { PairList } from '../../components/pair-list.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { JobHistory } from './job-history-table.tsx';
import { NextRun } from './next-run.tsx';
import { RunBadge } from './run-badge.tsx';
import { formatYield } from './run-yield.ts';
import { describeWorkers, WorkerBanner } from './worker-state.tsx';

/** One job: its schedule, its runs and what its file says. */
export const JobPage = ({ job }: { readonly job: string }) => (
  <DataPage<JobData>
    path={`/api/schedules/${encodeURIComponent(job)}`}
    failure="This job cannot be shown."
    title={() => <bdi>{job}</bdi>}
    facts={({ line: { kind, targets } }) => [
      <>
        {kind}: <bdi>{targets}</bdi>
      </>,
      describeWorkers(),
    ]}
    links={() => (
      <>
        <a href="/schedules">All jobs</a>
        <a href={`/crawls?job=${encodeURIComponent(job)}`}>Crawls of all runs</a>
      </>
    )}
  >
    {(data) => <Content data={data} />}
  </DataPage>
);

const Content = ({ data }: { readonly data: JobData }) => {
  const { line, renames } = data;
  return (
    <>
      <WorkerBanner jobs={[line]} />
      {line.attention && (
        <p class={`banner ${line.attention.severity}`}>
          <strong>{line.attention.message}.</strong>
        </p>
      )}
      <FigureList figures={listFigures(data)} />
      <Panel id="runs" title="Runs" note="the latest first, UTC">
        <JobHistory line={line} />
      </Panel>
      <Definition data={data} />
      {renames.length > 0 && (
        <Panel id="renames" title="Renamed accounts">
          <ul>
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
};

function listFigures({ line, lastSuccessAt }: JobData): FigureData[] {
  const { totals } = line;
  const last = line.history.find((entry) => entry.type === 'run');
  return [
    { name: 'Next run (UTC)', value: <NextRun job={line} /> },
    {
      name: 'Last run',
      value: last ? <RunBadge outcome={last.outcome} /> : 'Never',
      note: last && (
        <>
          <TimeAgo at={last.at} />
          {lastSuccessAt !== null && last.outcome === 'failed' && (
            <>
              , last success <TimeAgo at={lastSuccessAt} />
            </>
          )}
        </>
      ),
    },
    {
      name: 'New per request',
      value: formatYield(totals),
      note: `${formatCount(totals.newItems)} new, ${formatCount(totals.changes)} changed with ${pluralize(totals.requests, 'request')}`,
    },
  ];
}

const Definition = ({ data: { line, definition, scheduledAt } }: { readonly data: JobData }) => {
  const next = line.nextAt.map(formatMinute).join(', ');
  const rows = [
    { name: 'Schedule', value: `${line.schedule} (in the file: ${line.pattern})` },
    { name: 'Next times (UTC)', value: line.isEnabled ? next || 'none' : 'none: the job is disabled' },
    { name: 'Scheduled', value: `since ${formatMinute(scheduledAt)} UTC` },
    ...definition,
  ];
  return (
    <Panel id="definition" title="Definition" note="from the job file, at the last synchronisation">
      <PairList pairs={rows} />
    </Panel>
  );
};
