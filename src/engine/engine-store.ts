import type { CommitResult, CursorSupport, LeaseRelease, PageCommit, RequestEntry } from '../store/schema/messages.ts';
import type { CoveredInterval, RunBudget, SearchHit, StoredCrawl, StoredUser } from '../store/schema/query-results.ts';

/** The store as the engine knows it. Every call may throw a StoreError. */
export interface EngineStore {
  readonly queries: EngineQueries;
  readonly write: EngineWriter;
}

export interface EngineQueries {
  /** A crawl with its options and its checkpoint, decoded. */
  loadCrawl(id: number): Promise<StoredCrawl | undefined>;
  /** The complete intervals of a list, newest first. */
  intervals(kind: string, list: string): Promise<readonly CoveredInterval[]>;
  /** Whether an endpoint follows its cursors, as far as that was seen. */
  cursorSupport(endpoint: string): Promise<(CursorSupport & { readonly seenAt: number }) | undefined>;
  /** The longest page of an endpoint. */
  largestPage(endpoint: string): Promise<{ readonly entries: number; readonly seenAt: number } | undefined>;
  /** What a search string showed since a time. */
  searchHits(rawQuery: string, since: number): Promise<readonly SearchHit[]>;
  /** The account that was seen last under a handle, whatever its case. */
  userByHandle(handle: string): Promise<StoredUser | undefined>;
  userById(restId: string): Promise<StoredUser | undefined>;
  /** The latest spelling of a handle that accounts had once and have no more. */
  earlierSpelling(handle: string): Promise<string | undefined>;
  /** The account of the latest successful crawl of a handle, or the only one that is known to have had the handle. */
  previousHandleOwner(target: string, handle: string, kinds: readonly string[]): Promise<string | undefined>;
  /** What a run may spend, and has spent; of a day, as `dayNumberOf` counts them. */
  budget(runId: number, day: number): Promise<RunBudget | undefined>;
}

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
