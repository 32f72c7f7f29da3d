import { Command } from 'commander';
import { dbOption, jsonOption } from '../shared/common-options.ts';
import type { ScheduleOptions } from './list.ts';

/** `trawl schedule`: crawls that are asked for again and again. */
export function scheduleCommand(): Command {
  return new Command('schedule')
    .summary('crawl jobs that run by themselves')
    .description(
      'Puts job files on the schedule, and shows what is on it. `trawl work` makes the runs when it is their time:\n' +
        'a run puts its crawls in line, and joins those of the run before that have not ended.',
    )
    .addCommand(syncCommand())
    .addCommand(listCommand())
    .addHelpText(
      'after',
      `
A job file, such as jobs/newsroom.yaml (jobs/job.schema.json tells editors the rest):
  cron: "0 6 * * *"
  timezone: Europe/Berlin
  kind: timeline
  targets: [nasa, esa]
  options: { since: 30d }

Examples:
  trawl schedule sync
  trawl schedule list --json
  trawl work --jobs jobs`,
    );
}

function syncCommand(): Command {
  return new Command('sync')
    .summary('make the schedule equal to the job files')
    .description(
      'Adds, changes and removes jobs until the schedule is what the files of the folder say. Every mistake of every\n' +
        'file is told, and then nothing is changed. The first run of an interval is due at once.',
    )
    .argument('[folder]', 'where the job files are', 'jobs')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async (folder: string, words: ScheduleOptions) => {
      const { syncSchedule } = await import('./sync.ts');
      await syncSchedule(folder, words);
    });
}

function listCommand(): Command {
  return new Command('list')
    .summary('show the scheduled jobs, their next runs, and what came of the last one')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async (words: ScheduleOptions) => {
      const { listSchedule } = await import('./list.ts');
      await listSchedule(words);
    });
}
