import { Option } from 'commander';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { valueParser } from '#cli/shared/common-options.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import { parseBytes } from '#config.ts';

export const lakeCommand = (): CliCommand =>
  new CliCommand('lake')
    .summary('copy collected data to a folder or S3, and merge it')
    .description(
      'Ships facts, such as "this response showed this account", from the database to files in a folder or S3, ' +
        'of which databases are made again. Several may ship to one target, and are merged into one. ' +
        'Without a subcommand, shows the targets.',
    )
    .addCommand(addCommand())
    .addCommand(removeCommand())
    .addCommand(shipCommand())
    .addCommand(statusCommand(), { isDefault: true })
    .addCommand(purgeCommand())
    .addCommand(compactCommand())
    .addCommand(mergeCommand())
    .explains(
      `While a database has a target, each page also stores its facts, in the transaction of its rows. \`trawl lake ship\`
moves them to the target.

Examples:
  trawl lake add lake
  trawl lake ship                 until stopped, beside workers
  trawl lake ship lake --once     until nothing waits, as from cron
  trawl lake status
  trawl lake merge lake --db all.db
  trawl lake remove lake

${docsPage('lake.md')} describes the facts and the targets. \`trawl export\` writes tables for other programs.`,
    );

const backlogOption = (): Option =>
  new Option(
    '--ship-backlog <size>',
    'pause crawls when facts of this size wait for the target (default: 10GB)',
  ).argParser(valueParser((text) => parseBytes(text) || undefined, 'a size such as 500MB or 10GB'));

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
    .writes(async () => (await import('./edit-targets.ts')).addTarget);

const removeCommand = (): CliCommand =>
  new CliCommand('remove')
    .summary('stop recording facts for a target')
    .description(
      'Removes a target and the facts that wait only for it, so that crawls no longer wait for it. Its facts stay. If it is ' +
        'added again, it begins with a new snapshot.',
    )
    .argument('<target>', 'its folder or address')
    .common('db', 'json')
    .writes(async () => (await import('./edit-targets.ts')).removeTarget);

const shipCommand = (): CliCommand =>
  new CliCommand('ship')
    .summary('ship facts until stopped')
    .description(
      'Writes the facts that wait, and then new ones. Files of a lake are sealed at 32 MB or after 15 minutes, and when the ' +
        'command is stopped by SIGINT or SIGTERM. It runs beside workers, one process for each target. A run that was ' +
        'killed is continued by the next one. A service that does not answer is tried again.',
    )
    .argument('[target]', 'its folder or address (default: the only one)')
    .option('--once', 'exit when nothing waits, or when the target does not answer')
    .common('db', 'json')
    .writes(async () => (await import('./ship.ts')).runShipping);

const purgeCommand = (): CliCommand =>
  new CliCommand('purge')
    .summary('remove forgotten accounts from a target')
    .description(
      'Rewrites the shipped files without the accounts that any of its databases has forgotten: facts about them go, and ' +
        'mentions by others are redacted if `trawl forget` did so. It runs beside `lake ship` and readers, and needs no ' +
        'database. Ship waiting facts first. A purge that was stopped or killed is continued by the next one.',
    )
    .argument('<target>', 'its folder or address')
    .option('--dry-run', 'count facts, and change nothing')
    .common('json')
    .runs(async () => (await import('./change-files.ts')).runPurge);

const compactCommand = (): CliCommand =>
  new CliCommand('compact')
    .summary('combine the files of a target into larger ones')
    .description(
      'Combines the files shipped since the last run; run it once a day, from cron. It runs beside `lake ship` and readers, ' +
        'and needs no database. The next run deletes the files that this one replaced. If killed, run it again.',
    )
    .argument('<target>', 'its folder or address')
    .common('json')
    .runs(async () => (await import('./change-files.ts')).runCompaction);

const statusCommand = (): CliCommand =>
  new CliCommand('status')
    .summary('show the targets and the facts that wait for them')
    .description(
      'Shows for each target the waiting facts, their age, the databases that have shipped to it, and those that lack erasures of others.',
    )
    .common('db', 'json')
    .runs(async () => (await import('./ship-status.ts')).printShipStatus);

const mergeCommand = (): CliCommand =>
  new CliCommand('merge')
    .summary('make one database of all that have shipped to a target')
    .description(
      'Creates a database from the facts of all databases of a target, as if it had sent all their requests: queries, ' +
        'exports, reports, the dashboard and the twin answer from it. Accounts that any of them has forgotten are left ' +
        'out, and unfinished crawls are partial. Run it again to add new facts to the file. If some are older than the ' +
        'merged ones, the file is created again. If killed, run it again.',
    )
    .argument('<target>', 'its folder or address')
    .common('db', 'json')
    .explains(
      `Example:
  trawl lake merge s3://bucket/lake --db all.db

Exit codes: 0 merged, 1 failed, 2 the file is no merged database or nothing was shipped, 130 interrupted.`,
    )
    .runs(async () => (await import('./merge.ts')).runMerge);
