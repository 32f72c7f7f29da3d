import { CliCommand } from '#cli/shared/cli-command.ts';

export const scheduleCommand = (): CliCommand =>
  new CliCommand('schedule')
    .summary('list scheduled jobs and synchronise them with job files')
    .description(
      'Synchronises the schedule with job files, and lists it. `trawl work` runs due jobs: a run queues its ' +
        'crawls, and joins unfinished crawls of the previous run.',
    )
    .addCommand(
      new CliCommand('sync')
        .summary('synchronise the schedule with the job files')
        .description(
          'Adds, changes and removes jobs to match the files of the folder. Reports all errors of all files, and ' +
            'changes nothing if there are any. The first run of an interval is due immediately.',
        )
        .argument('[folder]', 'folder of the job files', 'jobs')
        .common('db', 'json')
        .writes(async () => (await import('./sync.ts')).syncSchedule),
    )
    .addCommand(
      new CliCommand('list')
        .description('Lists scheduled jobs with their next and last runs.')
        .common('db', 'json')
        .runs(async () => (await import('./list.ts')).listSchedule),
      { isDefault: true },
    )
    .explains(
      `A job file, such as jobs/newsroom.yaml (schema for editors: jobs/job.schema.json):
  cron: "0 6 * * *"
  timezone: Europe/Berlin
  kind: timeline
  targets: [nasa, esa]
  options: { since: 30d }`,
    );
