import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { addAccountOptions } from '../export/selection-options.ts';
import { dbOption, jsonOption, parseSeenSince, quietOption } from '../shared/common-options.ts';

const OLDER_THAN = '--older-than <age>';

export function pruneCommand(): Command {
  return new Command('prune')
    .summary('delete old bodies, tweets, or the data of a job')
    .description(
      'Deletes data that need not be kept, and records it: `trawl coverage`, reports and exports then say `pruned`. What was ' +
        'pruned is not missing, so that crawls do not fetch it again, and not complete. Without a subcommand, applies the ' +
        'retention of all scheduled jobs, as workers do daily.',
    )
    .addCommand(retentionCommand(), { isDefault: true })
    .addCommand(bodiesCommand())
    .addCommand(tweetsCommand())
    .addCommand(jobCommand())
    .addHelpText(
      'after',
      `
Examples:
  trawl prune --dry-run                            what the retention of jobs
                                                   would delete
  trawl prune bodies --older-than 90d
  trawl prune tweets --older-than 2024-01-01 --accounts nasa,esa
  trawl prune job news --older-than 180d --dry-run

Each prune deletes in small transactions, also beside workers: interrupted, it has deleted a part, and the next one
continues. An export or a backup that was made before still has what was deleted.`,
    );
}

/** The options of all subcommands. */
const addCommonOptions = (command: Command): Command =>
  command
    .option('--dry-run', 'only count what would be deleted, by table')
    .option('-y, --yes', 'skip the confirmation')
    .option('--vacuum', 'then rewrite the file: returns its free space, and leaves nothing of deleted rows in it')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption());

const addScopeOptions = (command: Command): Command =>
  addAccountOptions(command).option('--job <name>', 'only what the crawls of a job brought, and no others');

function retentionCommand(): Command {
  return addCommonOptions(
    new Command('retention')
      .summary('apply the retention of the scheduled jobs')
      .description(
        'Deletes what is older than the ages of `retention:` in the files of scheduled jobs. Workers do the same daily.',
      ),
  ).action(loadAction(async () => (await import('./run.ts')).pruneByRetention));
}

function bodiesCommand(): Command {
  return addCommonOptions(
    addScopeOptions(
      new Command('bodies')
        .summary('delete raw bodies of responses')
        .description(
          'Deletes the bodies of responses that were fetched before a time; rows stay. Without them, `trawl rebuild` keeps ' +
            'the rows that it cannot derive again. With accounts, the bodies of their lists.',
        )
        .requiredOption(OLDER_THAN, 'fetched longer ago (90d), or before a day (2025-01-31)', parseSeenSince),
    ),
  ).action(loadAction(async () => (await import('./run.ts')).pruneBodies));
}

function tweetsCommand(): Command {
  return addCommonOptions(
    addScopeOptions(
      new Command('tweets')
        .summary('delete tweets, and the bodies that show them')
        .description(
          'Deletes tweets that were written before a time (first seen, if that is unknown), with their media, links, ' +
            'hashtags, mentions, history and hits of searches, and all bodies of responses that show one of them. Accounts ' +
            'stay. With accounts, only their tweets.',
        )
        .requiredOption(OLDER_THAN, 'written longer ago (90d), or before a day (2025-01-31)', parseSeenSince),
    ),
  ).action(loadAction(async () => (await import('./run.ts')).pruneTweets));
}

function jobCommand(): Command {
  return addCommonOptions(
    new Command('job')
      .summary('delete the data of a job')
      .description(
        'Deletes the bodies of the crawls of a job, and the tweets, follows and accounts that no other crawl has shown. ' +
          'A crawl belongs to the job if one of its runs created it and no other run has joined it; a list, if all its ' +
          'crawls do. Crawls and requests stay, as a record.',
      )
      .argument('<name>', 'the name of the job; it need not be scheduled any more')
      .option(OLDER_THAN, 'only what is older: fetched, written or last seen before', parseSeenSince),
  ).action(loadAction(async () => (await import('./run.ts')).pruneJob));
}
