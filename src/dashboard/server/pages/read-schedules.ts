import { answerJob, prepareLastSuccess } from '#analysis/jobs/job-answer.ts';
import type { JobHistoryEntry } from '#analysis/jobs/job-history.ts';
import { prepareRenames } from '#analysis/jobs/job-renames.ts';
import { toSentence, pluralize } from '#base/text.ts';
import { describeKind, describeSchedule, describeTargets, formatSchedule } from '#crawl/jobs/describe-job.ts';
import { isEnabled, type Job, parseJob } from '#crawl/jobs/job.ts';
import { DEFAULT_EMPTY_RUNS, DEFAULT_FAILED_RUNS } from '#crawl/jobs/notify.ts';
import { describeRename } from '#crawl/page/crawl-handles.ts';
import type { JobLine, JobYield, ScheduleListData, JobData } from '#dashboard/server/api/schedules.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { readSchedule } from '#store/crawls/stored-schedule.ts';
import type { ScheduledJob } from '#store/schema/job-messages.ts';

/** The runs of each job in the list. */
const LISTED_RUNS = 12;
const TARGET_LENGTH = 120;

/** Reads all scheduled jobs with their latest runs. The store has them, whether or not Redis answers. */
export function readScheduleList({ db, now, remember }: ReadContext): ScheduleListData {
  // Jobs change slowly; reading the runs of many large jobs takes long.
  const read = (): JobLine[] => readSchedule(db).map((entry) => readJobLine({ db, now }, entry, LISTED_RUNS));
  const jobs = remember('job lines', MAX_AGE_MS, read);
  return { at: now, jobs: jobs.toSorted((a, b) => rankJob(a) - rankJob(b) || compareNext(a, b)) };
}

/** Pages are read again whenever the store changes. */
const MAX_AGE_MS = 2000;

const rankJob = ({ attention, isEnabled: isOn }: JobLine): number =>
  attention?.severity === 'error' ? 0 : attention ? 1 : isOn ? 2 : 3;

const compareNext = (a: JobLine, b: JobLine): number => nextOf(a) - nextOf(b) || a.name.localeCompare(b.name);
const nextOf = ({ dueAt, nextAt }: JobLine): number => dueAt ?? nextAt[0] ?? Number.MAX_SAFE_INTEGER;

/** Reads a job with its newest `most` runs. */
function readJobLine({ db, now }: Pick<ReadContext, 'db' | 'now'>, entry: ScheduledJob, most: number): JobLine {
  const { job, dueAt, nextAt, attention, history } = answerJob(db, entry, { most, now });
  return {
    name: job.name,
    kind: describeKind(job),
    targets: toShortLine(describeTargets(job, TARGET_LENGTH)),
    schedule: describeSchedule(job),
    pattern: formatSchedule(job),
    isEnabled: isEnabled(job),
    dueAt,
    nextAt,
    attention: attention && { severity: attention.severity, message: toSentence(attention.message) },
    history: history.map((one) => (one.type === 'run' ? { ...one, reason: toShortLine(one.reason) } : one)),
    totals: sumRuns(history),
  };
}

function sumRuns(history: readonly JobHistoryEntry[]): JobYield {
  const runs = history.filter((entry) => entry.type === 'run');
  const sum = (name: keyof JobYield): number => runs.reduce((total, run) => total + run[name], 0);
  return { requests: sum('requests'), newItems: sum('newItems'), changes: sum('changes') };
}

/** The runs on the page of a job. */
const SHOWN_RUNS = 40;

/** Reads a job with its history; undefined if no job has the name. */
export function readJobPage(context: ReadContext, { parameters }: ReadRequest): JobData | undefined {
  const { db, now } = context;
  const entry = readSchedule(db).find(({ name }) => name === parameters['job']);
  if (!entry) return undefined;
  const line = readJobLine(context, entry, SHOWN_RUNS);
  const renames = prepareRenames(db)(line.history);
  return {
    at: now,
    line,
    lastSuccessAt: prepareLastSuccess(db)(entry.name),
    scheduledAt: entry.madeAt,
    definition: describeDefinition(parseJob(entry)).map(([name, value]) => ({ name, value: toShortLine(value) })),
    renames: renames.map((rename) => toShortLine(describeRename({ ...rename, by: 'the job' }))),
  };
}

/** What a job file says beside schedule, kind and targets, in words. */
function describeDefinition(job: Job): (readonly [name: string, value: string])[] {
  const { priority, options, budget, purpose, ethicsRef } = job;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Priority', priority],
    ['Options', describeValues(options)],
    ['Budget', describeBudget(budget)],
    ['Retention', describeRetention(job)],
    ['Alerts', describeAlerts(job)],
    ['Purpose', purpose],
    ['Ethics', ethicsRef],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]));
}

const describeValues = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
    .join('; ');

function describeBudget(budget: Job['budget']): string | undefined {
  if (!budget) return undefined;
  const { perRun, perDay } = budget;
  return [
    ...(perRun === undefined ? [] : [`${pluralize(perRun, 'request')} a run`]),
    ...(perDay === undefined ? [] : [`${pluralize(perDay, 'request')} a day`]),
  ].join(', ');
}

/** Workers delete by ages; a text is a statement only. */
function describeRetention({ retention, retentionLimits: limits = {} }: Job): string {
  return [
    ...(limits.bodies === undefined ? [] : [`bodies are deleted after ${limits.bodies}`]),
    ...(limits.tweets === undefined ? [] : [`tweets are deleted after ${limits.tweets}`]),
    ...(retention === undefined ? [] : [`stated: ${retention}`]),
  ].join('; ');
}

/** When alerts begin. The rest of a webhook's address may be a secret. */
function describeAlerts({ notify = {} }: Job): string {
  const { failedRuns = DEFAULT_FAILED_RUNS, emptyRuns = DEFAULT_EMPTY_RUNS, url } = notify;
  return [
    ...(failedRuns > 0 ? [`after ${pluralize(failedRuns, 'failed run')} in a row`] : []),
    ...(emptyRuns > 0 ? [`after ${pluralize(emptyRuns, 'run')} in a row without anything new`] : []),
    ...(failedRuns + emptyRuns === 0 ? ['never'] : url === undefined ? [] : [`sent to ${new URL(url).origin}`]),
  ].join(', ');
}
