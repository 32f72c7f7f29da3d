import type { BodyEncoding } from '#base/raw-bodies.ts';
import type { CrawlCheckpoint, ItemPosition } from '#service/kinds/checkpoint.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { PageRows, StagedRows } from './normalised-rows.ts';

/** Messages between crawls and the store: plain, clonable data, since the writer may run in another thread. */

/** The maximum of requests of a run: in total, and per day (UTC). */
export interface Budget {
  readonly perRun?: number | undefined;
  readonly perDay?: number | undefined;
}

/** The run that other workers leave a crawl to until a time. */
export interface SoftLock {
  readonly owner: string;
  readonly until: number;
}

export interface OpenedCrawl {
  readonly id: number;
  /** An unfinished crawl of the same identity existed. */
  readonly isJoined: boolean;
}

/** An ended crawl to reopen where it stopped, with its new options. */
export interface Resumption {
  readonly id: number;
  readonly options: string;
  /** The run with its new budget; without it, the crawl has no budget. */
  readonly runId?: number | undefined;
}

/** What a process crawls with. */
export interface CrawlSource {
  readonly trawlVersion: string;
  /** The service's host, with its port and path prefix if its address has them. */
  readonly serviceHost: string;
  /** A name of the API key that does not reveal it. */
  readonly keyLabel: string;
}

/** A request that was sent, successful or not. */
export interface RequestEntry {
  readonly endpoint: string;
  readonly at: number;
  readonly status: number | null;
  readonly ms: number;
  readonly bytes: number;
  readonly error?: string | undefined;
}

/** A response of the service. */
export interface ServedPage {
  readonly endpoint: string;
  /** The parameters of the request as JSON, without the API key. */
  readonly parameters: string;
  readonly status: number;
  /** The headers as JSON, without secrets. */
  readonly headers?: string | undefined;
  readonly fetchedAt: number;
  readonly body: Uint8Array;
  /** The body as it arrived, if it is stored like that. */
  readonly gzip?: Uint8Array | undefined;
  /** SHA-256 of the body, if it was computed before. */
  readonly hash?: string | undefined;
}

/** A response as it is stored: with the SHA-256 of its body, and the body compressed. */
export interface RawPage extends Omit<ServedPage, 'gzip'> {
  readonly hash: string;
  readonly encoding: BodyEncoding;
}

/** Whether an endpoint follows or ignores cursors. */
export interface CursorSupport {
  readonly endpoint: string;
  readonly cursor: 'followed' | 'ignored';
}

/** @property account a digest of the account whose page shows it */
export interface ObservedCursorSupport {
  readonly endpoint: string;
  readonly cursor: CursorSupport['cursor'] | 'asked';
  readonly account: string;
}

/** What one account showed of an endpoint that has to be remembered: a hint that was tried, or a sign of incomplete responses. */
export interface EndpointFinding {
  readonly endpoint: string;
  readonly finding: string;
  /** A digest of the account or of another target. */
  readonly account: string;
  readonly outcome: string;
  readonly seenAt: number;
}

/** A 403 or a 404 in place of a page. */
export interface Refusal {
  readonly endpoint: string;
  /** The id, the handle or the query that was requested. */
  readonly subject: string;
  readonly cause: 'forbidden' | 'not_found';
}

/** The number of entries on a page. */
export interface PageSize {
  readonly endpoint: string;
  readonly entries: number;
}

/** A part of a list that was read without a gap: the items strictly between its bounds (invariant 5). */
export interface CoveredSpan {
  readonly newest: ItemPosition;
  readonly oldest: ItemPosition;
  /** The list ended below `oldest`, so that all items older than `newest` are covered. */
  readonly bottom?: 'served' | 'inferred' | undefined;
  /** The reason for a gap below, if the crawl continued after it. */
  readonly below?: 'rejected_items' | undefined;
  /** Pages and items since the last report of the span. */
  readonly pages: number;
  readonly items: number;
}

/** The change of coverage by a page. */
export interface CoverageUpdate {
  /** Newest first. The crawl continues below the last one. */
  readonly spans: readonly CoveredSpan[];
  /** The spans that the page shows without those before it. */
  readonly pageSpans?: readonly CoveredSpan[] | undefined;
  /** The crawl has skipped what an earlier one had read: `spans` may contain some of it. */
  readonly hasSkipped?: boolean | undefined;
  /** The crawl has read all entries between these times: other items are not in the list. */
  readonly reread?: { readonly above: number; readonly below: number } | undefined;
  /** The crawl continues below the interval that ends at this time. */
  readonly into?: number | undefined;
  /** Why the crawl does not continue below the spans that it reported before. */
  readonly left?: 'out_of_order' | 'cursor_refused' | undefined;
}

/** A time range that was searched. It is no evidence of completeness. */
export interface SearchedWindow {
  /** The search string without dates. */
  readonly query: string;
  readonly from: number;
  readonly to: number;
  /** For a day with more tweets than a page shows: its newest and oldest result. */
  readonly saturated?: { readonly newerId: string; readonly olderId: string } | undefined;
}

/** The rows of a response, with the time of its request. */
export interface Observation {
  readonly at: number;
  readonly rows: PageRows;
  /** The position of the response in its step. */
  readonly responseIndex?: number | undefined;
}

/** A page of a crawl, which is stored in one transaction or not at all (invariant 1). */
export interface PageCommit extends Observation {
  readonly crawlId: number;
  /** The lease of the crawl. A page with a stale lease changes nothing (invariant 3). */
  readonly lease: number;
  /** The cursor of the request. The page is stored only after the page that returned it (invariant 1). */
  readonly requestCursor: string | null;
  /** The other responses of the step, such as the look-up of a handle, each with its own time. */
  readonly lookups?: readonly Observation[] | undefined;
  /** The endpoints of the responses to keep, in order. */
  readonly endpoints?: readonly string[] | undefined;
  /** Their bodies, compressed or not; empty if bodies are neither kept nor shipped. */
  readonly bodies: readonly (ServedPage | RawPage)[];
  /** For a rebuild, whose steps are recorded already: the ids of the bodies. */
  readonly storedBodyIds?: readonly number[] | undefined;
  readonly requests: readonly RequestEntry[];
  /** How far the crawl is after this page. */
  readonly progress: {
    readonly cursor: string | null;
    readonly checkpoint: CrawlCheckpoint | null;
    readonly targetRestId: string | null;
    /** The increments of the counters. A page that only resolves a handle adds no page and no items. */
    readonly pages: number;
    readonly items: number;
    readonly rejectedItems: number;
  };
  readonly coverage?: CoverageUpdate | undefined;
  readonly searchedWindow?: SearchedWindow | undefined;
  readonly end?: CrawlEnd | undefined;
  /** Digest of the bodies of a whole list of followed accounts. Equal lists may be copies of one cached response. */
  readonly listDigest?: string | undefined;
  /** Child crawls of this page; those that the crawl tree contains already are skipped. */
  readonly children: readonly CrawlSpec[];
  /** The maximum of targets of the crawl tree, if the user set a limit. */
  readonly maxTargets?: number | undefined;
  /** The observed cursor support of the endpoint, or that this crawl asks again whether its cursors work. */
  readonly cursorSupport?: ObservedCursorSupport | undefined;
  readonly finding?: Omit<EndpointFinding, 'seenAt'> | undefined;
  /** The last refusal of the step. An end that rests on a 404 is left out where a control request has to come first. */
  readonly refusal?: Refusal | undefined;
  /** Set if the page is the largest one of its endpoint so far. */
  readonly pageSize?: PageSize | undefined;
}

/** A page commit as a crawl sends it: the writer may hold its rows and bodies already. */
export interface SubmittedPage extends Omit<PageCommit, 'rows' | 'bodies'> {
  readonly rows: PageRows | StagedRows;
  readonly bodies: readonly SubmittedBody[];
}

/** A response, with its body or the id of the staged page that has it. */
export interface SubmittedBody extends Omit<ServedPage, 'body'> {
  readonly body: Uint8Array | Pick<StagedRows, 'stagedId'>;
}

export interface CommitResult {
  /** New items of the page. */
  readonly newItems: number;
  /** The rows of the page by type, including rows that the store had. */
  readonly rowCounts: Readonly<Record<'users' | 'tweets' | 'follows' | 'rejects', number>>;
  readonly children: readonly OpenedCrawl[];
  /** The end of the crawl: that of the page, or none before a control request; `capped` if the list is closed or cut short; `cancelled` if its account is forgotten. */
  readonly end?: CrawlEnd | undefined;
}

/** The release of a crawl without a page: to wait, to retry or to stop. */
export interface LeaseRelease {
  readonly crawlId: number;
  readonly lease: number;
  readonly at: number;
  readonly state: 'queued' | 'paused';
  readonly reason?: string | undefined;
  readonly error?: string | undefined;
  readonly resumeAt?: number | undefined;
  /** Consecutive failures, including this one. */
  readonly failures: number;
  readonly requests: readonly RequestEntry[];
}

export interface QuotaSampleRow {
  readonly at: number;
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number | undefined;
  /** A hash of the service's address and the API key, never the key. */
  readonly keyHash: string;
}
