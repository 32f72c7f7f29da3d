import type {
  AccountListCoverage,
  CoverageSegment,
  ListKind,
  OrderedListCoverage,
} from '../../../../analysis/coverage/coverage-model.ts';
import { drawCoverageAxis } from '../../../../files/chart/coverage-axis.ts';
import type { AccountListCoverageData, PeriodData } from '../../api/accounts.ts';

/** The widths of the drawings in pixels, and the number of periods that are listed. */
const [WIDE, NARROW] = [610, 320];
const LISTED = 50;
const HEADING = 'Coverage: periods collected without gaps';

/** Formats a command of an answer. */
type FormatCommand = (command: string) => string;

/** Returns what the page of an account shows of a list: the answer, and its axis as a drawing. */
export function toListData(
  list: OrderedListCoverage | AccountListCoverage,
  formatCommand: FormatCommand,
): AccountListCoverageData {
  const { kind, label, sentence, counted, difference, command } = list;
  const { axis, segments } = 'segments' in list ? list : { axis: null, segments: [] };
  const draw = (width: number): string =>
    drawCoverageAxis({ axis: axis!, segments, label }, { width, heading: HEADING });
  return {
    kind,
    label,
    sentence,
    counted,
    difference: difference.map(({ text }) => text),
    command: command === null ? null : formatCommand(command),
    axis: axis && { wide: draw(WIDE), narrow: draw(NARROW) },
    periods: segments
      .toReversed()
      .slice(0, LISTED)
      .map((segment) => toPeriod(segment, kind)),
    periodCount: segments.length,
  };
}

const toPeriod = ({ from, to, state, sentence, crawlId }: CoverageSegment, kind: ListKind): PeriodData => ({
  from,
  to,
  sentence,
  crawlId,
  isComplete: state === 'complete',
  isBackfillable: kind === 'timeline' && (state === 'gap' || state === 'unknown'),
});
