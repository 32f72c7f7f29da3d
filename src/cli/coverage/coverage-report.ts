import { formatScore, isComparedList } from '../../analysis/account-counts.ts';
import type {
  AccountCoverage,
  AccountListCoverage,
  OrderedListCoverage,
  TimeAxis,
} from '../../analysis/coverage/coverage-model.ts';
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
