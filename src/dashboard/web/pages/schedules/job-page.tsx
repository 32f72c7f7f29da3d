import { formatCount, pluralize } from '#base/text.ts';
import { formatMinute, formatDuration } from '#base/units.ts';
import type { JobData, JobHistoryEntry, JobLine, JobRun } from '#dashboard/server/api/schedules.ts';
import { type Column, DataTable } from '#dashboard/web/components/data-table.tsx';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { type FigureData, FigureList } from '#dashboard/web/components/figure-list.tsx';
import { DataPage } from '#dashboard/web/components/loaded.tsx';
import { PairList } from '#dashboard/web/components/pair-list.tsx';
import { Panel } from '#dashboard/web/components/panel.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { now } from '#dashboard/web/live/now.ts';
import { NextRun, describeWorkers, WorkerBanner, RunBadge, formatYield } from './job-list-page.tsx';

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

/** The runs of a job, and the times that were missed. */
const JobHistory = ({ line: { name, history, isEnabled } }: { readonly line: JobLine }) =>
  history.length === 0 ? (
    <EmptyState title="No run yet">
      {isEnabled ? (
        'The first run starts when it is due and a worker runs.'
      ) : (
        <>
          The job is disabled: it starts no runs until <code>enabled: false</code> is removed from its file and it is
          synchronised.
        </>
      )}
    </EmptyState>
  ) : (
    <DataTable
      caption={`Runs of ${name}, the latest first`}
      columns={listColumns(name)}
      rows={history}
      keyOf={(entry) => (entry.type === 'run' ? entry.id : entry.from)}
    />
  );

/** A column of runs: times that were missed have none of it. */
const ofRun =
  (render: (run: JobRun) => string | number): ((entry: JobHistoryEntry) => string | number) =>
  (entry) =>
    entry.type === 'run' ? render(entry) : '';

const listColumns = (job: string): readonly Column<JobHistoryEntry>[] => [
  ['Started', (entry) => (entry.type === 'run' ? formatMinute(entry.at) : formatRange(entry)), 'head nowrap'],
  ['Outcome', (entry) => <RunBadge outcome={entry.type === 'run' ? entry.outcome : 'missed'} />, 'bare'],
  [
    'Crawls',
    (entry) =>
      entry.type === 'run' && (
        <a
          href={`/crawls?job=${encodeURIComponent(job)}&run=${entry.id}`}
          aria-label={`${pluralize(entry.crawls, 'crawl')} of run ${entry.id}`}
        >
          {formatCount(entry.crawls)}
        </a>
      ),
    'number',
  ],
  ['Requests', ofRun(({ requests }) => formatCount(requests)), 'number'],
  ['New', ofRun(({ newItems }) => formatCount(newItems)), 'number'],
  ['Changed', ofRun(({ changes }) => formatCount(changes)), 'number'],
  ['New per request', ofRun(formatYield), 'number'],
  [
    'Duration',
    ofRun(({ outcome, at, finishedAt }) =>
      outcome === 'joined' ? '' : formatDuration(Math.max(0, (finishedAt ?? now.value) - at)),
    ),
    'number',
  ],
  ['Reason', (entry) => <bdi>{entry.type === 'run' ? entry.reason : describeMissed(entry)}</bdi>, 'reason bare'],
];

type Missed = Exclude<JobHistoryEntry, JobRun>;

const formatRange = ({ from, to }: Missed): string =>
  from === to ? formatMinute(from) : `${formatMinute(from)} to ${formatMinute(to)}`;

const describeMissed = ({ count, isBounded }: Missed): string =>
  `${isBounded ? 'More than ' : ''}${pluralize(count, 'run')} missed: no worker started them. One later run replaces them.`;
