import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import type {
  AccountListCoverage,
  CoverageSegment,
  ListKind,
  OrderedListCoverage,
} from '#analysis/coverage/coverage-model.ts';
import { readEvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { toSentence } from '#base/text.ts';
import type { AccountData, AccountListCoverageData, PeriodData } from '#dashboard/server/api/accounts.ts';
import { formatStoreCommand } from '#dashboard/server/reader/format-store-command.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';
import { drawCoverageAxis } from '#files/chart/coverage-axis.ts';
import { findRestId, readAccountLine } from './account-lines.ts';

/** Reads the page of an account, by `id:…` or its handle; undefined if the store does not have it. */
export function readAccountPage(
  { db, now, settings }: ReadContext,
  { parameters }: ReadRequest,
): AccountData | undefined {
  const restId = findRestId(db, parameters['account'] ?? '');
  const line = restId === undefined ? undefined : readAccountLine(db, restId);
  const coverage = restId === undefined ? undefined : prepareAccountCoverage(db)(restId);
  if (!line || !coverage) return undefined;
  const { account, orderedLists, accountLists } = coverage;
  const formatCommand = (command: string): string => formatStoreCommand(settings, command);
  const { sentence, command } = readEvidenceAge(db, { now, accountIds: [line.restId] });
  return {
    line,
    createdAt: account.createdAt,
    unavailableAt: account.unavailableAt,
    deletions: {
      text: `${toSentence(sentence)}.`,
      command: command === null ? null : formatCommand(command),
    },
    lists: [...orderedLists, ...accountLists].map((list) => toListData(list, formatCommand)),
  };
}

/** The widths of the drawings in pixels, and the number of periods that are listed. */
const [WIDE, NARROW] = [610, 320];
const LISTED = 50;
const HEADING = 'Coverage: periods collected without gaps';

/** Formats a command of an answer. */
type FormatCommand = (command: string) => string;

/** Returns what the page of an account shows of a list: the answer, and its axis as a drawing. */
function toListData(
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
