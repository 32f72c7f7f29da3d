/** What a crawl carries from page to page besides its cursor. Stored as JSON in `crawls.checkpoint`: the keys are its format. */
export interface CrawlCheckpoint {
  readonly cycleDetector: CycleDetector;
  /** The handle was looked up in this crawl. */
  readonly isHandleVerified: boolean;
  /** No account has the handle: the crawl follows the one that had it, which may be gone. */
  readonly isHandleUnused?: boolean | undefined;
  /** The scan of a list in chronological order. */
  readonly scan?: OrderedScan | undefined;
  /** The origin of the cursor; null without a cursor. */
  readonly cursorOrigin?: CursorOrigin | null | undefined;
  /** The first ids of the list: they identify a repeated first page. */
  readonly firstIds?: readonly string[] | undefined;
  /** The cursor is that of another crawl, which stopped there. */
  readonly hasInheritedCursor?: boolean | undefined;
  /** The oldest time of the interval that this crawl skipped last: another crawl read it. */
  readonly skippedDownTo?: number | undefined;
  /** The digest of the list's pages so far, of kinds whose responses may come from a cache. */
  readonly listDigest?: string | undefined;
  /** Items that another crawl rejected were skipped: this crawl cannot be complete. */
  readonly hasSkippedRejects?: boolean | undefined;
  /** The hint that the cursor comes from, until its page shows new ids; with the ids of the page that had the hint. */
  readonly hint?: { readonly name: string; readonly ids: readonly string[] } | undefined;
  /** An incomplete response of the list was requested again. */
  readonly hasRetriedIncomplete?: boolean | undefined;
  /** The page equalled the one before, and is requested again. */
  readonly isRepeatedPage?: boolean | undefined;
  /** The endpoint ignored the cursor, which a resumed crawl sends again. */
  readonly isCursorIgnored?: boolean | undefined;
  /** The quota ran out behind a request of the page: so many are reserved together before it is tried again. */
  readonly requestsAtOnce?: number | undefined;
  /** An outage of this endpoint, which is not the kind's own, held the page back: the next slice waits for its end. */
  readonly heldEndpoint?: string | undefined;
  /** Digests of refused cursors, newest last. */
  readonly refusedCursors?: readonly string[] | undefined;
  /** How many of them a resumed crawl does not count. */
  readonly uncountedRefusals?: number | undefined;
}

/** Detects repeated and ignored cursors from page to page: part of the checkpoint. */
export interface CycleDetector {
  /** Digests of the first page's entries and of the last page's. */
  readonly firstPage: string | null;
  readonly lastPage: string | null;
  /** Digests of the latest cursors, newest last: finds short cycles at once. */
  readonly recentCursors: readonly string[];
  /** One older cursor, replaced whenever the number of pages is a power of two: finds long cycles, too (Brent). */
  readonly olderCursor: string | null;
  /** Empty pages in a row. */
  readonly emptyPages: number;
}

/** The request that a cursor was issued for, and its time. It is valid for equal requests only. */
export interface CursorOrigin {
  readonly endpoint: string;
  /** Digest of the request's other parameters. */
  readonly parameters: string;
  readonly issuedAt: number;
}

/** An item of a time-ordered list. */
export interface ItemPosition {
  readonly id: string;
  readonly at: number;
}

/** A part of a list in chronological order that was scanned entry by entry: crawl/pagination/ordered-scan.ts. */
export interface ScanSegment {
  /** It begins with the list's first entry. */
  readonly isFromTop: boolean;
  readonly newest: ItemPosition | null;
  readonly oldest: ItemPosition | null;
  /** The last two items in order, the later one last. */
  readonly tail: readonly ItemPosition[];
  /** The last item, if it is an outlier. */
  readonly outlier: ItemPosition | null;
  /** Pages and items that are in no reported span yet. */
  readonly pages: number;
  readonly items: number;
}

export type OrderedScan = ScanSegment | 'unordered';

/** The time down to which a scan saw each entry, if its list ends there: then a single item needs no other one. */
export const findBottom = (scan: OrderedScan | undefined): number | undefined =>
  scan === undefined || scan === 'unordered' ? undefined : (scan.oldest ?? scan.tail[0])?.at;

export const NEW_CYCLE_DETECTOR: CycleDetector = {
  firstPage: null,
  lastPage: null,
  recentCursors: [],
  olderCursor: null,
  emptyPages: 0,
};

/** The checkpoint of a crawl before its first page. */
export const NEW_CHECKPOINT: CrawlCheckpoint = { cycleDetector: NEW_CYCLE_DETECTOR, isHandleVerified: false };

export const parseCheckpoint = (text: string | null): CrawlCheckpoint =>
  text === null ? NEW_CHECKPOINT : (JSON.parse(text) as CrawlCheckpoint);
