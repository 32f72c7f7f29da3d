import { formatScore, isComparedList } from '../../analysis/account-counts.ts';
import type {
  AccountCoverage,
  AccountListCoverage,
  CoverageSegment,
  OrderedListCoverage,
  TimeAxis,
} from '../../analysis/coverage/coverage-model.ts';
import { describeDifference } from '../../analysis/coverage/differences.ts';
import { describeReason } from '../../analysis/coverage/reasons.ts';
import { quoteShellWord } from '../../base/text.ts';
import type { GapRow } from '../../store/coverage/intervals.ts';
import { formatEvidenceAge } from '../shared/evidence-options.ts';
import {
  hint,
  formatCount,
  pluralize,
  getTerminalWidth,
  renderTable,
  formatAgo,
  formatDay,
  formatMinute,
} from '../terminal/print.ts';
import { wrapIndented } from '../terminal/wrap.ts';
import { drawBar, formatLegend } from './coverage-bar.ts';
import type { StoredAccountCoverage } from './coverage-json.ts';

/** The coverage of an account for a terminal: a bar and a table per list of tweets, a line per list of accounts. */

const DEFAULT_WIDTH = 80;
/** Narrower tables have days instead of minutes. */
const WIDTH_OF_MINUTES = 80;
/** The maximum number of segments of a list. */
const LISTED = 40;

/** Describes the reason of a gap. */
export const describeGap = ({ reason, crawlId }: Pick<GapRow, 'reason' | 'crawlId'>): string =>
  reason === 'open' ? `crawl ${crawlId} is unfinished` : describeReason(reason);

type CountedListCoverage = OrderedListCoverage | AccountListCoverage;

/** What the texts about a list need besides the list. */
interface ReportContext {
  /** The account as an argument of a command. */
  readonly target: string;
  /** The columns of the terminal. */
  readonly width: number;
  readonly now: number;
}

export function formatAccountCoverage(
  coverage: AccountCoverage & Pick<StoredAccountCoverage, 'deletions'>,
  now: number,
): string {
  const { account, tweets, orderedLists, accountLists } = coverage;
  const { restId, screenName, unavailableAt } = account;
  const context: ReportContext = {
    target: quoteShellWord(screenName ?? `id:${restId}`),
    width: getTerminalWidth() ?? DEFAULT_WIDTH,
    now,
  };
  const bars = orderedLists.flatMap(({ axis, segments }) => (axis ? [drawBar(axis, segments, context.width)] : []));
  const parts = [
    `${screenName ?? 'an account without a known handle'} (id ${restId})`,
    unavailableAt !== null && `The service answered on ${formatDay(unavailableAt)} that it does not have this account.`,
    ...orderedLists.map((list) => formatOrderedList(list, context)),
    bars.length > 0 && formatLegend(bars),
    accountLists.map((list) => formatAccountList(list, context)).join('\n'),
    `tweets: ${formatCount(tweets.stored)} stored, from all lists and searches`,
    renderCounts([...orderedLists, ...accountLists], now),
    `deletions:\n${wrapIndented(formatEvidenceAge(coverage.deletions))}`,
  ];
  return parts.filter((part) => part !== false).join('\n\n');
}

function formatOrderedList(list: OrderedListCoverage, context: ReportContext): string {
  const { kind, state, axis, segments } = list;
  if (axis === null) return `${kind}: ${state === 'not collected' ? describeNotCollected(kind, context) : state}`;
  const { target, width, now } = context;
  const notes = [
    `last checked ${formatAgo(axis.to, now)}`,
    axis.isFromKnown
      ? ''
      : `the creation of the account is unknown, and so is the time before ${formatDay(axis.from)}: ${hint('crawl', `profile ${target}`)} shows it`,
    describeDifference(list),
  ];
  const hidden = segments.length - LISTED;
  return [
    `${kind}: ${describeCounts(list)}`,
    drawBar(axis, segments, width),
    wrapIndented(notes.filter((note) => note !== '').join('\n')),
    '',
    formatSegments(list, axis, width),
    ...(hidden > 0 ? [`and ${pluralize(hidden, 'older part')}; --json has all`] : []),
  ].join('\n');
}

function formatAccountList(list: AccountListCoverage, context: ReportContext): string {
  const { kind, state, asOf, reason } = list;
  if (state === 'not collected') return `${kind}: ${describeNotCollected(kind, context)}`;
  const why = reason === null ? '' : `: ${describeReason(reason)}`;
  const title = `${kind}: ${state} as of ${formatDay(asOf!)}${why}; ${describeCounts(list)}`;
  const difference = describeDifference(list);
  return difference === '' ? title : `${title}\n${wrapIndented(difference)}`;
}

const describeNotCollected = (kind: string, { target }: ReportContext): string =>
  `not collected; ${hint('crawl', `${kind} ${target}`)} collects it`;

/** `400 stored, 1,344 reported on 2025-01-31`. */
function describeCounts({ kind, stored, reported, reportedAt }: CountedListCoverage): string {
  if (!isComparedList(kind)) return `${formatCount(stored)} stored`;
  const on = reportedAt === null ? '' : ` on ${formatDay(reportedAt)}`;
  return `${formatCount(stored)} stored, ${reported === null ? 'none' : formatCount(reported)} reported${on}`;
}

/** The segments of a list, newest first. */
function formatSegments(list: OrderedListCoverage, axis: TimeAxis, width: number): string {
  const formatTime = width < WIDTH_OF_MINUTES ? formatDay : formatMinute;
  const rows = list.segments
    .toReversed()
    .slice(0, LISTED)
    .map((segment) => {
      const isBeginning = segment.from === axis.from && !axis.isFromKnown;
      const from = isBeginning ? 'the beginning' : formatTime(segment.from);
      return [segment.state, from, formatTime(segment.to), describeSegment(segment, list, axis)];
    });
  return renderTable(['', 'from', 'to', ''], rows);
}

function describeSegment(segment: CoverageSegment, list: OrderedListCoverage, axis: TimeAxis): string {
  const { state, from, reason, crawlId, pages, items, prunedAt } = segment;
  if (prunedAt !== undefined) {
    return `${pluralize(items, 'item')} of the list removed, the last on ${formatDay(prunedAt)}`;
  }
  if (state !== 'complete') return `${describeGap({ reason: reason!, crawlId: crawlId! })}${describeSearched(segment)}`;
  if (pages === 0) {
    const isEmpty = list.stored === 0 && !list.segments.some((other) => other.state === 'pruned');
    return isEmpty ? 'the list has no tweets' : '';
  }
  return `${pluralize(pages, 'page')}${from === axis.from ? ', to the end of the list' : ''}`;
}

/** A search closes no gap. */
function describeSearched({ from, to, searched }: CoverageSegment): string {
  const [first] = searched;
  if (first === undefined) return '';
  const isWhole = first.from === from && first.to === to;
  return isWhole ? ', searched' : `, searched from ${formatDay(first.from)}${searched.length > 1 ? ' in parts' : ''}`;
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
