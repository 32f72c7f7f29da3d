import { addAccountOptions } from '#cli/export/selection-options.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { parseSeenSince } from '#cli/shared/common-options.ts';

const OLDER_THAN = '--older-than <age>';

/** A command with the options of all subcommands. */
const pruneSubcommand = (name: string): CliCommand =>
  new CliCommand(name)
    .option('--dry-run', 'count the rows to delete, by table; delete nothing')
    .option('--vacuum', 'then rewrite the file, so that it has no free space and nothing of deleted rows')
    .common('yes', 'db', 'json');

const scopeCommand = (name: string, before: string): CliCommand =>
  addAccountOptions(pruneSubcommand(name))
    .option('--job <name>', 'only data collected by crawls of this job alone')
    .requiredOption(OLDER_THAN, `${before} longer ago (90d), or before a day (2025-01-31)`, parseSeenSince);

export const pruneCommand = (): CliCommand =>
  new CliCommand('prune')
    .summary('delete old bodies, tweets, or the data of a job')
    .description(
      'Deletes data that need not be kept, and records it: `trawl coverage`, reports and exports then say `pruned`. ' +
        'Crawls do not fetch it again. Without a subcommand, applies the retention of all scheduled jobs, as workers ' +
        'do daily.',
    )
    .addCommand(
      pruneSubcommand('retention')
        .description('Deletes data older than the ages of `retention:` in the files of scheduled jobs.')
        .writes(async () => (await import('./run.ts')).pruneByRetention),
      { isDefault: true },
    )
    .addCommand(
      scopeCommand('bodies', 'fetched')
        .summary('delete raw bodies of responses')
        .description(
          'Deletes the bodies of responses that were fetched before a time. Rows stay, but `trawl rebuild` cannot ' +
            'derive them again. With accounts, the bodies of their lists.',
        )
        .writes(async () => (await import('./run.ts')).pruneBodies),
    )
    .addCommand(
      scopeCommand('tweets', 'written')
        .summary('delete tweets, and the bodies that show them')
        .description(
          'Deletes tweets that were written before a time (first seen, if that is unknown), with all that belongs to ' +
            'them, and all bodies that show one of them. Accounts stay. With accounts, only their tweets.',
        )
        .writes(async () => (await import('./run.ts')).pruneTweets),
    )
    .addCommand(
      pruneSubcommand('job')
        .summary('delete the data of a job')
        .description(
          'Deletes the bodies of the crawls of a job, and the tweets, follows and accounts that no other crawl has ' +
            'shown. Crawls and requests stay, as a record.',
        )
        .argument('<name>', 'the name of the job; it need not be scheduled any more')
        .option(OLDER_THAN, 'only older data: fetched, written or last seen before', parseSeenSince)
        .writes(async () => (await import('./run.ts')).pruneJob),
    )
    .explains(
      `Examples:
  trawl prune bodies --older-than 90d
  trawl prune tweets --older-than 2024-01-01 --accounts nasa,esa
  trawl prune job news --older-than 180d --dry-run

Each prune deletes in small transactions, also beside workers: interrupted, the next one continues. An export or a
backup that was made before still has the deleted data.`,
    );
