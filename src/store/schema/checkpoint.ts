import type { ItemPosition } from './messages.ts';

/** What a crawl carries from page to page besides its cursor. Stored as JSON in `crawls.checkpoint`: the keys are its format. */
export interface CrawlCheckpoint {
  readonly guard: CycleDetector;
  /** The handle was looked up in this crawl. */
  readonly verified: boolean;
  /** Nobody has the handle: the crawl follows the account that had it, which may be gone. */
  readonly followed?: boolean | undefined;
  /** The scan of a list in order of time. Absent in checkpoints of older versions. */
  readonly walk?: OrderedScan | undefined;
  /** The origin of the cursor; null without a cursor. Absent in checkpoints of older versions. */
  readonly passport?: CursorOrigin | null | undefined;
  /** The first ids of the list: they identify a repeated first page. */
  readonly firstIds?: readonly string[] | undefined;
  /** The cursor is of another crawl, which stopped there. */
  readonly jumped?: boolean | undefined;
  /** The time down to which the other crawl read the list; this crawl did not read what is newer. */
  readonly tookOver?: number | undefined;
  /** The digest of the list's pages so far, of kinds whose responses may come from a cache. */
  readonly listDigest?: string | undefined;
  /** Items that another crawl rejected were skipped: this crawl cannot be complete. */
  readonly lacks?: boolean | undefined;
  /** Digests of refused cursors, newest last. */
  readonly refused?: readonly string[] | undefined;
  /** How many of them a resumed crawl does not count. */
  readonly forgiven?: number | undefined;
}

/** Detects repeated and ignored cursors from page to page: part of the checkpoint. */
export interface CycleDetector {
  /** Digests of the first page's entries and of the last page's. */
  readonly first: string | null;
  readonly last: string | null;
  /** Digests of the latest cursors, newest last: finds short cycles at once. */
  readonly recent: readonly string[];
  /** One older cursor, replaced whenever the number of pages is a power of two: finds long cycles, too (Brent). */
  readonly mark: string | null;
  /** Empty pages in a row. */
  readonly empties: number;
}

/** The request that a cursor was issued for, and its time. It is valid for equal requests only. */
export interface CursorOrigin {
  readonly endpoint: string;
  /** Digest of the request's other parameters. */
  readonly parameters: string;
  readonly issuedAt: number;
}

/** A part of a list in order of time that was scanned entry by entry: engine/pagination/ordered-scan.ts. */
export interface ScanSegment {
  /** It begins with the list's first entry. */
  readonly fromTop: boolean;
  readonly newest: ItemPosition | null;
  readonly oldest: ItemPosition | null;
  /** The last two items in order, the later one last. */
  readonly tail: readonly ItemPosition[];
  /** The last item, if it is an outlier. */
  readonly apart: ItemPosition | null;
  /** Pages and items that are in no reported span yet. */
  readonly pages: number;
  readonly items: number;
}

export type OrderedScan = ScanSegment | 'lost';

export const NEW_CYCLE_DETECTOR: CycleDetector = { first: null, last: null, recent: [], mark: null, empties: 0 };

/** The checkpoint of a crawl before its first page. */
export const NEW_CHECKPOINT: CrawlCheckpoint = { guard: NEW_CYCLE_DETECTOR, verified: false };

export const parseCheckpoint = (text: string | null): CrawlCheckpoint =>
  text === null ? NEW_CHECKPOINT : (JSON.parse(text) as CrawlCheckpoint);
