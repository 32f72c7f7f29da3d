import { type JobAnswer, prepareLastSuccess, answerJob } from '#analysis/jobs/job-answer.ts';
import { type JobRename, prepareRenames } from '#analysis/jobs/job-renames.ts';
import { systemClock } from '#base/clock.ts';
import { truncate } from '#base/text.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { formatMinute, hint, print, printJson, printNote, renderTable, toIso } from '#cli/terminal/print.ts';
import { describeKind, describeTargets, formatSchedule } from '#crawl/jobs/describe-job.ts';
import { isEnabled } from '#crawl/jobs/job.ts';
import { describeRename } from '#crawl/page/crawl-handles.ts';
import { readSchedule } from '#store/crawls/stored-schedule.ts';

/** The runs of each job that are read, and the coming ones that --json lists. */
const RUNS = 10;
const NEXT_RUNS = 3;
/** The length of SELECTs, targets and reasons. */
const SHOWN_TEXT = 40;

interface ListedJob extends JobAnswer {
  readonly lastSuccessAt: number | null;
  readonly renames: readonly JobRename[];
}

/** Prints the schedule of the store. */
export async function listSchedule({ db: path, json }: CommonOptions): Promise<void> {
  const now = systemClock.now();
  const jobs = await readStore(path, (db) => {
    const readLastSuccess = prepareLastSuccess(db);
    const readRenames = prepareRenames(db);
    return readSchedule(db).map((entry): ListedJob => {
      const answer = answerJob(db, entry, { most: RUNS, now });
      return { ...answer, lastSuccessAt: readLastSuccess(entry.name), renames: readRenames(answer.history) };
    });
  });
  if (json) return printJson({ jobs: jobs.map(toJobJson) });
  if (jobs.length === 0) return printNote(`no scheduled jobs: ${hint('schedule sync')} adds job files`);
  const rows = jobs.map((listed) => {
    const { job, sentence, dueAt, nextAt, lastSuccessAt } = listed;
    return [
      job.name,
      formatSchedule(job),
      describeKind(job),
      describeTargets(job, SHOWN_TEXT),
      sentence,
      formatRunTime(nextAt[dueAt === null ? 1 : 0] ?? null),
      describeLastRun(listed),
      listed.history.some(({ type }) => type === 'run') ? formatRunTime(lastSuccessAt) || 'never' : '',
    ];
  });
  print(renderTable(['name', 'runs', 'kind', 'targets', 'next', 'then', 'last run', 'last success'], rows));
  for (const { label, renames } of jobs)
    for (const rename of renames) print(`${label}: ${describeRename({ ...rename, by: 'the job' })}`);
}

function toJobJson({ job, nextAt, ...answer }: ListedJob) {
  const { schedule, notify, ...definition } = job;
  return {
    ...definition,
    enabled: isEnabled(job),
    // The rest of a webhook's address may be a secret.
    ...(notify && { notify: { ...notify, ...(notify.url && { url: new URL(notify.url).origin }) } }),
    ...schedule,
    ...answer,
    nextRuns: [...(answer.dueAt === null ? [] : [answer.dueAt]), ...nextAt].slice(0, NEXT_RUNS).map((at) => toIso(at)),
    renames: answer.renames.map((rename) => ({ ...rename, holder: rename.holder ?? null })),
  };
}

const formatRunTime = (at: number | null): string => (at === null ? '' : `${formatMinute(at)}Z`);

/** `2026-01-31 06:00Z: partial, 1 of 2 crawls failed: all attempts failed`. */
function describeLastRun({ history }: ListedJob): string {
  const last = history.find(({ type }) => type === 'run');
  if (last?.type !== 'run') return 'never';
  const { at, outcome, reason } = last;
  return `${formatRunTime(at)}: ${[outcome, truncate(reason, SHOWN_TEXT)].filter((part) => part !== '').join(', ')}`;
}
