import { systemClock } from '#base/clock.ts';
import { getConfig, resolvePath } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { openLog } from '#cli/shared/open-log.ts';
import { hint, pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { openScheduler } from '#composition.ts';
import { createScheduleEntry, isEnabled, type Job } from '#crawl/jobs/job.ts';
import { createProducer } from '#crawl/queue/producer.ts';
import { connectToQueue } from '#library/run/queue-connection.ts';
import type { ScheduleChange } from '#store/schema/job-messages.ts';
import { openStore } from '#store/store.ts';
import { loadJobs } from './load-jobs.ts';

/** Synchronises the schedule with the job files of a folder, and prints the changes. */
export async function syncSchedule(folder: string, options: CommonOptions): Promise<void> {
  const config = getConfig();
  const jobs = loadJobs(resolvePath(folder), options.db);
  await using store = openStore(options.db);
  await using queue = await connectToQueue({ config, db: options.db, storeId: store.id });
  const changes = await store.write.setSchedule(jobs.map(createScheduleEntry), systemClock.now());
  if (queue) {
    const { queues } = queue;
    const producer = createProducer({ store, queues, clock: systemClock });
    await using scheduler = openScheduler({ store, queues, producer, log: openLog({ level: 'warn' }) });
    await scheduler.restore();
  }
  if (options.json) printJson({ changes });
  else print(describeChanges(changes, jobs));
  const workers = queue ? await queue.queues.countWorkers() : 0;
  if (jobs.length > 0 && !jobs.some(isEnabled)) {
    printNote('all jobs are disabled: remove `enabled: false` from the job files that are to run, and sync again');
  } else if (jobs.length > 0 && workers === 0) {
    printNote(`no worker is running: ${hint('work')} starts the runs; missed runs are replaced by one run`);
  }
}

function describeChanges(changes: readonly ScheduleChange[], jobs: readonly Job[]): string {
  const disabled = new Set(jobs.filter((job) => !isEnabled(job)).map(({ name }) => name));
  const news = changes.filter(({ change }) => change !== 'unchanged');
  const same = changes.length - news.length;
  const describeChange = ({ name, change }: ScheduleChange): string =>
    `${change.padEnd(7)} ${name}${disabled.has(name) ? ' (disabled)' : ''}`;
  if (news.length > 0) return news.map(describeChange).join('\n');
  const off = disabled.size === 0 ? '' : `, ${disabled.size} disabled`;
  return same === 0 ? 'no scheduled jobs' : `no changes: ${pluralize(same, 'job')} scheduled${off}`;
}
