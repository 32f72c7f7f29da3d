import { formatScore, isComparedList, computeScore } from '#analysis/account-counts.ts';
import type {
  AccountCoverage,
  AccountListCoverage,
  OrderedListCoverage,
  TimeAxis,
  CountPair,
  Segment,
} from '#analysis/coverage/coverage-model.ts';
import type { EmptyList } from '#analysis/quality/empty-lists.ts';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { clipRanges, mergeRanges, type TimeRange } from '#base/time-ranges.ts';
import { formatEvidenceAge } from '#cli/shared/evidence-options.ts';
import {
  hint,
  formatCount,
  pluralize,
  getTerminalWidth,
  renderTable,
  formatAgo,
  formatDay,
  formatMinute,
} from '#cli/terminal/print.ts';
import { wrapIndented } from '#cli/terminal/wrap.ts';
import { CELL_LABELS, type CellState, divideIntoCells } from '#files/chart/coverage-cells.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { CoverageRow, GapRow } from '#store/coverage/intervals.ts';

/** The coverage of an account for a terminal: a bar and a table per list of tweets, a line per list of accounts. */

const DEFAULT_WIDTH = 80;
/** Narrower tables have days instead of minutes. */
const WIDTH_OF_MINUTES = 80;
/** The maximum number of segments of a list. */
const LISTED = 40;

type CountedListCoverage = OrderedListCoverage | AccountListCoverage;

export function formatAccountCoverage(
  coverage: AccountCoverage & Pick<StoredAccountCoverage, 'deletions'>,
  now: number,
): string {
  const { account, tweets, orderedLists, accountLists } = coverage;
  const { restId, screenName, unavailableAt } = account;
  const width = getTerminalWidth() ?? DEFAULT_WIDTH;
  const bars = orderedLists.flatMap(({ axis, segments }) => (axis ? [drawBar(axis, segments, width)] : []));
  const parts = [
    `${screenName ?? 'an account without a known handle'} (id ${restId})`,
    unavailableAt !== null && `The service answered on ${formatDay(unavailableAt)} that it does not have this account.`,
    ...orderedLists.map((list) => formatOrderedList(list, { restId, width, now })),
    bars.length > 0 && formatLegend(bars),
    accountLists.map((list) => formatTitle(list) + formatNotes(list)).join('\n'),
    `tweets: ${formatCount(tweets.stored)} stored, from all lists and searches`,
    renderCounts([...orderedLists, ...accountLists], now),
    `deletions:\n${wrapIndented(formatEvidenceAge(coverage.deletions))}`,
  ];
  return parts.filter((part) => part !== false).join('\n\n');
}

/** `timeline: 2 periods not complete`. */
const formatTitle = ({ kind, sentence }: CountedListCoverage): string => `${kind}: ${sentence}`;

/** The command that collects a list that was not; otherwise its stored and reported number, and further notes. */
function formatNotes({ command, counted, explanation }: CountedListCoverage, ...more: readonly string[]): string {
  const notes = command === null ? [counted, ...more, explanation] : [`${hint(command)} collects it`];
  return `\n${wrapIndented(notes.filter((note) => note !== '').join('\n'))}`;
}

function formatOrderedList(
  list: OrderedListCoverage,
  { restId, width, now }: { readonly restId: string; readonly width: number; readonly now: number },
): string {
  const { axis, segments } = list;
  if (axis === null) return formatTitle(list) + formatNotes(list);
  const created = axis.isFromKnown
    ? ''
    : `the creation of the account is unknown, and so is the time before ${formatDay(axis.from)}: ${hint('crawl', `profile id:${restId}`)} shows it`;
  const hidden = segments.length - LISTED;
  return [
    formatTitle(list),
    drawBar(axis, segments, width) + formatNotes(list, `last checked ${formatAgo(axis.to, now)}`, created),
    '',
    formatSegments(list, axis, width),
    ...(hidden > 0 ? [`and ${pluralize(hidden, 'older part')}; --json has all`] : []),
  ].join('\n');
}

/** The segments of a list, newest first. */
function formatSegments({ segments }: OrderedListCoverage, axis: TimeAxis, width: number): string {
  const formatTime = width < WIDTH_OF_MINUTES ? formatDay : formatMinute;
  const rows = segments
    .toReversed()
    .slice(0, LISTED)
    .map(({ from, to, sentence, crawlId }) => {
      const isBeginning = from === axis.from && !axis.isFromKnown;
      const crawl = crawlId === null ? '' : ` (crawl ${crawlId})`;
      return [isBeginning ? 'the beginning' : formatTime(from), formatTime(to), `${sentence}${crawl}`];
    });
  return renderTable(['from', 'to', ''], rows);
}

/** A share is that of the reported count, not of time. */
function renderCounts(lists: readonly CountedListCoverage[], now: number): string {
  const rows = lists.map(({ kind, stored, reported, reportedAt }) => [
    kind,
    stored,
    reported ?? (isComparedList(kind) ? 'unknown' : ''),
    formatScore({ stored, reported }),
    reportedAt === null ? '' : formatAgo(reportedAt, now),
  ]);
  return renderTable(['', 'stored', 'reported', 'share', 'as of'], rows);
}

/** The stored intervals and gaps of lists. */
export interface StoredIntervals {
  readonly intervals: readonly CoverageRow[];
  readonly gaps: readonly GapRow[];
  /** Ranges that were searched for the account's tweets. They close no gap. */
  readonly searched?: readonly TimeRange[];
}

/** An account with the coverage of its lists, and the rows behind it. */
export interface StoredAccountCoverage extends AccountCoverage, Pick<StoredIntervals, 'intervals' | 'gaps'> {
  readonly emptyLists: readonly EmptyList[];
  /** How old the evidence of deletions of its tweets is. */
  readonly deletions: EvidenceAge;
}

export const toCountsJson = (pair: CountPair) => ({ ...pair, score: computeScore(pair) });

export const toIntervalsJson = ({ intervals, gaps, searched = [] }: StoredIntervals) => ({
  intervals: intervals.map((interval) => ({
    kind: interval.kind,
    newestRestId: interval.newestRestId,
    newestAt: interval.newestAt,
    oldestRestId: interval.oldestRestId,
    oldestAt: interval.oldestAt,
    listEnd: interval.listEnd,
    crawlId: interval.crawlId,
    pages: interval.pages,
    items: interval.items,
    updatedAt: interval.updatedAt,
  })),
  gaps: gaps.map((gap) => ({
    kind: gap.kind,
    olderRestId: gap.olderRestId,
    olderAt: gap.olderAt,
    newerRestId: gap.newerRestId,
    newerAt: gap.newerAt,
    reason: gap.reason,
    crawlId: gap.crawlId,
    searched: findSearchedParts(gap, searched),
  })),
});

/** The searched parts of a gap, oldest first. */
const findSearchedParts = ({ kind, olderAt, newerAt }: GapRow, searched: readonly TimeRange[]): TimeRange[] =>
  getKind(kind).isSearchedInBackfill
    ? clipRanges(mergeRanges(searched), { from: olderAt ?? -Infinity, to: newerAt })
    : [];

/** The document of an account. */
export const toAccountJson = ({ account, tweets, orderedLists, accountLists, ...stored }: StoredAccountCoverage) => ({
  account,
  orderedLists,
  accountLists,
  ...toIntervalsJson(stored),
  deletions: stored.deletions,
  emptyLists: stored.emptyLists,
  counts: Object.fromEntries([
    ['tweets', tweets],
    ...[...orderedLists, ...accountLists].map(({ kind, stored, reported, reportedAt }) => [
      kind,
      toCountsJson({ stored, reported, reportedAt }),
    ]),
  ]),
});

/** The characters of a bar. They differ without colour; the table below the bar says the same in words. */
const SYMBOLS: Readonly<Record<CellState, string>> = {
  complete: '█',
  partly: '▒',
  gap: '·',
  searched: '-',
  pruned: 'x',
  unknown: '?',
  outside: ' ',
};

/** The narrowest and the widest bar with its dates, in columns. */
const [NARROWEST, WIDEST] = [60, 160];
/** The columns of a date and of the space beside it. */
const DATE = 11;

/**
 * Draws the axis of a list at its true scale: `2019-03-01 ····████▒██ 2025-01-31`.
 * @param width the columns of the terminal
 */
export function drawBar({ from, to }: TimeAxis, segments: readonly Segment[], width: number): string {
  const count = Math.min(WIDEST, Math.max(NARROWEST, width)) - 2 * DATE;
  const cells = divideIntoCells({ from, to }, segments, count);
  return `${formatDay(from)} ${cells.map((state) => SYMBOLS[state]).join('')} ${formatDay(to)}`;
}

/** Explains the characters of bars. */
export function formatLegend(bars: readonly string[]): string {
  const cells = bars.map((bar) => bar.slice(DATE, -DATE)).join('');
  return CELL_LABELS.filter(([state]) => cells.includes(SYMBOLS[state]))
    .map(([state, label]) => `${SYMBOLS[state]} ${label}`)
    .join('  ');
}
