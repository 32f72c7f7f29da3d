import type {
  CrawlPriority,
  CrawlStatus,
  DiskAnswer,
  QuotaAnswer,
  ShipAnswer,
  WorkersAnswer,
} from '#analysis/status/status-model.ts';

/** What the page Overview shows. Times are milliseconds UTC, and absent values are null. */
export interface OverviewData {
  /** When it was read. */
  readonly at: number;
  /** When a crawl or a request last changed the store; null for a store without crawls. */
  readonly changedAt: number | null;
  /** What needs attention, the most urgent first. */
  readonly attention: readonly AttentionItem[];
  readonly throughput: readonly ThroughputData[];
  /** The number of crawls by state; states without a crawl are absent. */
  readonly counts: Readonly<Partial<Record<CrawlState, number>>>;
  readonly growth: GrowthData;
  readonly quota: QuotaData | null;
  readonly spending: SpendingData;
  readonly work: WorkersAnswer;
  /** What waits for each target of shipping; empty without targets. */
  readonly ship: readonly ShipAnswer[];
  /** Unfinished crawls, and failed ones that were not repeated; those that need attention first. */
  readonly crawls: CrawlLines;
}

export type CrawlState = CrawlStatus;
export type PriorityName = CrawlPriority;

/** Something that a person should know about or do. */
export interface AttentionItem {
  /** Unique, and the same in every reading. */
  readonly id: string;
  /** An error needs a person; a warning may end by itself. */
  readonly severity: 'error' | 'warning';
  readonly title: string;
  readonly detail: string | null;
  /** What to do, as a command or a sentence. */
  readonly advice: string | null;
  /** The address of the page with the details. */
  readonly link: string | null;
  /** When it began. */
  readonly since: number | null;
  /** When something happens next, and what. */
  readonly until: number | null;
  readonly untilLabel: string;
}

/** The throughput of a period up to now. */
export interface ThroughputData {
  readonly ms: number;
  readonly requests: number;
  readonly failed: number;
  /** Requests that the service answered with 404. */
  readonly notFound: number;
  readonly items: number;
  readonly bytes: number;
}

/** The sizes of the store's files, in bytes, and the space on the disk. */
export interface GrowthData extends DiskAnswer {
  /** The database without its write-ahead log. */
  readonly bytes: number;
  /** The part of the database that is free for new rows. */
  readonly freePageBytes: number;
  readonly walBytes: number;
}

/** A quota that is known. */
export interface QuotaData extends QuotaAnswer {
  readonly limit: number;
  readonly left: number;
  readonly reserve: number;
  /** The samples of the last time. A null is a break: nobody asked the service for longer than workers do. */
  readonly samples: readonly (readonly [at: number, left: number | null])[];
}

/** The crawls that sent the most requests in a period up to now. */
export interface SpendingData {
  readonly ms: number;
  readonly requests: number;
  /** The most requests first. Child crawls are counted with their root crawl. */
  readonly crawls: readonly { readonly id: number; readonly name: string; readonly requests: number }[];
  /** The requests of all other crawls. */
  readonly others: number;
}

export type { PriorityAnswer, ShipAnswer } from '#analysis/status/status-model.ts';

export interface CrawlLines {
  readonly rows: readonly CrawlLine[];
  /** The number of all crawls that match. */
  readonly total: number;
}

/** A crawl in a table. */
export interface CrawlLine {
  readonly id: number;
  readonly kind: string;
  readonly target: string;
  readonly priority: PriorityName;
  readonly state: CrawlState;
  /** The reason in words, empty if there is none. */
  readonly reason: string;
  /** The crawls that it created, in words; empty if there are none, and outside lists. */
  readonly children: string;
  /** Pages of it and its child crawls, and their expected number; null if none was estimated. */
  readonly pages: number;
  readonly plannedPages: number | null;
  readonly items: number;
  readonly newItems: number;
  /** Requests of it and its child crawls. */
  readonly requests: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** The end of a pause. */
  readonly resumeAt: number | null;
  /** The time remaining of a running crawl at its rate and by the quota, in ms; null if it is unknown. */
  readonly leftMs: number | null;
}
