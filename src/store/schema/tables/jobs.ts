import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Crawl jobs by the clock: what each asks for, its times, and how far it has come. */
export const scheduledJobs = sqliteTable('_scheduled_jobs', {
  name: text('name').primaryKey(),
  /** The whole job as JSON, and the part of it that says when it runs. */
  definition: text('definition').notNull(),
  schedule: text('schedule').notNull(),
  /** When it got this schedule. */
  scheduledAt: integer('scheduled_at').notNull(),
  /** Which time of its schedule the newest run was for. */
  lastSlotAt: integer('last_slot_at'),
  /** The newest run: when, how many crawls it made and how many it found unfinished, and what went wrong. */
  lastRunAt: integer('last_run_at'),
  lastRunAdded: integer('last_run_added'),
  lastRunJoined: integer('last_run_joined'),
  lastRunError: text('last_run_error'),
});

/** The account that a job means by a handle: the one that its first successful crawl of that handle was of. */
export const jobAccounts = sqliteTable(
  '_job_accounts',
  {
    jobName: text('job_name').notNull(),
    /** As the target of crawls. */
    handle: text('handle').notNull(),
    restId: text('rest_id').notNull(),
    boundAt: integer('bound_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.jobName, t.handle] })],
);
