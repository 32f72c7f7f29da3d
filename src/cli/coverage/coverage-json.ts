import { computeScore } from '../../analysis/account-counts.ts';
import type { AccountCoverage, CountPair } from '../../analysis/coverage/coverage-model.ts';
import type { EmptyList } from '../../analysis/quality/empty-lists.ts';
import type { EvidenceAge } from '../../analysis/recheck/evidence-age.ts';
import { clipRanges, mergeRanges, type TimeRange } from '../../base/time-ranges.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import type { CoverageRow, GapRow } from '../../store/coverage/intervals.ts';

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
