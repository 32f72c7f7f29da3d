/** What a backfill of a gap would queue, and what all of it costs. */
export interface GapBackfillPlan {
  /**
   * The step that is queued: a crawl of the timeline; where the timeline does not reach, searches; before the first search, one
   * without dates that shows how many tweets a page has. Null if nothing is left to do.
   */
  readonly step: 'timeline' | 'page size' | 'search' | null;
  /** The crawls of the step. */
  readonly crawls: number;
  /** Planned requests of all steps; null where nothing is known. */
  readonly min: number;
  readonly expected: number | null;
  readonly max: number | null;
}
