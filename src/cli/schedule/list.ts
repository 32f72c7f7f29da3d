import { type JobHistory, prepareJobHistory } from '../../analysis/crawls/job-results.ts';
import { systemClock } from '../../base/clock.ts';
import { truncate } from '../../base/text.ts';
import { describeKind, describeTargets, formatSchedule } from '../../crawl/jobs/describe-job.ts';
import { type Job, isEnabled, parseJob } from '../../crawl/jobs/job.ts';
import { listNextRuns } from '../../crawl/jobs/next-runs.ts';
import { describeRename } from '../../crawl/page/crawl-handles.ts';
import { formatTarget } from '../../service/kinds/target.ts';
import { readSchedule } from '../../store/crawls/stored-schedule.ts';
import type { ScheduledJob } from '../../store/schema/commit-messages.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { readStore } from '../shared/existing-store.ts';
import { hint, pluralize, print, printJson, printNote, renderTable, toIso, formatMinute } from '../terminal/print.ts';

const NEXT_RUNS = 3;
/** The length of SELECTs, targets and problems. */
const SHOWN_TEXT = 40;

/** Prints the schedule of the store. */
export async function listSchedule({ db: path, json }: CommonOptions): Promise<void> {
  const scheduled = await readStore(path, (db) => {
    const readHistory = prepareJobHistory(db);
    return readSchedule(db).map((entry) => ({ ...entry, history: readHistory(entry.name) }));
  });
  const now = systemClock.now();
  if (json) return printJson({ jobs: scheduled.map((entry) => toJobJson(entry, now)) });
  if (scheduled.length === 0) return printNote(`no scheduled jobs: ${hint('schedule sync')} adds job files`);
  const rows = scheduled.map((entry) => {
    const job = parseJob(entry);
    const [next, after] = listNextRuns(entry, now, NEXT_RUNS);
    return [
      job.name,
      formatSchedule(job),
      describeKind(job),
      describeTargets(job, SHOWN_TEXT),
      describeNextRun(job, next, now),
      formatRunTime(after),
      describeLastRun(entry),
      entry.lastRun ? formatRunTime(entry.history.lastSuccessAt ?? undefined) || 'never' : '',
    ];
  });
  print(renderTable(['name', 'runs', 'kind', 'targets', 'next', 'then', 'last run', 'last success'], rows));
  for (const { name, history } of scheduled)
    for (const rename of history.renames) print(`${name}: ${describeRename({ ...rename, by: 'the job' })}`);
}

const describeNextRun = (job: Job, next: number | undefined, now: number): string => {
  if (!isEnabled(job)) return 'disabled';
  return next !== undefined && next <= now ? 'due' : formatRunTime(next);
};

type Listed = ScheduledJob & { readonly history: JobHistory };

function toJobJson(entry: Listed, now: number) {
  const { lastRun, history } = entry;
  const { schedule, notify, ...job } = parseJob(entry);
  return {
    ...job,
    enabled: isEnabled(job),
    // The rest of a webhook's address may be a secret.
    ...(notify && { notify: { ...notify, ...(notify.url && { url: new URL(notify.url).origin }) } }),
    ...schedule,
    nextRuns: listNextRuns(entry, now, NEXT_RUNS).map((at) => toIso(at)),
    lastRun: lastRun && { at: lastRun.at, added: lastRun.added, joined: lastRun.joined, error: lastRun.problem },
    runs: history.runs.map(({ at, crawls, gone }) => ({ at, crawls, gone })),
    lastSuccessAt: history.lastSuccessAt,
    consecutiveFailures: history.consecutiveFailures,
    renames: history.renames.map((rename) => ({ ...rename, holder: rename.holder ?? null })),
  };
}

const formatRunTime = (at: number | undefined): string => (at === undefined ? '' : `${formatMinute(at)}Z`);

const shorten = (text: string): string => truncate(text, SHOWN_TEXT);

/** `2026-01-31 06:00Z: 3 complete, 1 failed (anna: not_found)`; of checks: `500 complete, 7 found gone`. */
function describeLastRun(entry: Listed): string {
  const { lastRun, history } = entry;
  if (!lastRun) return 'never';
  const [newest] = history.runs;
  // The last run may have created no crawl.
  const states = newest && newest.at >= lastRun.at ? Object.entries(newest.crawls) : [];
  const { failure } = history;
  const example = failure ? ` (${formatTarget(failure)}: ${failure.reason})` : '';
  const made = [
    ...states.map(([state, n]) => `${n} ${state}${state === 'failed' ? example : ''}`),
    ...('recheck' in parseJob(entry).targets && states.length > 0 ? [`${newest!.gone} found gone`] : []),
    ...(states.length === 0 ? [pluralize(lastRun.added + lastRun.joined, 'crawl')] : []),
    ...(lastRun.problem ? [shorten(lastRun.problem)] : []),
  ];
  return `${formatRunTime(lastRun.at)}: ${made.join(', ')}`;
}
