import { mergeWindows, type DateWindow, subtractWindows } from '../../engine/search/date-windows.ts';
import type { CoverageRow, GapRow } from '../../store/coverage/intervals.ts';
import { toIso } from '../terminal/times.ts';

/** The coverage of chronological lists of an account. */
export interface ListCoverage {
  readonly intervals: readonly CoverageRow[];
  readonly gaps: readonly GapRow[];
  /** Ranges that were searched for the account's tweets. They close no gap. */
  readonly searched?: readonly DateWindow[];
}

/** The searched parts of a gap in a timeline, oldest first. */
export function findSearchedParts({ kind, olderAt, newerAt }: GapRow, seen: readonly DateWindow[] = []): DateWindow[] {
  if (kind !== 'timeline') return [];
  const gap = { from: olderAt ?? -Infinity, to: newerAt };
  const unseen = subtractWindows(gap, seen);
  return mergeWindows(subtractWindows(gap, unseen));
}

export const toCoverageJson = ({ intervals, gaps, searched }: ListCoverage) => ({
  intervals: intervals.map(({ kind, crawlId, newestRestId, newestAt, oldestRestId, oldestAt, ...rest }) => ({
    ...{
      kind,
      oldestRestId,
      oldestAt: toIso(oldestAt),
      newestRestId,
      newestAt: toIso(newestAt),
    },
    ...{ listEnd: rest.listEnd, pages: rest.pages, items: rest.items, crawlId, updatedAt: toIso(rest.updatedAt) },
  })),
  gaps: gaps.map(({ kind, newerRestId: newerId, newerAt, olderRestId: olderId, olderAt, reason, crawlId }, i) => ({
    ...{
      kind,
      olderRestId: olderId,
      olderAt: toIso(olderAt),
      newerRestId: newerId,
      newerAt: toIso(newerAt),
      reason,
      crawlId,
    },
    searched: findSearchedParts(gaps[i]!, searched).map(({ from, to }) => ({ from: toIso(from), to: toIso(to) })),
  })),
});
