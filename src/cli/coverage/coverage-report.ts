import type { DateWindow } from '../../engine/search/date-windows.ts';
import { isPagedKind } from '../../kinds/end-states.ts';
import type { CoverageRow, GapRow } from '../../store/coverage/intervals.ts';
import { describeReason } from '../targets/crawl-summary.ts';
import { pluralize } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { formatDay, formatMinute } from '../terminal/times.ts';
import { type ListCoverage, findSearchedParts } from './coverage-json.ts';

/** The coverage of one list as a time axis and as a table, within 80 columns. */

const CELLS = 54;
/** Cells of an axis for a gap without an end. */
const OPEN = 4;
const COMPLETE = '█';
const PARTLY = '▒';
const UNKNOWN = '·';

export const AXIS_LEGEND = `${COMPLETE} complete  ${PARTLY} partly  ${UNKNOWN} gap`;

/** Draws `2019-03-01 ····████▒██ 2025-01-31`, the oldest known time on the left. Undefined without intervals. */
export function drawAxis({ intervals, gaps }: ListCoverage): string | undefined {
  if (intervals.length === 0) return undefined;
  const from = Math.min(...intervals.map(({ oldestAt }) => oldestAt));
  const to = Math.max(...intervals.map(({ newestAt }) => newestAt));
  const step = Math.max(1, (to - from) / CELLS);
  const cells = Array.from({ length: CELLS }, (_, i) => {
    const start = from + i * step;
    const end = start + step;
    if (intervals.some((each) => each.oldestAt <= start && each.newestAt >= Math.min(end, to))) return COMPLETE;
    return intervals.some((each) => each.oldestAt < end && each.newestAt > start) ? PARTLY : UNKNOWN;
  });
  const isOpen = gaps.some(({ olderAt }) => olderAt === null);
  return `${formatDay(from)} ${isOpen ? UNKNOWN.repeat(OPEN) : ''}${cells.join('')} ${formatDay(to)}`;
}

const BOTTOMS = {
  served: 'to the end of the list',
  inferred: 'to an inferred end',
} as const;

const REASONS: Readonly<Record<string, string>> = {
  interrupted: 'interrupted',
  since: 'stopped at --since',
  one_page: 'the service shows one page only',
  max_pages: 'stopped at --max-pages',
  max_requests: 'the budget of the run was spent',
  saturated: 'a search shows no more of this day',
  rejected_items: 'an item was rejected',
  out_of_order: 'the list is not in order of time',
  cursor_refused: 'the service refused the cursor',
  cursor_unreadable: 'the cursor could not be read',
};

export const describeGap = ({ reason, crawlId }: Pick<GapRow, 'reason' | 'crawlId'>): string =>
  reason === 'open'
    ? `crawl ${crawlId} is unfinished`
    : (REASONS[reason] ?? describeReason({ reason, ending: null, error: null }));

/** A search closes no gap. */
function describeSearched({ olderAt, newerAt }: GapRow, parts: readonly DateWindow[]): string {
  const [first] = parts;
  if (first === undefined) return '';
  const isWhole = parts.length === 1 && first.from === olderAt && first.to === newerAt;
  return isWhole ? ', searched' : `, searched from ${formatDay(first.from)}${parts.length > 1 ? ' in parts' : ''}`;
}

/** A list without a documented cursor may continue. */
const describeListEnd = (kind: string, listEnd: NonNullable<CoverageRow['listEnd']>): string =>
  listEnd === 'served' && !isPagedKind(kind) ? 'to the last page shown' : BOTTOMS[listEnd];

const describeInterval = ({ kind, listEnd, pages }: CoverageRow): string =>
  `${pluralize(pages, 'page')}${listEnd === null ? '' : `, ${describeListEnd(kind, listEnd)}`}`;

export function formatCoverageTable({ intervals, gaps, searched }: ListCoverage): string {
  const lines = [
    ...intervals.map((each) => ({
      at: each.newestAt,
      cells: ['complete', formatMinute(each.oldestAt), formatMinute(each.newestAt), describeInterval(each)],
    })),
    ...gaps.map((gap) => ({
      at: gap.newerAt,
      cells: [
        'gap',
        gap.olderAt === null ? 'the beginning' : formatMinute(gap.olderAt),
        formatMinute(gap.newerAt),
        `${describeGap(gap)}${describeSearched(gap, findSearchedParts(gap, searched))}`,
      ],
    })),
  ].toSorted((a, b) => b.at - a.at);
  return renderTable(
    ['', 'from', 'to', ''],
    lines.map(({ cells }) => cells),
  );
}
