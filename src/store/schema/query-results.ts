import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import type { CrawlOptions } from '../../kinds/kinds.ts';
import type { Priority } from '../../quota/priorities.ts';
import type { CrawlCheckpoint } from './checkpoint.ts';
import type { CoveredSpan, CursorSupport, ScheduledJob } from './messages.ts';

/** What the store's queries return: plain data, decoded. */

/** A stored crawl. */
export interface StoredCrawl {
  readonly id: number;
  readonly kind: string;
  readonly target: string;
  readonly handle: string | null;
  readonly options: CrawlOptions;
  readonly priority: Priority;
  readonly parentId: number | null;
  readonly runId: number | null;
  readonly state: string;
  readonly reason: string | null;
  /** The service's id of its account, once that is known. */
  readonly targetRestId: string | null;
  readonly cursor: string | null;
  readonly checkpoint: CrawlCheckpoint;
  readonly pages: number;
  readonly items: number;
  readonly rejectedItems: number;
  /** Failures in a row. */
  readonly consecutiveFailures: number;
  readonly leaseToken: number;
  /** The most requests that its worker may have sent and not recorded. */
  readonly inFlightRequests: number;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  readonly resumeAt: number | null;
  readonly finishedAt: number | null;
}

/** What the store remembers of an account. */
export interface StoredUser {
  readonly restId: string;
  readonly screenName: string | null;
  readonly profileAt: number | null;
  /** When a summary or a profile was last seen. */
  readonly summaryAt: number | null;
  readonly createdAt: number | null;
  readonly statusesCount: number | null;
  readonly followersCount: number | null;
  readonly followingCount: number | null;
}

/** An interval that is known complete, and the gap below it with the checkpoint of the crawl that stopped there. */
export interface CoveredInterval {
  readonly newestAt: number;
  readonly oldestAt: number;
  readonly listEnd: CoveredSpan['bottom'] | null;
  readonly pages: number;
  readonly items: number;
  readonly gap: { readonly reason: string; readonly cursor: string | null; readonly checkpoint: string | null } | null;
}

/** What a run may spend, and has spent: it and, of a day, all runs of its job. */
export interface RunBudget {
  readonly job: string | null;
  readonly perRun: number | null;
  readonly perDay: number | null;
  readonly inRun: SpentRequests;
  readonly onDay: SpentRequests;
}

/** Requests that count against a budget. */
export interface SpentRequests {
  /** On record. */
  readonly requests: number;
  /** Sent, at most, by workers that were killed. */
  readonly unknown: number;
  /** What may be under way at the moment, by crawl. */
  readonly inFlight: readonly CrawlInFlight[];
}

export interface CrawlInFlight {
  readonly crawlId: number;
  readonly requests: number;
  /** The crawl was cancelled: nobody is going to send more, and perhaps nobody reports. */
  readonly hasEnded: boolean;
}

/** A tweet that a search showed, and its time where that is known. */
export interface SearchHit {
  readonly id: string;
  readonly at: number | null;
}

/** What identifies a crawl while it is unfinished; the options as canonical JSON. */
export type CrawlIdentity = Pick<CrawlSpec, 'kind' | 'target' | 'options'>;

/** An unfinished crawl, as far as the queue needs to know it. */
export interface PendingCrawl {
  readonly id: number;
  readonly kind: string;
  readonly priority: Priority;
  readonly reason: string | null;
  readonly resumeAt: number | null;
  readonly lockedBy: string | null;
  readonly lockExpiresAt: number | null;
}

/** The account of each handle of a job, by the handle as the target of crawls. Handles are reused, ids are not. */
export type JobAccounts = ReadonlyMap<string, string>;

/** The queries of crawls and of their producers. @throws StoreError */
export interface StoreQueries {
  /** A crawl with its options and its checkpoint, decoded. */
  loadCrawl(id: number): Promise<StoredCrawl | undefined>;
  /** The complete intervals of a list, newest first. */
  intervals(kind: string, list: string): Promise<CoveredInterval[]>;
  /** Whether an endpoint follows its cursors, as far as that was seen. */
  cursorSupport(endpoint: string): Promise<(CursorSupport & { readonly seenAt: number }) | undefined>;
  /** The longest page of an endpoint. */
  largestPage(endpoint: string): Promise<{ readonly entries: number; readonly seenAt: number } | undefined>;
  /** What a search string showed since a time. */
  searchHits(rawQuery: string, since: number): Promise<SearchHit[]>;
  /** The account that was seen last under a handle, whatever its case. */
  userByHandle(handle: string): Promise<StoredUser | undefined>;
  userById(restId: string): Promise<StoredUser | undefined>;
  /** The latest spelling of a handle that accounts had once and have no more. */
  earlierSpelling(handle: string): Promise<string | undefined>;
  /** The account of the latest successful crawl of a handle, or the only one that is known to have had the handle. */
  previousHandleOwner(target: string, handle: string, kinds: readonly string[]): Promise<string | undefined>;
  /** What a run may spend, and has spent; of a day, as `dayNumberOf` counts them. */
  budget(runId: number, day: string): Promise<RunBudget | undefined>;
  /** The unfinished crawls after an id, in the order of their ids. */
  pendingAfter(after: number, most: number): Promise<PendingCrawl[]>;
  /** Those of the given ids that are unfinished. */
  pendingAmong(ids: readonly number[]): Promise<PendingCrawl[]>;
  /** The unfinished descendants of a crawl after an id, in the order of their ids. */
  pendingDescendants(rootId: number, after: number, most: number): Promise<PendingCrawl[]>;
  /** Those of the given ids that have descendants. */
  withDescendants(ids: readonly number[]): Promise<number[]>;
  /** The unfinished crawls of a kind. */
  pendingIdentities(kind: string): Promise<CrawlIdentity[]>;
  /** The unfinished crawls among some crawls and their descendants that the run has not locked. */
  notLockedBy(ids: readonly number[], run: string): Promise<(PendingCrawl & CrawlSpec)[]>;
  /** The scheduled jobs, by name. */
  schedule(): Promise<ScheduledJob[]>;
  /** The accounts that a job means by its handles. */
  jobAccounts(job: string): Promise<JobAccounts>;
}

/** The functions of an asynchronous interface as SQLite runs them. */
export type Synchronous<T> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Result> ? (...args: Args) => Result : never;
};
