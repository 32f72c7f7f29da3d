import type { CrawlLine } from '../../dashboard/api/overview.ts';
import { formatCount } from '../../text.ts';
import { formatDuration } from '../../units.ts';
import { now } from '../live/now.ts';
import { BlockTable, type TableColumn } from './block-table.tsx';
import { CrawlProgress, CrawlReason } from './crawl-cells.tsx';
import { StateBadge } from './state-badge.tsx';
import { TimeAgo } from './time-ago.tsx';

/** Whether pages and requests are those of a crawl alone, or also those of its child crawls. */
type Counted = 'own' | 'tree';

const COLUMNS: readonly TableColumn[] = [
  ['#', 'number id'],
  ['State'],
  ['Kind'],
  ['Target'],
  ['Pages', 'pages'],
  ['Started'],
  ['Duration', 'number'],
  ['Requests', 'number'],
  ['Time left', 'number'],
  ['Reason', 'reason'],
];

/** Crawls with their state, progress and reason. */
export const CrawlTable = (props: {
  readonly caption: string;
  readonly rows: readonly CrawlLine[];
  readonly counted: Counted;
}) => (
  <BlockTable
    class="crawl-table"
    caption={props.caption}
    columns={COLUMNS.map(([title, className]) => [formatTitle(title, props.counted), className])}
  >
    {props.rows.map((row) => (
      <Row key={row.id} row={row} counted={props.counted} />
    ))}
  </BlockTable>
);

const formatTitle = (name: string, counted: Counted): string =>
  counted === 'own' && ['Pages', 'Requests'].includes(name) ? `Own ${name.toLowerCase()}` : name;

function Row({ row, counted }: { readonly row: CrawlLine; readonly counted: Counted }) {
  const { id, state, kind, target, startedAt, requests, leftMs } = row;
  return (
    <tr role="row" class={state}>
      <td role="cell" class="number id muted">
        {id}
      </td>
      <td role="cell" class="cell-state">
        <StateBadge state={state} />
      </td>
      <td role="cell" class="cell-kind">
        {kind}
      </td>
      <th role="rowheader" scope="row" class="cell-target">
        <a href={`/crawls/${id}`} title={target}>
          <bdi class="clamp">{target}</bdi>
        </a>
      </th>
      <td role="cell" class="pages" data-label={formatTitle('Pages', counted)}>
        <CrawlProgress row={row} />
      </td>
      <td role="cell" class="nowrap" data-label="Started">
        {startedAt === null ? <span class="muted">not yet</span> : <TimeAgo at={startedAt} />}
      </td>
      <td role="cell" class="number nowrap" data-label="Duration">
        {startedAt === null ? '' : formatDuration((row.finishedAt ?? now.value) - startedAt)}
      </td>
      <td role="cell" class="number" data-label={formatTitle('Requests', counted)}>
        {formatCount(requests)}
      </td>
      <td role="cell" class="number nowrap" data-label="Time left">
        {leftMs === null ? '' : formatDuration(leftMs)}
      </td>
      <td role="cell" class="reason" data-label="Reason">
        <CrawlReason row={row} />
      </td>
    </tr>
  );
}
