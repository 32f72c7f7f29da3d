import type { Answer } from '../answer.ts';

/** The answers of `trawl status`. Times are milliseconds UTC, and absent values are null. */

/** The state of a crawl: unfinished (`queued`, `running`, `paused`), or how it ended. */
export type CrawlStatus = 'queued' | 'running' | 'paused' | 'complete' | 'capped' | 'partial' | 'failed' | 'cancelled';

/** The priorities, most urgent first: when the quota is low, less urgent crawls pause first. */
export type CrawlPriority = 'interactive' | 'scheduled' | 'backfill';

/** A stored crawl. */
export interface CrawlAnswer extends Answer<CrawlStatus> {
  readonly id: number;
  readonly kind: string;
  /** The canonical target, such as `nasa` or `id:11348282`. */
  readonly target: string;
  readonly handle: string | null;
  readonly targetRestId: string | null;
  readonly priority: CrawlPriority;
  readonly options: object;
  readonly isComplete: boolean;
  readonly reason: string | null;
  readonly ending: string | null;
  /** The reason and the ending in words; empty if there is nothing to say. */
  readonly why: string;
  /** The last error. */
  readonly error: string | null;
  readonly pages: number;
  readonly items: number;
  readonly newItems: number;
  readonly rejectedItems: number;
  readonly requests: number;
  /** The maximum number of requests that killed workers sent without a record. */
  readonly unknownRequests: number;
  readonly parentId: number | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  readonly resumeAt: number | null;
  readonly finishedAt: number | null;
}

/** What keeps crawls from running. */
export interface HoldAnswer extends Answer {
  /** The sentence without times and error. */
  readonly cause: string;
  readonly since: number | null;
  /** The time of `next`. */
  readonly until: number | null;
  readonly next: string;
  readonly error: string | null;
}

export interface PauseAnswer extends HoldAnswer {
  readonly reason: string | null;
  readonly crawls: number;
}

/** An outage of the service, or of some of its endpoints. */
export interface OutageAnswer extends HoldAnswer {
  readonly isWholeService: boolean;
  readonly endpoints: readonly string[];
  readonly failedProbes: number;
  readonly probeAt: number | null;
}

export interface PriorityAnswer {
  /** It stops when so many requests are left; null before the first sample. */
  readonly headroom: number | null;
  /** How many requests it may send now. */
  readonly spendable: number;
  readonly hold: HoldAnswer | null;
}

/** The quota of the API key. */
export interface QuotaAnswer extends Answer<'available' | 'paused' | 'unknown'> {
  /** The ledger of all workers, or the last sample of token-info, less the requests since. */
  readonly source: 'ledger' | 'sample' | null;
  readonly limit: number | null;
  /** A lower bound of the requests that are left. */
  readonly left: number | null;
  /** The requests that are never used. */
  readonly reserve: number | null;
  readonly resetAt: number | null;
  /** When token-info last answered. */
  readonly sampledAt: number | null;
  /** Why the numbers are estimates. */
  readonly note: string | null;
  readonly estimatedSince: number | null;
  readonly priorities: Readonly<Record<CrawlPriority, PriorityAnswer>>;
}

/** The processes that run crawls. */
export interface WorkersAnswer extends Answer<'running' | 'none' | 'unknown'> {
  readonly workers: number | null;
  /** Those of them on hosts without the database. */
  readonly joined: readonly {
    readonly host: string;
    readonly keyLabel: string;
    /** Why it sends no requests of some priority. */
    readonly hold: string | null;
  }[];
  /** The number of `trawl crawl` runs. */
  readonly runs: number;
}

/** The space on the disk of the store. */
export interface DiskAnswer extends Answer<'enough' | 'scarce' | 'low'> {
  readonly freeBytes: number;
  /** Crawls pause while less is free. */
  readonly minFreeBytes: number;
  /** Null for a store younger than a day. */
  readonly growthBytesPerDay: number | null;
  /** Until crawls pause; null without growth. */
  readonly daysLeft: number | null;
}

/** What waits to be shipped to a target. */
export interface ShipAnswer extends Answer<'current' | 'late' | 'full'> {
  readonly target: string;
  readonly waitingEntries: number;
  readonly waitingBytes: number;
  readonly maxBacklogBytes: number;
  readonly waitingSince: number | null;
  readonly lagSeconds: number;
  readonly isSnapshotDue: boolean;
}

/** The state of a store, its workers and its quota. */
export interface StoreStatus {
  readonly at: number;
  readonly db: {
    readonly path: string;
    readonly bytes: number;
    readonly freePageBytes: number;
    readonly walBytes: number;
  };
  readonly disk: DiskAnswer;
  readonly workers: WorkersAnswer;
  /** The jobs of the queue; null if it is not running, or cannot be read. */
  readonly queue: {
    readonly description: string;
    readonly active: number;
    readonly waiting: number;
    readonly delayed: number;
  } | null;
  readonly outage: OutageAnswer | null;
  readonly quota: QuotaAnswer;
  /** The number of crawls by kind and state, without zeros. */
  readonly crawls: Readonly<Record<string, Readonly<Partial<Record<CrawlStatus, number>>>>>;
  /** Running and paused crawls, the last updated first. */
  readonly active: readonly CrawlAnswer[];
  readonly paused: readonly PauseAnswer[];
  readonly ship: readonly ShipAnswer[];
  readonly unknownRequests: number;
  /** The throughput up to now. */
  readonly rates: readonly {
    readonly seconds: number;
    readonly requests: number;
    readonly failed: number;
    readonly notFound: number;
    readonly items: number;
    readonly bytes: number;
  }[];
}
