import type { JobHistoryEntry } from '#analysis/jobs/job-history.ts';

export type { JobHistoryEntry, JobRun, JobRunOutcomeName } from '#analysis/jobs/job-history.ts';

/** What the page Schedules shows: `/api/schedules`. Times are milliseconds UTC, and absent values are null. */
export interface ScheduleListData {
  readonly at: number;
  /** Those that need attention first, then by their next run; disabled ones last. */
  readonly jobs: readonly JobLine[];
}

/** A scheduled job with its latest runs. */
export interface JobLine {
  readonly name: string;
  /** A kind of crawl, or a check: `recheck tweets`. */
  readonly kind: string;
  readonly targets: string;
  /** In words, and as it is written in the job file. */
  readonly schedule: string;
  readonly pattern: string;
  readonly isEnabled: boolean;
  /** The time of a run that has not started. */
  readonly dueAt: number | null;
  /** The coming times after that, the next first. */
  readonly nextAt: readonly number[];
  /** What the page Overview says about it. */
  readonly attention: { readonly severity: 'error' | 'warning'; readonly message: string } | null;
  /** The latest runs, and the times that were missed between them, newest first. */
  readonly history: readonly JobHistoryEntry[];
  /** The sums of these runs. */
  readonly totals: JobYield;
}

/** How much its requests found. */
export interface JobYield {
  readonly requests: number;
  readonly newItems: number;
  /** Changes of known items. */
  readonly changes: number;
}

/** What the page of a job shows: `/api/schedules/:job`. */
export interface JobData {
  readonly at: number;
  readonly line: JobLine;
  /** When the job got its schedule. */
  readonly scheduledAt: number;
  readonly lastSuccessAt: number | null;
  /** What the job file says, by names, in words. */
  readonly definition: readonly { readonly name: string; readonly value: string }[];
  /** Accounts whose handle differs from that of the job, in sentences. */
  readonly renames: readonly string[];
}
