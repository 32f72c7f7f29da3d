import { type CountPair, computeScore } from '../../analysis/account-counts.ts';
import { mergeWindows, type DateWindow, subtractWindows } from '../../engine/search/date-windows.ts';
import { getKind } from '../../kinds/kinds.ts';
import type { CoverageRow, GapRow } from '../../store/coverage/intervals.ts';
import { toIso } from '../terminal/times.ts';

/** The coverage of chronological lists of an account. */
export interface ListCoverage {
  readonly intervals: readonly CoverageRow[];
  readonly gaps: readonly GapRow[];
  /** Ranges that were searched for the account's tweets. They close no gap. */
  readonly searched?: readonly DateWindow[];
}

/** The searched parts of a gap, oldest first. */
export function findSearchedParts(
  { kind, olderAt, newerAt }: GapRow,
  searched: readonly DateWindow[] = [],
): DateWindow[] {
  if (!getKind(kind).isSearchedInBackfill) return [];
  const gap = { from: olderAt ?? -Infinity, to: newerAt };
  return mergeWindows(subtractWindows(gap, subtractWindows(gap, searched)));
}

export const toDateWindowJson = ({ from, to }: DateWindow) => ({ from: toIso(from), to: toIso(to) });

export const toCountsJson = (pair: CountPair) => ({
  ...{ ...pair, score: computeScore(pair), reportedAt: toIso(pair.reportedAt) },
});

export const toCoverageJson = ({ intervals, gaps, searched }: ListCoverage) => ({
  intervals: intervals.map((interval) => ({
    kind: interval.kind,
    oldestRestId: interval.oldestRestId,
    oldestAt: toIso(interval.oldestAt),
    newestRestId: interval.newestRestId,
    newestAt: toIso(interval.newestAt),
    listEnd: interval.listEnd,
    pages: interval.pages,
    items: interval.items,
    crawlId: interval.crawlId,
    updatedAt: toIso(interval.updatedAt),
  })),
  gaps: gaps.map((gap) => ({
    kind: gap.kind,
    olderRestId: gap.olderRestId,
    olderAt: toIso(gap.olderAt),
    newerRestId: gap.newerRestId,
    newerAt: toIso(gap.newerAt),
    reason: gap.reason,
    crawlId: gap.crawlId,
    searched: findSearchedParts(gap, searched).map(toDateWindowJson),
  })),
});
