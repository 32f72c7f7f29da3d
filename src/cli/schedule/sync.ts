import { systemClock } from '../../clock.ts';
import { openScheduler, connectToQueue } from '../../composition.ts';
import { createScheduleEntry } from '../../jobs/job.ts';
import { createProducer } from '../../queue/producer.ts';
import type { ScheduleChange } from '../../store/schema/messages.ts';
import { openStore } from '../../store/store.ts';
import { getConfig, resolvePath } from '../context.ts';
import { hint } from '../shared/command-hints.ts';
import { type CommonOptions } from '../shared/common-options.ts';
import { openLog } from '../shared/open-log.ts';
import { pluralize } from '../terminal/format.ts';
import { print, printJson, printNote } from '../terminal/output.ts';
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
  else print(describeChanges(changes));
  const workers = queue ? await queue.queues.countWorkers() : 0;
  if (jobs.length > 0 && workers === 0) {
    printNote(`no worker is running: ${hint('work')} starts the runs; missed runs are replaced by one run`);
  }
}

function describeChanges(changes: readonly ScheduleChange[]): string {
  const news = changes.filter(({ change }) => change !== 'unchanged');
  const same = changes.length - news.length;
  if (news.length > 0) return news.map(({ name, change }) => `${change.padEnd(7)} ${name}`).join('\n');
  return same === 0 ? 'no scheduled jobs' : `no changes: ${pluralize(same, 'job')} scheduled`;
}
