import type { CommitResult, LeaseRelease, PageCommit, RequestEntry } from '../store/schema/messages.ts';
import type { StoredCrawl, StoreQueries } from '../store/schema/query-results.ts';

/** The store as the engine knows it. Every call may throw a StoreError. */
export interface EngineStore {
  readonly queries: EngineQueries;
  readonly write: EngineWriter;
}

export type EngineQueries = Pick<
  StoreQueries,
  | 'loadCrawl'
  | 'intervals'
  | 'cursorSupport'
  | 'largestPage'
  | 'searchHits'
  | 'userByHandle'
  | 'userById'
  | 'earlierSpelling'
  | 'previousHandleOwner'
  | 'budget'
>;

/** Each call stores all that it names, or nothing. */
export interface EngineWriter {
  /** Takes a crawl for one activation: from now on only this lease may commit. Undefined when the crawl has ended. */
  takeLease(crawlId: number, at: number, inFlight: number): Promise<StoredCrawl | undefined>;
  /** Stores a page with its checkpoint, on top of the page before. @throws StaleLeaseError */
  commitPage(page: PageCommit): Promise<CommitResult>;
  /** Hands a leased crawl back unfinished. @throws StaleLeaseError */
  releaseLease(to: LeaseRelease): Promise<void>;
  /** Records requests of which nothing else can be stored (invariant 8). */
  recordRequests(crawlId: number, lease: number, requests: readonly RequestEntry[]): Promise<void>;
}
