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
  /** The first crawls, in order. */
  readonly ids: readonly number[];
  /** Where the next ids begin, for `/api/crawls/ids`; null after the last one. */
  readonly next: string | null;
  /** The first crawls, and those that the client asks for again. */
  readonly rows: readonly CrawlLine[];
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

/** The ids of the next crawls, in order. */
export interface CrawlIdsData {
  readonly ids: readonly number[];
  readonly next: string | null;
}
