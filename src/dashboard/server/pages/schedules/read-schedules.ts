import { answerJob } from '../../../../analysis/jobs/job-answer.ts';
import type { JobHistoryEntry } from '../../../../analysis/jobs/job-history.ts';
import { toSentence } from '../../../../base/text.ts';
import {
  describeKind,
  describeSchedule,
  describeTargets,
  formatSchedule,
} from '../../../../crawl/jobs/describe-job.ts';
import { isEnabled } from '../../../../crawl/jobs/job.ts';
import { readSchedule } from '../../../../store/crawls/stored-schedule.ts';
import type { ScheduledJob } from '../../../../store/schema/job-messages.ts';
import type { JobLine, JobYield, ScheduleListData } from '../../api/schedules.ts';
import type { ReadContext } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';

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
export function readJobLine({ db, now }: Pick<ReadContext, 'db' | 'now'>, entry: ScheduledJob, most: number): JobLine {
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
