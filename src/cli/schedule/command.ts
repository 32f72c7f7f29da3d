import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function scheduleCommand(): Command {
  return new Command('schedule')
    .summary('list scheduled jobs and synchronise them with job files')
    .description(
      'Synchronises the schedule with job files, and lists it. `trawl work` runs due jobs: a run queues its ' +
        'crawls, and joins unfinished crawls of the previous run.',
    )
    .addCommand(syncCommand())
    .addCommand(listCommand(), { isDefault: true })
    .addHelpText(
      'after',
      `
A job file, such as jobs/newsroom.yaml (schema for editors: jobs/job.schema.json):
  cron: "0 6 * * *"
  timezone: Europe/Berlin
  kind: timeline
  targets: [nasa, esa]
  options: { since: 30d }

Examples:
  trawl schedule sync
  trawl schedule --json
  trawl work --jobs jobs`,
    );
}

function syncCommand(): Command {
  return new Command('sync')
    .summary('synchronise the schedule with the job files')
    .description(
      'Adds, changes and removes jobs to match the files of the folder. Reports all errors of all files, and changes ' +
        'nothing if there are any. The first run of an interval is due immediately.',
    )
    .argument('[folder]', 'folder of the job files', 'jobs')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./sync.ts')).syncSchedule));
}

function listCommand(): Command {
  return new Command('list')
    .summary('list scheduled jobs')
    .description('Lists scheduled jobs with their next and last runs.')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./list.ts')).listSchedule));
}
