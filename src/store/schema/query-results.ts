import type { CrawlOptions } from '../../kinds/kinds.ts';
import type { Priority } from '../../quota/priorities.ts';
import type { CrawlCheckpoint } from './checkpoint.ts';
import type { CoveredSpan } from './messages.ts';

/** What the store's queries return: plain data, decoded. */

/** A stored crawl. */
export interface StoredCrawl {
  readonly id: number;
  readonly kind: string;
  readonly target: string;
  readonly handle: string | null;
  readonly options: CrawlOptions;
  readonly class: Priority;
  readonly parentId: number | null;
  readonly runId: number | null;
  readonly state: string;
  readonly reason: string | null;
  /** The service's id of its account, once that is known. */
  readonly targetId: string | null;
  readonly cursor: string | null;
  readonly checkpoint: CrawlCheckpoint;
  readonly pages: number;
  readonly items: number;
  readonly rejected: number;
  /** Failures in a row. */
  readonly failures: number;
  readonly lease: number;
  /** The most requests that its worker may have sent and not recorded. */
  readonly inFlight: number;
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
  readonly bottom: CoveredSpan['bottom'] | null;
  readonly pages: number;
  readonly items: number;
  readonly gap: { readonly reason: string; readonly cursor: string | null; readonly guard: string | null } | null;
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
