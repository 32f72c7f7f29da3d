/** The kinds of crawls for the form of a new one: `/api/crawls/kinds`. */
export interface CrawlKindData {
  readonly name: string;
  readonly summary: string;
  readonly hasPageLimit: boolean;
  readonly hasStart: boolean;
}

/** The cost of new crawls, before they are queued. */
export interface NewCrawlPlan {
  readonly crawls: number;
  /** Planned requests; null where nothing is known. */
  readonly min: number;
  readonly expected: number | null;
  readonly max: number | null;
  /** The targets that are left out, with the reason. */
  readonly skipped: readonly string[];
}
