import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { flag, label, text } from './columns.ts';

/** Scheduled jobs: the definition, the schedule and the latest run. */
export const scheduledJobs = sqliteTable('_scheduled_jobs', {
  name: label('name').primaryKey(),
  /** The whole job, and its schedule, as JSON. */
  definition: text('definition', 'json').notNull(),
  schedule: label('schedule').notNull(),
  /** When the job got this schedule. */
  scheduledAt: integer('scheduled_at').notNull(),
  /** The time of the schedule that the latest run was for. */
  lastSlotAt: integer('last_slot_at'),
  /** The latest run: its time, the numbers of crawls that it created and joined, and its error. */
  lastRunAt: integer('last_run_at'),
  lastRunAdded: integer('last_run_added'),
  lastRunJoined: integer('last_run_joined'),
  lastRunError: text('last_run_error', 'notes'),
});

/** The account that a handle of a job refers to: that of the job's first successful crawl of the handle. */
export const jobAccounts = sqliteTable(
  '_job_accounts',
  {
    jobName: label('job_name').notNull(),
    /** In the form of a crawl target. */
    handle: text('handle', 'account handle').notNull(),
    restId: text('rest_id', 'account id').notNull(),
    boundAt: integer('bound_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.jobName, t.handle] })],
);

/** Alerts that were raised: the state of each, and the delivery of its latest change. */
export const alerts = sqliteTable(
  '_alerts',
  {
    /** `job_failed`, `job_empty`, `key_refused`, `disk_full`, `outage`, `quota_stuck` or `ship_late`. */
    alert: label('alert').notNull(),
    /** The job; empty for an alert of another kind. */
    subject: label('subject').notNull(),
    /** Flag: the condition holds. 0 after its end. */
    isFiring: flag('is_firing').notNull(),
    /** When the condition began or ended. */
    changedAt: integer('changed_at').notNull(),
    /** The content of the notification, as JSON. */
    details: text('details', 'json').notNull(),
    /** The number of attempts to deliver the change. */
    attempts: integer('attempts').notNull(),
    /** When the next attempt is due; null after the delivery, or if it was given up. */
    nextAttemptAt: integer('next_attempt_at'),
  },
  (t) => [primaryKey({ columns: [t.alert, t.subject] })],
);
