import type { CrawlLine } from './overview.ts';

/** What the page Crawls shows: `/api/crawls`. */
export interface CrawlListData {
  /** When it was read. */
  readonly at: number;
  /** The number of crawls that match; of these, those that can be cancelled, and those that can be resumed. */
  readonly total: number;
  readonly unfinished: number;
  readonly resumable: number;
  /** The number of all crawls of the store. */
  readonly all: number;
  readonly facets: readonly FacetData[];
  /** Whether the rows are without child crawls: nothing is selected, and there are some. */
  readonly isFolded: boolean;
  /** In order. */
  readonly rows: readonly CrawlLine[];
  /** Where the next part of the list begins; null after the last one. */
  readonly next: string | null;
}

export type CrawlFacetName = 'state' | 'kind' | 'reason' | 'priority' | 'job' | 'run';

export interface FacetData {
  readonly name: CrawlFacetName;
  /** The values that occur, and those that are selected. */
  readonly values: readonly {
    readonly value: string;
    readonly label: string;
    /** The number of crawls that match with this value and all other conditions. */
    readonly n: number;
    readonly isSelected: boolean;
  }[];
}
