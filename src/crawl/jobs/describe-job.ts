import { toString as describeCron } from 'cronstrue';
import { truncate } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import type { Job } from './job.ts';

/** What a job does, as a kind of crawl or of check. */
export const describeKind = ({ kind, targets }: Job): string =>
  'recheck' in targets ? `recheck ${targets.recheck.items}` : kind;

/** Describes the targets of a job. Texts are cut after `most` characters, and lists after the first target. */
export function describeTargets({ targets }: Job, most: number): string {
  const shorten = (text: string): string => truncate(text, most);
  if ('recheck' in targets) {
    const { olderThan, panel } = targets.recheck;
    return `older than ${olderThan}${panel === undefined ? '' : `, panel ${panel}`}`;
  }
  if ('file' in targets) return `file ${targets.file}`;
  if ('panel' in targets) return `panel ${targets.panel}`;
  if ('sql' in targets) return shorten(targets.sql.replaceAll(/\s+/g, ' ').trim());
  const [first, ...more] = targets.list;
  // `trawl forget` takes forgotten accounts out of the list.
  if (first === undefined) return 'none';
  return shorten(first) + (more.length > 0 ? ` and ${more.length} more` : '');
}

/** A schedule as it is written in a job file: `0 6 * * * Europe/Berlin`, `every 15 min`. */
export const formatSchedule = ({ schedule }: Job): string =>
  'every' in schedule ? `every ${formatDuration(schedule.every)}` : `${schedule.cron} ${schedule.timezone}`;

/** A schedule in words: `At 06:00, Monday through Friday, Europe/Berlin`. A pattern that has no words is written as it is. */
export function describeSchedule(job: Job): string {
  const { schedule } = job;
  if ('every' in schedule) return `Every ${formatDuration(schedule.every)}`;
  try {
    return `${describeCron(schedule.cron, { use24HourTimeFormat: true })}, ${schedule.timezone}`;
  } catch {
    return formatSchedule(job);
  }
}
