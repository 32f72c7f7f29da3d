import { toString as describeCron } from 'cronstrue';
import { truncate } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import { isAdaptive } from './job-schedule.ts';
import type { Job } from './job.ts';

/** What a job does, as a kind of crawl or of check. */
export const describeKind = ({ kind, targets }: Job): string =>
  'recheck' in targets ? `recheck ${targets.recheck.items}` : kind;

/** Describes the targets of a job. Texts are cut after `most` characters, and lists after the first target. */
export function describeTargets({ targets }: Job, most: number): string {
  const shorten = (text: string): string => truncate(text, most);
  if ('recheck' in targets) {
    const { olderThan, metricsAt, panel } = targets.recheck;
    const due = metricsAt ? `at ages ${metricsAt.join(', ')}` : `older than ${olderThan}`;
    return `${due}${panel === undefined ? '' : `, panel ${panel}`}`;
  }
  if ('file' in targets) return `file ${targets.file}`;
  if ('panel' in targets) return `panel ${targets.panel}`;
  if ('sql' in targets) return shorten(targets.sql.replaceAll(/\s+/g, ' ').trim());
  const [first, ...more] = targets.list;
  // `trawl forget` takes forgotten accounts out of the list.
  if (first === undefined) return 'none';
  return shorten(first) + (more.length > 0 ? ` and ${more.length} more` : '');
}

/** A schedule in short: `0 6 * * * Europe/Berlin`, `every 15 min`, or `every 15 min to 7 d`, which differs by target. */
export function formatSchedule({ schedule }: Job): string {
  if ('cron' in schedule) return `${schedule.cron} ${schedule.timezone}`;
  const most = isAdaptive(schedule) ? ` to ${formatDuration(schedule.greatest)}` : '';
  return `every ${formatDuration(schedule.every)}${most}`;
}

/** A schedule in words: `At 06:00, Monday through Friday, Europe/Berlin`. A pattern that has no words is written as it is. */
export function describeSchedule(job: Job): string {
  const { schedule } = job;
  if (isAdaptive(schedule))
    return `Each target every ${formatDuration(schedule.every)} to ${formatDuration(schedule.greatest)}, by its new items`;
  if ('every' in schedule) return `Every ${formatDuration(schedule.every)}`;
  try {
    return `${describeCron(schedule.cron, { use24HourTimeFormat: true })}, ${schedule.timezone}`;
  } catch {
    return formatSchedule(job);
  }
}
