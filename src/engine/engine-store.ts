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

/** The operations of store/writer/operations.ts that the engine calls. Each stores all that it names, or nothing. */
export interface EngineWriter {
  takeLease(crawlId: number, at: number, inFlight: number): Promise<StoredCrawl | undefined>;
  commitPage(page: PageCommit): Promise<CommitResult>;
  releaseLease(to: LeaseRelease): Promise<void>;
  recordRequests(crawlId: number, lease: number, requests: readonly RequestEntry[]): Promise<void>;
}
