import { type CountPair, computeScore } from '../../analysis/account-counts.ts';
import type {
  AccountCoverage,
  AccountListCoverage,
  CountComparison,
  CoverageSegment,
  OrderedListCoverage,
} from '../../analysis/coverage/coverage-model.ts';
import { describeReason, isCollectableReason } from '../../analysis/coverage/reasons.ts';
import type { EmptyList } from '../../analysis/quality/empty-lists.ts';
import type { EvidenceAge } from '../../analysis/recheck/evidence-age.ts';
import { clipRanges, mergeRanges, type TimeRange } from '../../base/time-ranges.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import type { CoverageRow, GapRow } from '../../store/coverage/intervals.ts';
import { toIso } from '../terminal/print.ts';

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

export const toTimeRangeJson = ({ from, to }: TimeRange) => ({ from: toIso(from), to: toIso(to) });

export const toCountsJson = (pair: CountPair) => ({
  ...pair,
  score: computeScore(pair),
  reportedAt: pair.reportedAt,
});

export const toIntervalsJson = ({ intervals, gaps, searched = [] }: StoredIntervals) => ({
  intervals: intervals.map((interval) => ({
    kind: interval.kind,
    oldestRestId: interval.oldestRestId,
    oldestAt: interval.oldestAt,
    newestRestId: interval.newestRestId,
    newestAt: interval.newestAt,
    listEnd: interval.listEnd,
    pages: interval.pages,
    items: interval.items,
    crawlId: interval.crawlId,
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
    searched: findSearchedParts(gap, searched).map(toTimeRangeJson),
  })),
});

/** The searched parts of a gap, oldest first. */
const findSearchedParts = ({ kind, olderAt, newerAt }: GapRow, searched: readonly TimeRange[]): TimeRange[] =>
  getKind(kind).isSearchedInBackfill
    ? clipRanges(mergeRanges(searched), { from: olderAt ?? -Infinity, to: newerAt })
    : [];

/** The document of an account. */
export const toAccountJson = ({ account, tweets, orderedLists, accountLists, ...stored }: StoredAccountCoverage) => ({
  account: {
    ...account,
    createdAt: account.createdAt,
    unavailableAt: account.unavailableAt,
  },
  orderedLists: orderedLists.map(toOrderedListJson),
  accountLists: accountLists.map(toAccountListJson),
  ...toIntervalsJson(stored),
  deletions: stored.deletions,
  emptyLists: stored.emptyLists.map(({ finishedAt, ...list }) => ({ ...list, finishedAt: toIso(finishedAt) })),
  counts: Object.fromEntries([
    ['tweets', tweets],
    ...[...orderedLists, ...accountLists].map(({ kind, stored, reported, reportedAt }) => [
      kind,
      toCountsJson({ stored, reported, reportedAt }),
    ]),
  ]),
});

const toComparisonJson = ({ stored, reported, reportedAt, difference }: CountComparison) => ({
  stored,
  reported,
  reportedAt: toIso(reportedAt),
  difference,
});

const toOrderedListJson = ({ kind, state, axis, segments, ...counts }: OrderedListCoverage) => ({
  kind,
  state,
  axis: axis && {
    ...toTimeRangeJson(axis),
    isFromKnown: axis.isFromKnown,
  },
  segments: segments.map(toSegmentJson),
  ...toComparisonJson(counts),
});

const toSegmentJson = ({ from, to, state, reason, crawlId, pages, items, searched, prunedAt }: CoverageSegment) => ({
  ...toTimeRangeJson({
    from,
    to,
  }),
  state,
  ...toReasonJson(reason),
  crawlId,
  pages,
  items,
  searched: searched.map(toTimeRangeJson),
  ...(prunedAt === undefined ? {} : { prunedAt: toIso(prunedAt) }),
});

const toAccountListJson = ({ kind, state, asOf, reason, ...counts }: AccountListCoverage) => ({
  kind,
  state,
  asOf: toIso(asOf),
  ...toReasonJson(reason),
  ...toComparisonJson(counts),
});

const toReasonJson = (reason: string | null) => ({
  reason,
  description: reason === null ? null : describeReason(reason),
  isCollectable: reason === null ? null : isCollectableReason(reason),
});
