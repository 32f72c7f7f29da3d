import { isComparedList } from '../../../../analysis/account-counts.ts';
import type {
  AccountListCoverage,
  CountComparison,
  CoverageSegment,
  OrderedListCoverage,
  SegmentState,
} from '../../../../analysis/coverage/coverage-model.ts';
import { describeReason } from '../../../../analysis/coverage/reasons.ts';
import { capitalise, pluralize } from '../../../../base/text.ts';
import { drawCoverageAxis } from '../../../../files/chart/coverage-axis.ts';
import type { AccountListCoverageData, PeriodData } from '../../api/accounts.ts';

/** The widths of the drawings in pixels, and the number of periods that are listed. */
const [WIDE, NARROW] = [610, 320];
const LISTED = 50;
const HEADING = 'Coverage: periods collected without gaps';

/** Returns the command that collects a list of the account. */
type ToCommand = (kind: string) => string;
type Kind = (OrderedListCoverage | AccountListCoverage)['kind'];

/** The titles of the lists of an account. */
export const LIST_TITLES: Readonly<Record<Kind, string>> = {
  timeline: 'Original tweets',
  replies: 'Tweets and replies',
  followers: 'Followers',
  following: 'Followed accounts',
};

/** Returns the tweets of an account, with or without replies, in words and as a drawing. */
export function describeOrderedList(list: OrderedListCoverage, toCommand: ToCommand): AccountListCoverageData {
  const { kind, state, axis, segments } = list;
  const drawn = axis && { axis, segments, label: LIST_TITLES[kind] };
  const draw = (width: number): string => drawCoverageAxis(drawn!, { width, heading: HEADING });
  return {
    ...describeCounts(list, toCommand),
    state: state === 'collected' ? describeSegments(segments) : capitalise(state),
    asOf: null,
    axis: drawn && { wide: draw(WIDE), narrow: draw(NARROW) },
    periods: segments
      .toReversed()
      .slice(0, LISTED)
      .map((segment) => toPeriod(segment, kind)),
    periodCount: segments.length,
  };
}

/** Returns the followers of an account, or the accounts that it follows, in words. */
export function describeAccountList(list: AccountListCoverage, toCommand: ToCommand): AccountListCoverageData {
  const { state, reason, asOf } = list;
  const why = state === 'incomplete' && reason !== null ? `: ${describeReason(reason)}` : '';
  return {
    ...describeCounts(list, toCommand),
    state: state === 'incomplete' && reason === 'erased' ? `Erased${why}` : `${capitalise(state)}${why}`,
    asOf,
    axis: null,
    periods: [],
    periodCount: 0,
  };
}

function describeCounts(
  { kind, state, ...counts }: CountComparison & { kind: Kind; state: string },
  toCommand: ToCommand,
) {
  const { stored, reported, reportedAt, difference } = counts;
  return {
    kind,
    title: LIST_TITLES[kind],
    stored,
    isCompared: isComparedList(kind),
    reported,
    reportedAt,
    difference: difference.map(({ text }) => text),
    command: state === 'not collected' ? toCommand(kind) : null,
  };
}

function describeSegments(segments: readonly CoverageSegment[]): string {
  const open = segments.filter(({ state }) => state !== 'complete').length;
  return open === 0 ? 'Complete' : `${pluralize(open, 'period')} not complete`;
}

const STATES: Readonly<Record<SegmentState, string>> = {
  complete: 'Complete',
  gap: 'Not collected',
  unknown: 'Not known',
  pruned: 'Pruned',
};

const toPeriod = ({ from, to, state, reason, crawlId }: CoverageSegment, kind: Kind): PeriodData => ({
  from,
  to,
  crawlId,
  isComplete: state === 'complete',
  isBackfillable: kind === 'timeline' && (state === 'gap' || state === 'unknown'),
  state: reason === null || state === 'pruned' ? STATES[state] : `${STATES[state]}: ${describeReason(reason)}`,
});
