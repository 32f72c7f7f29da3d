import type { CursorOrigin } from './cursor-origin.ts';
import { type CycleDetector, NEW_CYCLE_DETECTOR } from './end-of-list.ts';
import type { OrderedScan } from './ordered-scan.ts';

/** What a crawl carries from page to page besides its cursor. Stored as JSON in `crawls.guard`: the keys are its format. */
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

export const NEW_CHECKPOINT: CrawlCheckpoint = { guard: NEW_CYCLE_DETECTOR, verified: false };

export const parseCheckpoint = (text: string | null): CrawlCheckpoint =>
  text === null ? NEW_CHECKPOINT : (JSON.parse(text) as CrawlCheckpoint);
export const serialiseCheckpoint = (memory: CrawlCheckpoint): string => JSON.stringify(memory);

/** The checkpoint of a crawl that restarts at its first page. */
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
