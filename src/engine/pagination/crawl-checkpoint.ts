import type { CursorOrigin } from './cursor-origin.ts';
import { type CycleDetector, NEW_CYCLE_DETECTOR } from './end-of-list.ts';
import type { OrderedScan } from './ordered-scan.ts';

/** What a crawl carries from page to page beside its cursor; stored as JSON in `crawls.guard`. */
export interface CrawlCheckpoint {
  readonly guard: CycleDetector;
  /** The handle was looked up in this crawl: it need not be looked up again. */
  readonly verified: boolean;
  /** Nobody has the handle: the crawl follows the account that had it, which may not exist any more. */
  readonly followed?: boolean | undefined;
  /** Of lists in order of time: what was seen of it without a gap. Absent in checkpoints of older versions. */
  readonly walk?: OrderedScan | undefined;
  /** What the cursor was issued for; null where there is none. Absent in checkpoints of older versions. */
  readonly passport?: CursorOrigin | null | undefined;
  /** The first ids of the list, by which its first page is known when it comes again. */
  readonly firstIds?: readonly string[] | undefined;
  /** The cursor leads to where another crawl stopped. */
  readonly jumped?: boolean | undefined;
  /** The time of the bound that the walk took over there: what is above it, this crawl did not read. */
  readonly tookOver?: number | undefined;
  /** The digest of the list's pages so far, of kinds whose answers may come from a cache. */
  readonly listDigest?: string | undefined;
  /** It leapt over items that another crawl set aside, or joined them: it cannot be complete any more. */
  readonly lacks?: boolean | undefined;
  /** Cursors that were refused, as digests, newest last. */
  readonly refused?: readonly string[] | undefined;
  /** How many of them a resumed crawl need not count any more. */
  readonly forgiven?: number | undefined;
}

export const NEW_CHECKPOINT: CrawlCheckpoint = { guard: NEW_CYCLE_DETECTOR, verified: false };

export const parseCheckpoint = (text: string | null): CrawlCheckpoint =>
  text === null ? NEW_CHECKPOINT : (JSON.parse(text) as CrawlCheckpoint);
export const serialiseCheckpoint = (memory: CrawlCheckpoint): string => JSON.stringify(memory);

/** The same crawl from its first page on, with what it has learnt of the service. */
export const restartCheckpoint = (
  { verified, refused, forgiven }: CrawlCheckpoint,
  more: Partial<CrawlCheckpoint> = {},
): CrawlCheckpoint => ({
  ...NEW_CHECKPOINT,
  verified,
  refused,
  forgiven,
  ...more,
});
