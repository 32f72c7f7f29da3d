import type { SelectionQuery } from '#files/export/row-selection.ts';
import type { Snapshot } from '#files/export/snapshot.ts';

/** The lists of a kind, those with evidence of completeness, and the intervals and gaps of all of them. */
export interface ListCounts {
  readonly kind: string;
  readonly lists: number;
  readonly complete: number;
  readonly intervals: number;
  readonly gaps: number;
  /** The items that were removed from them. */
  readonly pruned: number;
}

/** Counts lists. @param completeness the statement of the table `completeness` of the dataset */
export const countLists = ({ db }: Snapshot, completeness: SelectionQuery): ListCounts[] =>
  db.$client
    .prepare<[object], ListCounts>(
      `select kind, count(*) as lists, sum(is_complete) as complete, sum(intervals) as intervals, sum(gaps) as gaps,
         sum(pruned) as pruned
       from (${completeness.sql}) group by kind order by kind`,
    )
    .all(completeness.parameters);
