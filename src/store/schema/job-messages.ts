import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { Budget } from './commit-messages.ts';

/** Messages between scheduled jobs, alerts and the store: plain, clonable data. */

/** A job to schedule, and its schedule, both as JSON. */
export interface ScheduleEntry {
  readonly name: string;
  readonly job: string;
  readonly schedule: string;
}

/** A scheduled job with its latest run. */
export interface ScheduledJob extends ScheduleEntry {
  /** When the job got this schedule. */
  readonly madeAt: number;
  /** The time of the schedule that the latest run was for; null before the first run. */
  readonly slot: number | null;
  readonly lastRun: ScheduledRun | null;
}

/** The result of a run. */
export interface ScheduledRun {
  readonly at: number;
  /** The numbers of crawls that it created and of unfinished crawls that it joined. */
  readonly added: number;
  readonly joined: number;
  /** An error message. */
  readonly problem: string | null;
}

/** A run to start. */
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

/** The alerts: a job failed or found nothing new in several runs in a row; the service refuses the key. */
export type AlertName =
  | 'job_failed'
  | 'job_empty'
  | 'key_refused'
  | 'disk_full'
  | 'outage'
  | 'quota_stuck'
  | 'ship_late';

/** An alert of a job, or of the worker and its key (subject ''). */
export interface AlertKey {
  readonly alert: AlertName;
  readonly subject: string;
}

/** The current state of an alert. */
export interface AlertState extends AlertKey {
  readonly isFiring: boolean;
  /** What the notification says, as JSON. */
  readonly details: string;
}

/** A stored alert, with the delivery of its latest change. */
export interface StoredAlert extends AlertState {
  readonly changedAt: number;
  readonly attempts: number;
  /** Null after the delivery, or if it was given up. */
  readonly nextAttemptAt: number | null;
}

/** An attempt to deliver a change, which only the process that claims it makes. */
export interface AlertAttempt extends AlertKey {
  readonly changedAt: number;
  /** The number of attempts before this one. */
  readonly attempts: number;
}
