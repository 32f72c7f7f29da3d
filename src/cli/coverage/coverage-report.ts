import type { DateWindow } from '../../engine/search/date-windows.ts';
import type { CoverageRow, GapRow } from '../../store/coverage/intervals.ts';
import { isPagedKind } from '../../store/evidence/end-states.ts';
import { describeReason } from '../shared/summary.ts';
import { pluralize } from '../terminal/format.ts';
import { renderTable } from '../terminal/table.ts';
import { formatDay, formatMinute } from '../terminal/times.ts';
import { type ListCoverage, findSearchedParts } from './coverage-json.ts';

/** The ledger of one list on a time axis, and in words, within 80 columns. */

const CELLS = 54;
/** What an axis shows of a gap that has no end. */
const OPEN = 4;
const COMPLETE = '█';
const PARTLY = '▒';
const UNKNOWN = '·';

export const AXIS_LEGEND = `${COMPLETE} complete  ${PARTLY} partly  ${UNKNOWN} gap`;

/** `2019-03-01 ····████▒██ 2025-01-31`: the oldest time that is known on the left. Undefined where nothing is known. */
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
  served: 'to the end',
  inferred: 'to an end that was inferred',
} as const;

const REASONS: Readonly<Record<string, string>> = {
  interrupted: 'interrupted',
  since: 'older was not wanted',
  one_page: 'the service shows one page',
  max_pages: 'stopped at --max-pages',
  max_requests: 'the budget of its run was spent',
  saturated: 'a search shows no more of that day',
  rejected_items: 'an item was set aside',
  out_of_order: 'the list is out of order',
  cursor_refused: 'the cursor was refused',
  cursor_unreadable: 'the cursor could not be read',
};

export const describeGap = ({ reason, crawlId }: Pick<GapRow, 'reason' | 'crawlId'>): string =>
  reason === 'open'
    ? `crawl ${crawlId} is to go on here`
    : (REASONS[reason] ?? describeReason({ reason, ending: null, error: null }));

/** Search proves nothing complete: the gap stays one. */
function searchedInWords({ olderAt, newerAt }: GapRow, seen: readonly DateWindow[]): string {
  const [first] = seen;
  if (first === undefined) return '';
  const isWhole = seen.length === 1 && first.from === olderAt && first.to === newerAt;
  return isWhole
    ? ', seen by search'
    : `, seen by search from ${formatDay(first.from)}${seen.length > 1 ? ' in parts' : ''}`;
}

/** What the service ended without a documented cursor may go on. */
const bottomInWords = (kind: string, bottom: NonNullable<CoverageRow['bottom']>): string =>
  bottom === 'served' && !isPagedKind(kind) ? 'to the last page that the service shows' : BOTTOMS[bottom];

const intervalInWords = ({ kind, bottom, pages }: CoverageRow): string =>
  `${pluralize(pages, 'page')}${bottom === null ? '' : `, ${bottomInWords(kind, bottom)}`}`;

/** Intervals and gaps in turn, newest first. */
export function formatCoverageTable({ intervals, gaps, searched }: ListCoverage): string {
  const lines = [
    ...intervals.map((each) => ({
      at: each.newestAt,
      cells: ['complete', formatMinute(each.oldestAt), formatMinute(each.newestAt), intervalInWords(each)],
    })),
    ...gaps.map((gap) => ({
      at: gap.newerAt,
      cells: [
        'gap',
        gap.olderAt === null ? 'the beginning' : formatMinute(gap.olderAt),
        formatMinute(gap.newerAt),
        `${describeGap(gap)}${searchedInWords(gap, findSearchedParts(gap, searched))}`,
      ],
    })),
  ].toSorted((a, b) => b.at - a.at);
  return renderTable(
    ['', 'from', 'to', ''],
    lines.map(({ cells }) => cells),
  );
}
