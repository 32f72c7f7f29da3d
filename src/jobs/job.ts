import { resolveAge } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { createCrawlSpec, parseCrawlOptions, type CrawlSpec } from '../kinds/crawl-spec.ts';
import type { CrawlOptions, KindName } from '../kinds/kinds.ts';
import type { Priority } from '../quota/priorities.ts';
import type { Budget, ScheduledJob, ScheduleEntry } from '../store/schema/messages.ts';
import type { JobAccounts, CrawlIdentity } from '../store/schema/query-results.ts';
import { parseTimeSpan, type Schedule, type Slots, createSlots } from './job-schedule.ts';
import type { JobDocument } from './job-schema.ts';

/** Where a job's targets come from: it is looked there at every run. */
export type TargetSource = { readonly list: readonly string[] } | { readonly file: string } | { readonly sql: string };

/** Crawls that are asked for again and again. Plain data: it is kept in the store as JSON. */
export interface Job {
  readonly name: string;
  readonly schedule: Schedule;
  readonly kind: KindName;
  readonly targets: TargetSource;
  readonly priority: Priority;
  readonly options: NonNullable<JobDocument['options']>;
  /** What its runs may spend. */
  readonly budget?: Budget | undefined;
}

/** A job as the store keeps it, and back. */
export const createScheduleEntry = (job: Job): ScheduleEntry => ({
  name: job.name,
  job: JSON.stringify(job),
  schedule: JSON.stringify(job.schedule),
});
export const parseJob = ({ job }: Pick<ScheduledJob, 'job'>): Job => JSON.parse(job) as Job;

/** When a scheduled job is due. */
export const createJobSlots = (entry: ScheduledJob): Slots => createSlots(parseJob(entry).schedule, entry.madeAt);

/** What a run of a job asks for, and the targets that are none, each with what is wrong with it. */
export interface JobCrawls {
  readonly specs: readonly CrawlSpec[];
  readonly problems: readonly string[];
}

/**
 * The crawls of one run. What was a handle at the first success of the job is crawled by the account's id from then on:
 * handles get renamed and reused. An age as `since` makes other options every day: a crawl that is unfinished but for that is
 * the same one, and is joined.
 */
export function createJobCrawls(
  job: Job,
  targets: readonly string[],
  now: number,
  { unfinished, accounts }: { unfinished: Iterable<CrawlIdentity>; accounts: JobAccounts },
): JobCrawls {
  const refused: string[] = [];
  const options = createCrawlOptions(job, now);
  const specs = targets.flatMap((target) => {
    try {
      const spec = createCrawlSpec({ kind: job.kind, target, options, priority: job.priority });
      const restId = spec.handle === undefined ? undefined : accounts.get(spec.target);
      return [restId === undefined ? spec : { ...spec, target: `id:${restId}` }];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push(error.message);
      return [];
    }
  });
  if (!hasRelativeSince(job)) return { specs, problems: refused };
  const running = new Map<string, string>();
  for (const crawl of unfinished) running.set(identity(crawl), crawl.options);
  return {
    specs: specs.map((spec) => ({ ...spec, options: running.get(identity(spec)) ?? spec.options })),
    problems: refused,
  };
}

/** Whether the options of the job's crawls depend on the day: then they may join unfinished ones of another day. */
export const hasRelativeSince = ({ options }: Job): boolean => isAge(options.since);

const isAge = (since: string | undefined): boolean => since !== undefined && /[smhd]$/.test(since);

/** Whether a text of the right form names a day that there is, or an age. */
export const isDayOrAge = (since: string): boolean => isAge(since) || new Date(since).toJSON()?.slice(0, 10) === since;

/** Kind, target and options, whatever the day of `since`. */
const identity = (crawl: CrawlIdentity): string =>
  JSON.stringify([crawl.kind, crawl.target, { ...parseCrawlOptions(crawl), since: 0 }]);

/** A job's options as those of a crawl that starts now. */
export function createCrawlOptions({ options }: Pick<Job, 'options'>, now: number): CrawlOptions {
  const { since, then: andThen, ...rest } = options;
  return { ...rest, andThen, since: since === undefined ? undefined : instantOf(since, now) };
}

/** An age is counted back from now, and a day or more to the start of that day. */
function instantOf(since: string, now: number): number {
  if (!isAge(since)) return Date.parse(since);
  return resolveAge(now, parseTimeSpan(since));
}
