import { joined, type Window, without } from '../../engine/search/date-windows.ts';
import type { CoverageRow, GapRow } from '../../store/coverage/intervals.ts';
import { iso } from '../terminal/times.ts';

/** What is known complete of lists, and what is not, in the documents that `--json` prints. */
export interface Ledger {
  readonly intervals: readonly CoverageRow[];
  readonly gaps: readonly GapRow[];
  /** What was searched for the account's tweets: it closes no gap. */
  readonly seen?: readonly Window[];
}

/** What of a gap in a timeline was searched, oldest first. */
export function seenIn({ kind, olderAt, newerAt }: GapRow, seen: readonly Window[] = []): Window[] {
  if (kind !== 'timeline') return [];
  const gap = { from: olderAt ?? -Infinity, to: newerAt };
  const unseen = without(gap, seen);
  return joined(without(gap, unseen));
}

export const ledgerJson = ({ intervals, gaps, seen }: Ledger) => ({
  intervals: intervals.map(({ kind, crawlId, newestId, newestAt, oldestId, oldestAt, ...rest }) => ({
    ...{ kind, oldestId, oldestAt: iso(oldestAt), newestId, newestAt: iso(newestAt) },
    ...{ bottom: rest.bottom, pages: rest.pages, items: rest.items, crawlId, updatedAt: iso(rest.updatedAt) },
  })),
  gaps: gaps.map(({ kind, newerId, newerAt, olderId, olderAt, reason, crawlId }, i) => ({
    ...{ kind, olderId, olderAt: iso(olderAt), newerId, newerAt: iso(newerAt), reason, crawlId },
    seenBySearch: seenIn(gaps[i]!, seen).map(({ from, to }) => ({ from: iso(from), to: iso(to) })),
  })),
});
