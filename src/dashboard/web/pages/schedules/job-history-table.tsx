import { formatCount, pluralize } from '../../../../base/text.ts';
import { formatDuration, formatMinute } from '../../../../base/units.ts';
import type { JobHistoryEntry, JobLine, JobRun } from '../../../server/api/schedules.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { now } from '../../live/now.ts';
import { RunBadge } from './run-badge.tsx';
import { formatYield } from './run-yield.ts';

/** The runs of a job, and the times that were missed. */
export const JobHistory = ({ line: { name, history, isEnabled } }: { readonly line: JobLine }) =>
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
