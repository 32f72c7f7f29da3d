import { CliCommand } from '../shared/cli-command.ts';
import { docsPage } from '../shared/docs-page.ts';
import { backlogOption } from './backlog-option.ts';

export const shipCommand = (): CliCommand =>
  new CliCommand('ship')
    .summary('copy collected data to a lake of Parquet files')
    .description(
      'Ships facts, such as "this response showed this account", from the database to Parquet files in a folder or S3, ' +
        'from which a lost database is restored. Several databases may ship to one target: their combined facts equal ' +
        'those of a single database. Without a subcommand, shows the targets.',
    )
    .addCommand(addCommand())
    .addCommand(removeCommand())
    .addCommand(runCommand())
    .addCommand(statusCommand(), { isDefault: true })
    .addCommand(purgeCommand())
    .explains(
      `While a database has a target, each page also stores its facts, in the transaction of its rows. \`trawl ship run\`
moves them to the target. A target begins with a snapshot of the rows that the database has.

Examples:
  trawl ship add lake
  trawl ship run                 until stopped, beside workers
  trawl ship run lake --once     until nothing waits, as from cron
  trawl ship status
  trawl ship remove lake
  trawl ship add s3://bucket/prefix      with AWS_ACCESS_KEY_ID, …

${docsPage('lake.md')} describes the facts and the targets. \`trawl export\` writes tables for other programs.`,
    );

const addCommand = (): CliCommand =>
  new CliCommand('add')
    .summary('record facts for a target from now on')
    .description(
      'Adds a target: from now on, facts are recorded for it. If it exists, changes the given options. The first run ' +
        'writes a snapshot of the rows that the database has. Bodies of pages stay in the database.',
    )
    .argument('<target>', 'a folder, or s3://bucket/prefix')
    .addOption(backlogOption())
    .common('db', 'json')
    .writes(async () => (await import('./targets.ts')).addTarget);

const removeCommand = (): CliCommand =>
  new CliCommand('remove')
    .summary('stop recording facts for a target')
    .description(
      'Removes a target and the facts that wait only for it, so that crawls no longer wait for it. Its facts stay. If it is ' +
        'added again, it begins with a new snapshot.',
    )
    .argument('<target>', 'its folder or address')
    .common('db', 'json')
    .writes(async () => (await import('./targets.ts')).removeTarget);

const runCommand = (): CliCommand =>
  new CliCommand('run')
    .summary('ship facts until stopped')
    .description(
      'Writes the facts that wait, and then new ones. Files of a lake are sealed at 32 MB or after 15 minutes, and when the ' +
        'command is stopped by SIGINT or SIGTERM. It runs beside workers, one process for each target. A run that was ' +
        'killed is continued by the next one. A service that does not answer is tried again.',
    )
    .argument('[target]', 'its folder or address (default: the only one)')
    .option('--once', 'exit when nothing waits, or when the target does not answer')
    .common('db', 'json', 'quiet')
    .writes(async () => (await import('./run.ts')).runShipping);

const purgeCommand = (): CliCommand =>
  new CliCommand('purge')
    .summary('remove forgotten accounts from a target')
    .description(
      'Rewrites the shipped files without the accounts that any of its databases has forgotten: facts about them go, and ' +
        'mentions by others are redacted if `trawl forget` did so. It runs beside `ship run` and readers, and needs no ' +
        'database. Ship waiting facts first. A purge that was stopped or killed is continued by the next one.',
    )
    .argument('<target>', 'its folder or address')
    .option('--dry-run', 'count facts, and change nothing')
    .common('json', 'quiet')
    .runs(async () => (await import('./purge.ts')).runPurge);

const statusCommand = (): CliCommand =>
  new CliCommand('status')
    .summary('show the targets and the facts that wait for them')
    .description('Shows for each target the waiting facts, their age, and the databases that have shipped to it.')
    .common('db', 'json')
    .runs(async () => (await import('./status.ts')).printShipStatus);
