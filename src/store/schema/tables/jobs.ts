import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Scheduled jobs: the definition, the schedule and the latest run. */
export const scheduledJobs = sqliteTable('_scheduled_jobs', {
  name: text('name').primaryKey(),
  /** The whole job, and its schedule, as JSON. */
  definition: text('definition').notNull(),
  schedule: text('schedule').notNull(),
  /** When the job got this schedule. */
  scheduledAt: integer('scheduled_at').notNull(),
  /** The time of the schedule that the latest run was for. */
  lastSlotAt: integer('last_slot_at'),
  /** The latest run: its time, the numbers of crawls that it created and joined, and its error. */
  lastRunAt: integer('last_run_at'),
  lastRunAdded: integer('last_run_added'),
  lastRunJoined: integer('last_run_joined'),
  lastRunError: text('last_run_error'),
});

/** The account that a handle of a job refers to: that of the job's first successful crawl of the handle. */
export const jobAccounts = sqliteTable(
  '_job_accounts',
  {
    jobName: text('job_name').notNull(),
    /** In the form of a crawl target. */
    handle: text('handle').notNull(),
    restId: text('rest_id').notNull(),
    boundAt: integer('bound_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.jobName, t.handle] })],
);
