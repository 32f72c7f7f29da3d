import { formatCount } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import type { CrawlLine } from '#dashboard/server/api/overview.ts';
import { formatRest } from '#dashboard/web/format-numbers.ts';
import { now } from '#dashboard/web/live/now.ts';
import { type Column, DataTable, type TableOrder } from './data-table.tsx';
import { ShareBar } from './share-list.tsx';
import { StateBadge } from './state-badge.tsx';
import { TimeAgo } from './time-ago.tsx';

/** The address of the list with a crawl and its child crawls. */
export const hrefOfTree = (id: number): string => `/crawls?q=${encodeURIComponent(`#${id}`)}`;

/** The columns. @param own whether pages and requests are those of a crawl alone, without those of its child crawls */
const listColumns = (own: '' | 'Own '): readonly Column<CrawlLine>[] => [
  ['#', ({ id }) => id, 'number muted bare wide', 'id'],
  ['State', ({ state }) => <StateBadge state={state} />, 'bare'],
  ['Kind', ({ kind }) => kind, 'bare nowrap'],
  [
    'Target',
    ({ id, target, children }) => (
      <>
        <a href={`/crawls/${id}`} title={target}>
          <bdi class="clamp">{target}</bdi>
        </a>
        {children !== '' && <a href={hrefOfTree(id)}>{children}</a>}
      </>
    ),
    'head',
    'target',
  ],
  [own === '' ? 'Pages' : 'Own pages', (row) => <CrawlProgress row={row} />, 'pages', 'pages'],
  [
    'Started',
    ({ startedAt: at }) => (at === null ? <span class="muted">not yet</span> : <TimeAgo at={at} />),
    'nowrap',
    'started',
  ],
  [
    'Duration',
    ({ startedAt, finishedAt }) => startedAt !== null && formatDuration((finishedAt ?? now.value) - startedAt),
    'number',
    'duration',
  ],
  [own === '' ? 'Requests' : 'Own requests', ({ requests }) => formatCount(requests), 'number', 'requests'],
  ['Time remaining', ({ leftMs }) => leftMs !== null && formatDuration(leftMs), 'number'],
  ['Reason', (row) => <CrawlReason row={row} />, 'reason bare'],
];
const COLUMNS = { tree: listColumns(''), own: listColumns('Own ') } as const;

/** Crawls with their state, progress and reason. */
export const CrawlTable = (props: {
  readonly caption: string;
  readonly rows: readonly CrawlLine[];
  readonly counted: keyof typeof COLUMNS;
  readonly order?: TableOrder;
}) => (
  <DataTable
    caption={props.caption}
    columns={COLUMNS[props.counted]}
    rows={props.rows}
    keyOf={({ id }) => id}
    rowClass={({ state }) => state}
    order={props.order}
  />
);

/** Pages done, and how many were planned. */
function CrawlProgress({ row: { pages, plannedPages, finishedAt } }: { readonly row: CrawlLine }) {
  if (plannedPages === null || finishedAt !== null) return <>{formatCount(pages)}</>;
  const planned = Math.max(plannedPages, pages);
  return (
    <>
      <span class="nowrap">
        {formatCount(pages)}{' '}
        <span class="muted">
          of {pages > plannedPages ? 'more than ' : 'about '}
          {formatCount(plannedPages)}
        </span>
      </span>
      <ShareBar share={planned === 0 ? 0 : pages / planned} />
    </>
  );
}

/** Why a crawl is in its state, and when it resumes. */
export function CrawlReason({ row: { state, resumeAt, reason } }: { readonly row: CrawlLine }) {
  const isWaiting = state === 'paused' && resumeAt !== null && resumeAt > now.value;
  return (
    <bdi class="clamp-2" title={reason}>
      {reason}
      {isWaiting && `, resumes in ${formatRest(resumeAt, now.value)}`}
    </bdi>
  );
}
