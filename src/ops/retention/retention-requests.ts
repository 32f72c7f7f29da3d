import { MINUTE, resolveAge } from '#base/clock.ts';
import { parseTimeSpan } from '#crawl/jobs/job-schedule.ts';
import { parseJob } from '#crawl/jobs/job.ts';
import { readSchedule } from '#store/crawls/stored-schedule.ts';
import type { PruneRequest } from '#store/retention/prune-request.ts';
import type { Db } from '#store/sqlite/database.ts';

/** A request by the retention of a job. */
export type RetentionRequest = PruneRequest & { readonly jobName: string };

/** Lists what the retentions of the scheduled jobs ask for as of now: bodies first, since tweets need not read those. */
export const listRetentionRequests = (db: Db, now: number): RetentionRequest[] =>
  readSchedule(db).flatMap((entry) => {
    const { name: jobName, retentionLimits = {} } = parseJob(entry);
    return (['bodies', 'tweets'] as const).flatMap((scope) => {
      const age = retentionLimits[scope];
      return age === undefined
        ? []
        : [{ scope, jobName, olderThan: resolveAge(now, parseTimeSpan(age)), isRetention: true }];
    });
  });

/** The requests that were not completed within the last day, or within their own age if that is shorter. */
export const listDueRequests = (db: Db, now: number): RetentionRequest[] =>
  listRetentionRequests(db, now).filter((request) => {
    const age = now - request.olderThan!;
    return !isAppliedSince(db, request, now - Math.min(age, DAILY_MS));
  });

/** A check that comes a little earlier than that of the day before counts, too. */
const DAILY_MS = 23 * 60 * MINUTE;

const isAppliedSince = ({ $client }: Db, { scope, jobName }: RetentionRequest, since: number): boolean =>
  $client
    .prepare<[string, string, number]>(
      `select 1 from _prunes where job_name = ? and scope = ? and is_retention and finished_at is not null and started_at > ?`,
    )
    .get(jobName, scope, since) !== undefined;
