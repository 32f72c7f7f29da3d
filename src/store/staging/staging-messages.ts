import type { ResponseHead } from '#service/contract/wire-page.ts';
import type { PageRequest, PageSummary } from '#store/normalise/parse-page.ts';

/**
 * Messages about staged pages: a page's body is parsed by the thread that will store it, and its rows wait there for the
 * commit. Only the summary, by which the crawl decides, comes back.
 */

/** The crawl and the lease that will commit a page. */
export interface StagingLease {
  readonly crawlId: number;
  readonly lease: number;
}

/** A response to stage. Its buffers move to the writer thread. */
export interface PageToStage extends StagingLease {
  readonly request: PageRequest;
  /** The cursor of the request. */
  readonly requestCursor: string | null;
  readonly head: ResponseHead;
  readonly body: Uint8Array;
  /** The body as it arrived, if it may be stored like that. */
  readonly gzip: Uint8Array | undefined;
  /** The body is stored with the page. */
  readonly isKept: boolean;
}

/** A page whose rows are staged. */
export interface StagedPage {
  readonly is: 'staged';
  readonly stagedId: number;
  readonly summary: PageSummary;
  readonly rejectedCount: number;
  /** SHA-256 of the body. */
  readonly bodyHash: string;
}

/** A staged page; or its body, which comes back if it cannot be parsed. */
export type StageReply = StagedPage | ({ readonly is: 'unreadable' } & Pick<PageToStage, 'body' | 'gzip'>);

export interface PageStaging {
  /** Parses a page; its rows wait for the commit. @throws StoreError if the writer thread fails */
  stagePage(page: PageToStage): Promise<StageReply>;
  /** Drops the pages that a lease staged and did not commit. */
  discardPages(lease: StagingLease): void;
}
