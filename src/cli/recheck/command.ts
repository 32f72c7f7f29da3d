import { Option } from 'commander';
import { DAY } from '#base/clock.ts';
import { addAccountOptions } from '#cli/export/selection-options.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { parseDuration } from '#cli/shared/common-options.ts';
import { addBudgetOptions, addRunOptions } from '#cli/shared/crawl-options.ts';

const createCommand = (name: string, dryRun: string): CliCommand =>
  addRunOptions(addBudgetOptions(new CliCommand(name).common('db').option('--dry-run', dryRun)));

const createItemsCommand = (items: 'tweets' | 'users', only: string, gone: string): CliCommand =>
  addAccountOptions(createCommand(items, 'print the plan and check nothing'), only)
    .addOption(
      new Option('--older-than <age>', 'check items that were not checked for this time, such as 24h or 90d')
        .argParser(parseDuration)
        .default(30 * DAY, '30d'),
    )
    .option('--include-deleted', `also check ${gone}; items that reappear are marked as restored`)
    .writes(async () => (await import('./run.ts')).runRecheck.bind(undefined, items));

export const recheckCommand = (): CliCommand =>
  new CliCommand('recheck')
    .summary('check whether stored tweets and accounts still exist')
    .description(
      'Requests stored tweets or accounts again, least recently checked first, and records which are deleted, ' +
        'unavailable, renamed or restored.',
    )
    .addCommand(
      createItemsCommand('tweets', 'tweets of ', 'deleted tweets, and tweets of unavailable accounts').description(
        'Checks stored tweets: by a list of the author where that takes fewer requests, otherwise by id. Only a 404 ' +
          'for a tweet shows that it is deleted.',
      ),
    )
    .addCommand(
      createItemsCommand('users', '', 'unavailable accounts').description(
        'Checks stored accounts by their profiles. The service does not say why an account is unavailable.',
      ),
    )
    .addCommand(
      createCommand('follows', 'print the number of candidates and check nothing')
        .summary('decide which candidates unfollowed')
        .description(
          'Decides up to 20 candidates: edges that a truncated list lacked. A candidate whose profile is gone (404) ' +
            'ends as `account gone`. A follower whose own complete list lacks the account ends as `unfollowed`. All ' +
            'others stay candidates.',
        )
        .writes(async () => (await import('./run-follows.ts')).runRecheckFollows),
    )
    .explains(
      `Repeating the command continues: checked items are no longer due.

Examples:
  trawl recheck tweets --older-than 90d --max-requests 500
  trawl recheck users --panel stars --dry-run
  trawl recheck tweets --accounts nasa,esa --include-deleted --json

Exit codes: 0 everything due is checked, 3 some is left for the next run, 1 a check failed.`,
    );
