import type { CoverageRow, GapRow } from '../store/intervals.ts';
import { iso } from './summary.ts';

/** What is known complete of lists, and what is not, in the documents that `--json` prints. */
export interface Ledger {
  readonly intervals: readonly CoverageRow[];
  readonly gaps: readonly GapRow[];
}

export const ledgerJson = ({ intervals, gaps }: Ledger) => ({
  intervals: intervals.map(({ kind, crawlId, newestId, newestAt, oldestId, oldestAt, ...rest }) => ({
    ...{ kind, oldestId, oldestAt: iso(oldestAt), newestId, newestAt: iso(newestAt) },
    ...{ bottom: rest.bottom, pages: rest.pages, items: rest.items, crawlId, updatedAt: iso(rest.updatedAt) },
  })),
  gaps: gaps.map(({ kind, newerId, newerAt, olderId, olderAt, reason, crawlId }) => ({
    ...{ kind, olderId, olderAt: iso(olderAt), newerId, newerAt: iso(newerAt), reason, crawlId },
  })),
});
