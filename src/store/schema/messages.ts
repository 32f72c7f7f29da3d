import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import type { CrawlEnd } from '../../kinds/end-states.ts';
import type { CrawlCheckpoint } from './checkpoint.ts';
import type { PageRows } from './rows.ts';

/** What crosses between the crawl and the store: plain, clonable data, so that the writer may live in another thread. */

/** How many requests a run may send: in all, and on a day (UTC). */
export interface Budget {
  readonly perRun?: number | undefined;
  readonly perDay?: number | undefined;
}

/** A run that keeps crawls to itself until a time, so that other workers leave them alone. */
export interface SoftLock {
  readonly owner: string;
  readonly until: number;
}

export interface OpenedCrawl {
  readonly id: number;
  /** An unfinished crawl of the same identity was there already. */
  readonly isJoined: boolean;
}

/** An ended crawl to open again where it stopped, with the options that it has from now on. */
export interface Resumption {
  readonly id: number;
  readonly options: string;
  /** A run of its own, for what it may spend from here; without it, it has no budget any more. */
  readonly runId?: number | undefined;
}

/** A request that was sent, with or without success. */
export interface RequestEntry {
  readonly endpoint: string;
  readonly at: number;
  readonly status: number | null;
  readonly ms: number;
  readonly bytes: number;
  readonly error?: string | undefined;
}

/** An answer as it came. */
export interface ServedPage {
  readonly endpoint: string;
  /** The request's parameters as JSON; the key is not among them. */
  readonly parameters: string;
  readonly status: number;
  readonly fetchedAt: number;
  readonly body: Uint8Array;
  /** SHA-256 of the body, where it was needed already. */
  readonly hash?: string | undefined;
}

/** What is stored of it: the SHA-256 of its body, and the body compressed. */
export interface RawPage extends ServedPage {
  readonly hash: string;
  readonly encoding: 'br' | 'deflate';
}

/** Whether an endpoint was seen to follow a cursor, or to ignore it. */
export interface CursorSupport {
  readonly endpoint: string;
  readonly cursor: 'followed' | 'ignored';
}

/** How many entries a page of an endpoint had. */
export interface PageSize {
  readonly endpoint: string;
  readonly entries: number;
}

/** An item of a list in order of time. */
export interface ItemPosition {
  readonly id: string;
  readonly at: number;
}

/** A stretch of a list that was seen without a gap: it claims what is strictly between its marks (invariant 5). */
export interface CoveredSpan {
  readonly newest: ItemPosition;
  readonly oldest: ItemPosition;
  /** The list ended below `oldest`: then all that is older than `newest` is claimed. */
  readonly bottom?: 'served' | 'inferred' | undefined;
  /** Why nothing is claimed right below, where the crawl left a hole there and went on. */
  readonly below?: 'rejected_items' | undefined;
  /** Pages and items that were walked for it since it was told last. */
  readonly pages: number;
  readonly items: number;
}

/** What a page adds to what is known complete of its list. */
export interface CoverageUpdate {
  /** Newest first; where the crawl goes on, below the last of them. */
  readonly spans: readonly CoveredSpan[];
  /** Between these times the crawl itself has now seen the list, entry by entry: what is not there is not in it. */
  readonly reread?: { readonly above: number; readonly below: number } | undefined;
  /** The crawl goes on below the interval that ends at this time. */
  readonly into?: number | undefined;
  /** Why the crawl does not go on below what it claimed before. */
  readonly left?: 'out_of_order' | 'cursor_refused' | undefined;
}

/** A stretch of time that a search was asked about to the end: what it shows of it was seen, and nothing is proven. */
export interface SearchedWindow {
  /** The search string, without the dates. */
  readonly query: string;
  readonly from: number;
  readonly to: number;
  /** It is a day that hides more than a page shows: the newest and the oldest of what it showed. */
  readonly saturated?: { readonly newerId: string; readonly olderId: string } | undefined;
}

/** What one answer showed. */
export interface Observation {
  readonly at: number;
  readonly rows: PageRows;
  /** Which of the step's answers it is, by its place among them. */
  readonly responseIndex?: number | undefined;
}

/** One page of a crawl: everything here is stored in one transaction, or nothing is (invariant 1). */
export interface PageCommit extends Observation {
  readonly crawlId: number;
  /** The lease under which the page was fetched: a stale one changes nothing (invariant 3). */
  readonly lease: number;
  /** The cursor that the page was asked with: it is stored only on top of the page that gave it (invariant 1). */
  readonly requestCursor: string | null;
  /** What other answers of the same step showed, such as the look-up of a handle: each was observed when it was asked. */
  readonly lookups?: readonly Observation[] | undefined;
  /** The endpoints that answered, in order, with something to keep. */
  readonly endpoints?: readonly string[] | undefined;
  /** Their bodies; none where bodies are not kept. */
  readonly bodies: readonly RawPage[];
  /** A rebuild: the step is on record, and this is where its bodies are. */
  readonly storedBodyIds?: readonly number[] | undefined;
  readonly requests: readonly RequestEntry[];
  /** The checkpoint after this page. */
  readonly checkpoint: {
    readonly cursor: string | null;
    readonly guard: CrawlCheckpoint | null;
    readonly targetId: string | null;
    /** What this commit adds to the counters. A page that only resolves a handle adds no page and no items. */
    readonly pages: number;
    readonly items: number;
    readonly rejected: number;
  };
  readonly coverage?: CoverageUpdate | undefined;
  readonly searchedWindow?: SearchedWindow | undefined;
  readonly end?: CrawlEnd | undefined;
  /** Digest of the bodies of a whole list of followed accounts: equal lists may be copies of one cached answer. */
  readonly listDigest?: string | undefined;
  /** Crawls that this page gives rise to, as far as their family does not have them yet. */
  readonly children: readonly CrawlSpec[];
  /** How many targets the family may have, where the user set a limit. */
  readonly maxTargets?: number | undefined;
  /** What the page taught about its endpoint's cursors. */
  readonly cursorSupport?: CursorSupport | undefined;
  /** The page is the longest that its endpoint was seen to give. */
  readonly pageSize?: PageSize | undefined;
}

export interface CommitResult {
  /** Items of the page that the store did not have. */
  readonly newItems: number;
  readonly children: readonly OpenedCrawl[];
  /** How the crawl ended: as the page says, or `capped` where its list is closed or cut short. */
  readonly end?: CrawlEnd | undefined;
}

/** An activation gives its crawl back without a page: to wait, to retry, or because it was told to stop. */
export interface LeaseRelease {
  readonly crawlId: number;
  readonly lease: number;
  readonly at: number;
  readonly state: 'queued' | 'paused';
  readonly reason?: string | undefined;
  readonly error?: string | undefined;
  readonly resumeAt?: number | undefined;
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly requests: readonly RequestEntry[];
}

export interface QuotaSampleRow {
  readonly at: number;
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number | undefined;
  /** A hash of the service's address and the API key: never the key. */
  readonly keyHash: string;
}

/** A job to schedule, as JSON; `schedule` is the part of it that says when it runs. */
export interface ScheduleEntry {
  readonly name: string;
  readonly job: string;
  readonly schedule: string;
}

/** A job that is scheduled, and how far it has come. */
export interface ScheduledJob extends ScheduleEntry {
  /** When it got this schedule. */
  readonly madeAt: number;
  /** Which time of its schedule the newest run was for; null before the first one. */
  readonly slot: number | null;
  readonly lastRun: ScheduledRun | null;
}

/** What came of a run. */
export interface ScheduledRun {
  readonly at: number;
  /** Crawls that it made, and unfinished ones that it found. */
  readonly added: number;
  readonly joined: number;
  /** What went wrong, in words. */
  readonly problem: string | null;
}

/** A run that is about to be made. */
export interface ScheduledRunStart {
  readonly name: string;
  readonly slot: number;
  readonly at: number;
  readonly specs: readonly CrawlSpec[];
  readonly budget?: Budget | undefined;
  readonly problem: string | null;
}

export interface ScheduleChange {
  readonly name: string;
  readonly change: 'added' | 'changed' | 'removed' | 'unchanged';
}
