import type { Clock, Random } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { BudgetCounter } from '#crawl/gates/budget-counter.ts';
import type { DiskGuard } from '#crawl/gates/disk-guard.ts';
import type { Breaker } from '#crawl/gates/outage/breaker.ts';
import type { FetchedResponse } from '#crawl/page/page-record.ts';
import type { Contact } from '#service/client/check-service.ts';
import type { Client } from '#service/client/client.ts';
import type { RequestCoalescer } from '#service/client/request-coalescing.ts';
import type { Governor } from '#service/quota/governor.ts';
import type {
  CommitResult,
  CrawlSource,
  LeaseRelease,
  RequestEntry,
  SubmittedPage,
} from '#store/schema/commit-messages.ts';
import type { StoredCrawl, StoreQueries } from '#store/schema/query-results.ts';
import type { PageStaging } from '#store/staging/staging-messages.ts';

/** What the engine needs from outside: all I/O, time and randomness (invariant 13). */
export interface EngineDependencies {
  /** Every call may throw a StoreError. */
  readonly store: { readonly queries: EngineQueries; readonly write: EngineWriter };
  /** Parses pages in the writer thread; without it, pages are parsed here. */
  readonly staging?: PageStaging | undefined;
  readonly client: Client;
  readonly governor: Governor;
  readonly breaker: Breaker;
  readonly disk: Pick<DiskGuard, 'checkSpace' | 'admitCrawl' | 'reportFailure' | 'reportSuccess'>;
  readonly budgets: BudgetCounter;
  readonly coalescer: RequestCoalescer<FetchedResponse>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called with stored child crawls, so that they are queued at once. */
  readonly announceCrawls: (crawlIds: readonly number[]) => void;
  /** Keep every page's body. */
  readonly keepRaw: boolean;
  /** What this process crawls with. */
  readonly source: CrawlSource;
  /** Without it, crawls wait for a service that has never answered. */
  readonly contact?: Contact | undefined;
}

export type EngineQueries = Pick<
  StoreQueries,
  | (
      | 'loadCrawl'
      | 'intervals'
      | 'cursorSupport'
      | 'endpointFindings'
      | 'expectsTweets'
      | 'needsOwnerCount'
      | 'countUnchecked'
      | 'findControl'
      | 'largestPage'
      | 'searchHits'
      | 'budget'
    )
  | ('userByHandle' | 'userById' | 'earlierSpelling' | 'previousHandleOwner')
>;

/** The operations of store/writer/operations.ts that the engine calls. Each stores all that it names, or nothing. */
export interface EngineWriter {
  takeLease(crawlId: number, at: number, inFlight: number, source?: CrawlSource): Promise<StoredCrawl | undefined>;
  commitPage(page: SubmittedPage): Promise<CommitResult>;
  releaseLease(to: LeaseRelease): Promise<void>;
  recordRequests(crawlId: number, lease: number, requests: readonly RequestEntry[]): Promise<void>;
}
