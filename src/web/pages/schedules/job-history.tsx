import { useRef, useState } from 'preact/hooks';
import type { JobData, JobHistoryEntry, JobRun } from '../../../dashboard/api/schedules.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { formatDuration } from '../../../units.ts';
import { BlockTable, type TableColumn } from '../../components/block-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { now } from '../../live/now.ts';
import { formatMinute } from './next-run.tsx';
import { RunBadge } from './run-badge.tsx';
import { formatYield } from './yield.ts';

const COLUMNS: readonly TableColumn[] = [
  ['Started'],
  ['Outcome'],
  ['Crawls', 'number'],
  ['Requests', 'number'],
  ['New', 'number'],
  ['Changed', 'number'],
  ['New per request', 'number'],
  ['Duration', 'number'],
  ['Reason'],
];

/** The rows that are shown at first. */
const FIRST_ROWS = 20;

/** The runs of a job, and the times that were missed. */
export function JobHistory({ data: { line, hasMore } }: { readonly data: JobData }) {
  const [isWhole, setWhole] = useState(false);
  const table = useRef<HTMLTableElement>(null);
  if (line.history.length === 0) return <NoRuns isEnabled={line.isEnabled} />;
  const runs = line.history.filter(({ type }) => type === 'run').length;
  const shown = isWhole ? line.history : line.history.slice(0, FIRST_ROWS);
  const showAll = (): void => {
    setWhole(true);
    // The button goes, and the focus would go with it.
    table.current?.focus();
  };
  return (
    <>
      <BlockTable
        class="run-table"
        caption={`Runs of ${line.name}, the latest first`}
        columns={COLUMNS}
        tableRef={table}
      >
        {shown.map((entry) => (
          <Row key={entry.type === 'run' ? entry.id : entry.from} entry={entry} job={line.name} />
        ))}
      </BlockTable>
      {shown.length < line.history.length ? (
        <p class="more">
          <button type="button" class="button" onClick={showAll}>
            Show {hasMore ? 'the latest' : 'all'} {pluralize(runs, 'run')}
          </button>
        </p>
      ) : (
        hasMore && (
          <p class="more">
            The latest {formatCount(runs)} runs. The crawls of all runs can be{' '}
            <a href={`/crawls?job=${encodeURIComponent(line.name)}`}>filtered by run</a>.
          </p>
        )
      )}
    </>
  );
}

const NoRuns = ({ isEnabled }: { readonly isEnabled: boolean }) => (
  <EmptyState title="No run yet">
    {isEnabled
      ? 'The first run starts when it is due and a worker runs.'
      : 'The job is disabled: it starts no runs until `enabled: false` is removed from its file and it is synchronised.'}
  </EmptyState>
);

function Row({ entry, job }: { readonly entry: JobHistoryEntry; readonly job: string }) {
  if (entry.type === 'run') return <RunRow run={entry} job={job} />;
  const { from, to, count, isBounded } = entry;
  const range = from === to ? formatMinute(from) : `${formatMinute(from)} to ${formatMinute(to)}`;
  return (
    <tr role="row" class="missed">
      <th role="rowheader" scope="row" class="cell-started">
        {range}
      </th>
      <td role="cell" class="cell-outcome">
        <RunBadge outcome="missed" />
      </td>
      <td role="cell" colSpan={COLUMNS.length - 2} class="cell-reason">
        {isBounded ? 'More than ' : ''}
        {pluralize(count, 'run')} missed: no worker started them. One later run replaces them.
      </td>
    </tr>
  );
}

function RunRow({ run, job }: { readonly run: JobRun; readonly job: string }) {
  const { id, at, finishedAt, outcome, reason, crawls, requests, newItems, changes } = run;
  return (
    <tr role="row">
      <th role="rowheader" scope="row" class="cell-started">
        <time dateTime={new Date(at).toISOString()}>{formatMinute(at)}</time>
      </th>
      <td role="cell" class="cell-outcome">
        <RunBadge outcome={outcome} />
      </td>
      <td role="cell" class="number" data-label="Crawls">
        {crawls === 0 ? (
          '0'
        ) : (
          <a
            href={`/crawls?job=${encodeURIComponent(job)}&run=${id}`}
            aria-label={`${pluralize(crawls, 'crawl')} of run ${id}`}
          >
            {formatCount(crawls)}
          </a>
        )}
      </td>
      <td role="cell" class="number" data-label="Requests">
        {formatCount(requests)}
      </td>
      <td role="cell" class="number" data-label="New">
        {formatCount(newItems)}
      </td>
      <td role="cell" class="number" data-label="Changed">
        {formatCount(changes)}
      </td>
      <td role="cell" class="number" data-label="New per request">
        {formatYield(run)}
      </td>
      <td role="cell" class="number nowrap" data-label="Duration">
        {outcome === 'joined' ? '' : formatDuration(Math.max(0, (finishedAt ?? now.value) - at))}
      </td>
      <td role="cell" class="cell-reason">
        <bdi>{reason}</bdi>
      </td>
    </tr>
  );
}
