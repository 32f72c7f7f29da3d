import { parseDayOrTime, resolveAge } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { createCrawlSpec, parseCrawlOptions, type CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlOptions, KindName } from '#service/kinds/kinds.ts';
import type { Priority } from '#service/quota/priorities.ts';
import type { Budget } from '#store/schema/commit-messages.ts';
import type { ScheduledJob, ScheduleEntry } from '#store/schema/job-messages.ts';
import type { JobAccounts, CrawlIdentity } from '#store/schema/query-results.ts';
import { parseTimeSpan, type Schedule, type Slots, createSlots } from './job-schedule.ts';
import type { JobDocument } from './job-schema.ts';
import type { JobNotify } from './notify.ts';

/** The source of a job's targets, which is read at every run. */
export type TargetSource =
  | { readonly list: readonly string[] }
  | { readonly file: string }
  | { readonly sql: string }
  | { readonly panel: string };

/** The stored items that a job checks: those with the oldest check first, within the budget of a run. */
export interface JobRecheck {
  readonly items: 'tweets' | 'users';
  /** An age. */
  readonly olderThan?: string | undefined;
  /** Ages of tweets, instead. */
  readonly metricsAt?: readonly string[] | undefined;
  readonly panel?: string | undefined;
  readonly includeDeleted?: true | undefined;
}

/** A target of a run: as typed, or the id of a member of a panel with its handle if that is known. */
export type JobTarget = string | { readonly target: string; readonly handle: string | undefined };

/** Recurring crawls. Plain data: the store keeps it as JSON. */
export interface Job {
  readonly name: string;
  /** False if the job starts no runs; otherwise absent. */
  readonly enabled?: false | undefined;
  readonly schedule: Schedule;
  /** That of single checks, for a job that checks what is stored. */
  readonly kind: KindName;
  readonly targets: TargetSource | { readonly recheck: JobRecheck };
  readonly priority: Priority;
  readonly options: NonNullable<JobDocument['options']>;
  readonly budget?: Budget | undefined;
  readonly notify?: JobNotify | undefined;
  /** Why the data is collected, the approval of an ethics board, and how long the data is kept: for datasets. */
  readonly purpose?: string | undefined;
  readonly ethicsRef?: string | undefined;
  readonly retention?: string | undefined;
  /** The ages at which workers delete data of the job, such as `90d`. */
  readonly retentionLimits?: RetentionLimits | undefined;
}

export interface RetentionLimits {
  readonly bodies?: string | undefined;
  readonly tweets?: string | undefined;
}

/** Whether the job starts runs. */
export const isEnabled = ({ enabled }: Pick<Job, 'enabled'>): boolean => enabled !== false;

/**
 * A job as the store keeps it; `parseJob` is the inverse. A disabled job has another schedule, so that its schedule
 * starts anew when it is enabled: runs that fell due meanwhile are skipped.
 */
export const createScheduleEntry = (job: Job): ScheduleEntry => ({
  name: job.name,
  job: JSON.stringify(job),
  schedule: JSON.stringify(isEnabled(job) ? job.schedule : { ...job.schedule, enabled: false }),
});
export const parseJob = ({ job }: Pick<ScheduledJob, 'job'>): Job => JSON.parse(job) as Job;

/** The times at which a scheduled job is due. */
export const createJobSlots = (entry: ScheduledJob): Slots => createSlots(parseJob(entry).schedule, entry.madeAt);

/** The crawls of a run of a job, and the problems of invalid targets. */
export interface JobCrawls {
  readonly specs: readonly CrawlSpec[];
  readonly problems: readonly string[];
}

/**
 * Creates the crawls of one run. After the first success of the job, an account is crawled by its id: handles are renamed
 * and reused. An age as `since` changes the options daily; an unfinished crawl that differs in `since` only is joined.
 */
export function createJobCrawls(
  job: Job,
  targets: readonly JobTarget[],
  now: number,
  { unfinished, accounts }: { unfinished: Iterable<CrawlIdentity>; accounts: JobAccounts },
): JobCrawls {
  const problems: string[] = [];
  const options = createCrawlOptions(job, now);
  const specs = targets.flatMap((typed) => {
    try {
      const target = typeof typed === 'string' ? { target: typed } : typed;
      const spec = createCrawlSpec({ kind: job.kind, ...target, options, priority: job.priority });
      const restId = spec.handle === undefined ? undefined : accounts.get(spec.target);
      return [restId === undefined ? spec : { ...spec, target: `id:${restId}` }];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  if (!hasRelativeSince(job)) return { specs, problems };
  const running = new Map([...unfinished].map((crawl) => [formatIdentity(crawl), crawl.options]));
  return {
    specs: specs.map((spec) => ({ ...spec, options: running.get(formatIdentity(spec)) ?? spec.options })),
    problems,
  };
}

/** Whether the options of the job's crawls depend on the day. */
export const hasRelativeSince = ({ options }: Job): boolean => isAge(options.since);

const isAge = (since: string | undefined): boolean => since !== undefined && /[smhd]$/.test(since);

/** Whether a text that matches the schema is an existing day or an age. */
export const isDayOrAge = (since: string): boolean => isAge(since) || parseDayOrTime(since) !== undefined;

/** Kind, target and options as text, without the day of `since`. */
const formatIdentity = (crawl: CrawlIdentity): string =>
  JSON.stringify([crawl.kind, crawl.target, { ...parseCrawlOptions(crawl), since: 0 }]);

/** Converts the options of a job to those of a crawl that starts now. */
export function createCrawlOptions({ options }: Pick<Job, 'options'>, now: number): CrawlOptions {
  const { since, noRecheck, ...rest } = options;
  return {
    ...rest,
    ...(noRecheck && { recheck: false }),
    since: since === undefined ? undefined : parseSince(since, now),
  };
}

const parseSince = (since: string, now: number): number =>
  isAge(since) ? resolveAge(now, parseTimeSpan(since)) : Date.parse(since);
