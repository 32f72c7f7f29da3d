import type { CrawlLine } from '../../../../dashboard/api/overview.ts';
import { formatCount } from '../../../../text.ts';
import { formatDuration } from '../../../../units.ts';
import { CrawlProgress, CrawlReason } from '../../../components/crawl-cells.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { TimeAgo } from '../../../components/time-ago.tsx';
import { now } from '../../../live/now.ts';

/** The columns of the list: title, class, and what it sorts by. */
export const COLUMNS = [
  ['#', 'number id', 'id'],
  ['State', 'cell-state', undefined],
  ['Kind', 'cell-kind', undefined],
  ['Target', 'cell-target', 'target'],
  ['Own pages', 'pages', 'pages'],
  ['Started', 'started', 'started'],
  ['Duration', 'number', 'duration'],
  ['Own requests', 'number', 'requests'],
  ['Reason', 'reason', undefined],
] as const;

/** The cells of a crawl. On a narrow screen they are lines of a block. */
export function CrawlRowCells({ row }: { readonly row: CrawlLine }) {
  const { id, state, kind, target, startedAt, finishedAt, requests, leftMs, parentId } = row;
  return (
    <>
      <span role="cell" class="number id muted">
        {id}
      </span>
      <span role="cell" class="cell-state">
        <StateBadge state={state} />
      </span>
      <span role="cell" class="cell-kind">
        {kind}
      </span>
      <span role="rowheader" class="cell-target">
        <a href={`/crawls/${id}`} title={target}>
          <bdi class="clamp">{target}</bdi>
        </a>
        {parentId !== null && <span class="muted child">child of {parentId}</span>}
      </span>
      <span role="cell" class="pages" data-label="Own pages">
        <CrawlProgress row={row} />
      </span>
      <span role="cell" class="started" data-label="Started">
        {startedAt === null ? <span class="muted">not yet</span> : <TimeAgo at={startedAt} />}
      </span>
      <span role="cell" class="number" data-label="Duration">
        {startedAt === null ? '' : formatDuration((finishedAt ?? now.value) - startedAt)}
      </span>
      <span role="cell" class="number" data-label="Own requests">
        {formatCount(requests)}
      </span>
      <span role="cell" class="reason">
        {leftMs !== null && <span>Time left {formatDuration(leftMs)}. </span>}
        <CrawlReason row={row} />
      </span>
    </>
  );
}
