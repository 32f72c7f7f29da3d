import type { CrawlCheckpoint } from '#service/kinds/checkpoint.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlOptions } from '#service/kinds/kinds.ts';
import type { ShipTarget } from '#store/outbox/ship-targets.ts';
import type { CursorSupport, EndpointFinding, Refusal } from './commit-messages.ts';
import type { ScheduledJob, StoredAlert } from './job-messages.ts';
import type { coverage, crawls, users } from './tables.ts';

/** The results of the store's queries: plain, decoded data. */

type CrawlColumn =
  | ('id' | 'kind' | 'target' | 'handle' | 'priority' | 'parentId' | 'runId' | 'state' | 'reason' | 'targetRestId')
  | ('cursor' | 'pages' | 'items' | 'rejectedItems' | 'consecutiveFailures' | 'leaseToken' | 'inFlightRequests')
  | ('startedAt' | 'updatedAt' | 'resumeAt' | 'finishedAt');

/** A stored crawl, with its options and its checkpoint decoded. */
export interface StoredCrawl extends Readonly<Pick<typeof crawls.$inferSelect, CrawlColumn>> {
  readonly options: CrawlOptions;
  readonly checkpoint: CrawlCheckpoint;
}

type UserColumn =
  | 'restId'
  | 'screenName'
  | 'profileAt'
  | 'createdAt'
  | `${'statuses' | 'followers' | 'following'}Count`;

/** The stored facts about an account that crawls and plans need. */
export interface StoredUser extends Readonly<Pick<typeof users.$inferSelect, UserColumn>> {
  /** When a summary was last seen. */
  readonly summaryAt: number | null;
}

type IntervalColumn = 'newestAt' | 'oldestAt' | 'listEnd' | 'pages' | 'items';

/** A covered interval, and the gap below it with the checkpoint of the crawl that stopped there. */
export interface CoveredInterval extends Readonly<Pick<typeof coverage.$inferSelect, IntervalColumn>> {
  readonly gap: { readonly reason: string; readonly cursor: string | null; readonly checkpoint: string | null } | null;
}

/** The limits and the usage of a run. Usage per day includes all runs of its job. */
export interface RunBudget {
  readonly job: string | null;
  readonly perRun: number | null;
  readonly perDay: number | null;
  readonly inRun: SpentRequests;
  readonly onDay: SpentRequests;
}

/** Requests that count against a budget. */
export interface SpentRequests {
  /** Recorded requests. */
  readonly requests: number;
  /** The maximum of requests of killed workers without a record. */
  readonly unknown: number;
  /** Requests that may be in flight, by crawl. */
  readonly inFlight: readonly CrawlInFlight[];
}

export interface CrawlInFlight {
  readonly crawlId: number;
  readonly requests: number;
  /** The crawl was cancelled: no more requests follow, and their number may never be reported. */
  readonly hasEnded: boolean;
}

/** A tweet that a search found, and its time if known. */
export interface SearchHit {
  readonly id: string;
  readonly at: number | null;
}

/** The identity of a crawl while it is unfinished; its options are canonical JSON. */
export type CrawlIdentity = Pick<CrawlSpec, 'kind' | 'target' | 'options'>;

type PendingColumn = 'id' | 'kind' | 'priority' | 'reason' | 'resumeAt' | 'lockedBy' | 'lockExpiresAt';

/** The columns of an unfinished crawl that the queue needs. */
export type PendingCrawl = Readonly<Pick<typeof crawls.$inferSelect, PendingColumn>>;

/** The ids of accounts by the handles of a job, in the form of crawl targets. Handles are reused, ids are not. */
export type JobAccounts = ReadonlyMap<string, string>;

/** The number of all crawls by state, also of states without one, and of paused crawls by reason. */
export interface CrawlCounts {
  readonly byState: readonly { readonly state: (typeof crawls.$inferSelect)['state']; readonly count: number }[];
  readonly pausedByReason: readonly { readonly reason: string | null; readonly count: number }[];
}

/** The result of a run of a job. Crawls are its root crawls, except for `isUnfinished` and `hasNews`. */
export interface JobRunResult {
  readonly runId: number;
  readonly at: number;
  /** Why targets were not crawled. */
  readonly error: string | null;
  readonly crawls: number;
  readonly failed: number;
  readonly cancelled: number;
  /** The reason of its first failed crawl. */
  readonly reason: string | null;
  readonly isUnfinished: boolean;
  /** It found new items, or changes of known ones. */
  readonly hasNews: boolean;
}

/** A list of followers or followed accounts that the service ended. */
export interface EndedList {
  readonly side: 'followers' | 'following';
  /** The service's id of the account. */
  readonly owner: string;
  /** When its crawl began, milliseconds UTC. */
  readonly startedAt: number;
  /** When its last request was sent, if it has ended. */
  readonly finishedAt?: number;
}

/** The queries of crawls and of their producers. @throws StoreError */
export interface StoreQueries {
  /** A crawl with its options and its checkpoint, decoded. */
  loadCrawl(id: number): Promise<StoredCrawl | undefined>;
  /** The complete intervals of a list, newest first. */
  intervals(kind: string, list: string): Promise<CoveredInterval[]>;
  /** Whether an endpoint follows its cursors; undefined if unknown. */
  cursorSupport(endpoint: string): Promise<(CursorSupport & { readonly seenAt: number }) | undefined>;
  /** Whether tweets are stored that a list of an account is expected to show. @param restId the service's id of the account */
  expectsTweets(kind: string, restId: string): Promise<boolean>;
  /** Whether the count of a list's owner has to be requested, to judge what the list lacks. Earlier pages are stored. */
  needsOwnerCount(list: EndedList, itemIds: readonly string[]): Promise<boolean>;
  /** What was learnt of an endpoint. */
  endpointFindings(endpoint: string): Promise<EndpointFinding[]>;
  /** The number of other targets with a 404 since the last page of the endpoint; undefined for a target that is not stored. */
  countUnchecked(refusal: Refusal): Promise<number | undefined>;
  /** The target of a control request after a refusal; undefined if the store knows none. @param skip how many were tried */
  findControl(refusal: Refusal, skip: number): Promise<string | undefined>;
  /** The longest page of an endpoint. */
  largestPage(endpoint: string): Promise<{ readonly entries: number; readonly seenAt: number } | undefined>;
  /** The tweets that a search string found since a time. */
  searchHits(rawQuery: string, since: number): Promise<SearchHit[]>;
  /** The account that was last seen with a handle, compared without case, unless it has another one now. */
  userByHandle(handle: string): Promise<StoredUser | undefined>;
  userById(restId: string): Promise<StoredUser | undefined>;
  /** The latest spelling of a handle that accounts had before. */
  earlierSpelling(handle: string): Promise<string | undefined>;
  /** The account of the latest successful crawl of a handle, or the only known former owner of the handle. */
  previousHandleOwner(target: string, handle: string, kinds: readonly string[]): Promise<string | undefined>;
  /** The limits and the usage of a run. @param day UTC, such as `2025-01-31` */
  budget(runId: number, day: string): Promise<RunBudget | undefined>;
  /** The first `most` unfinished crawls after an id, in order of id. */
  pendingAfter(after: number, most: number): Promise<PendingCrawl[]>;
  /** Those of the given ids that are unfinished. */
  pendingAmong(ids: readonly number[]): Promise<PendingCrawl[]>;
  /** The first `most` unfinished descendants of a crawl after an id, in order of id. */
  pendingDescendants(rootId: number, after: number, most: number): Promise<PendingCrawl[]>;
  /** Those of the given ids that have descendants. */
  withDescendants(ids: readonly number[]): Promise<number[]>;
  /** The number of unfinished crawls without a valid soft lock. */
  unlockedPendingCount(now: number): Promise<number>;
  /** The number of unfinished crawls that a run has locked. */
  pendingCountOfRun(run: string): Promise<number>;
  /** The unfinished crawls of a kind. */
  pendingIdentities(kind: string): Promise<CrawlIdentity[]>;
  /** The unfinished crawls among some crawls and their descendants that the run has not locked. */
  notLockedBy(ids: readonly number[], run: string): Promise<(PendingCrawl & CrawlSpec)[]>;
  /** The scheduled jobs, by name. */
  schedule(): Promise<ScheduledJob[]>;
  /** The latest four crawls of a target that a job started and that ended, newest first. */
  endedCrawls(job: string, of: Pick<CrawlSpec, 'kind' | 'target'>): Promise<EndedCrawl[]>;
  /** The accounts that the handles of a job refer to. */
  jobAccounts(job: string): Promise<JobAccounts>;
  /** The number of all crawls by state, and of paused ones by reason. */
  crawlCounts(): Promise<CrawlCounts>;
  /** The targets of shipping, with what waits for them. */
  shipTargets(): Promise<ShipTarget[]>;
  /** The newest `most` runs of a job, newest first, without the runs in `known`. */
  jobRuns(job: string, most: number, known?: readonly number[]): Promise<JobRunResult[]>;
  /** When a crawl of each scheduled job last succeeded, without jobs of which none has. */
  jobSuccesses(): Promise<JobSuccess[]>;
  /** All alerts that were raised. */
  alerts(): Promise<StoredAlert[]>;
}

export interface EndedCrawl {
  readonly startedAt: number;
  readonly newItems: number;
}

export interface JobSuccess {
  readonly job: string;
  readonly at: number;
}

/** An asynchronous interface with synchronous functions, as SQLite runs them. */
export type Synchronous<T> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Result> ? (...args: Args) => Result : never;
};
