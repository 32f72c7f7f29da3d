import { Command, Option } from 'commander';
import { DAY } from '../../clock.ts';
import { loadAction, resolvePath } from '../context.ts';
import { dbOption, parseDuration } from '../shared/common-options.ts';
import { addBudgetOptions, addRunOptions, panelOption } from '../shared/crawl-options.ts';

const createCommand = (items: 'tweets' | 'users', gone: string): Command =>
  addRunOptions(
    addBudgetOptions(
      new Command(items)
        .addOption(
          new Option('--older-than <age>', 'check what was not checked for so long, such as 24h or 90d')
            .argParser(parseDuration)
            .default(30 * DAY, '30d'),
        )
        .addOption(
          panelOption(items === 'users' ? 'only the members of a panel' : 'only tweets of the members of a panel'),
        )
        .option(
          '--accounts <list>',
          `only ${items === 'users' ? '' : 'tweets of '}these accounts, separated by commas: nasa, @nasa, id:11348282 or a URL`,
          (text: string, previous: readonly string[] | undefined) => [...(previous ?? []), ...text.split(',')],
        )
        .option('--from-file <file>', 'also read accounts from a file (- is standard input), one per line', resolvePath)
        .option('--include-deleted', `also check ${gone}: what came back is restored`),
    )
      .option('--dry-run', 'print the plan and check nothing')
      .addOption(dbOption()),
  ).action(loadAction(async () => (await import('./run.ts')).runRecheck.bind(undefined, items)));

const createFollowsCommand = (): Command =>
  addRunOptions(
    addBudgetOptions(new Command('follows'))
      .option('--dry-run', 'print the number of candidates and check nothing')
      .addOption(dbOption()),
  )
    .summary('decide which candidates unfollowed')
    .description(
      'Decides up to 20 candidates: followers and followed accounts that a list lacked which was cut short, so that it is no ' +
        'evidence. A candidate whose profile is gone (404) ends as `account gone`. A follower whose own complete list of ' +
        'followed accounts lacks the account, a day after it was last seen, ends as `unfollowed`. A followed account is decided by ' +
        'its profile only. All others stay candidates.',
    )
    .action(loadAction(async () => (await import('./run-follows.ts')).runRecheckFollows));

export function recheckCommand(): Command {
  return new Command('recheck')
    .summary('check whether stored tweets and accounts still exist')
    .description(
      'Asks the service for stored tweets or accounts again, the one with the oldest check first, and records which ' +
        'are deleted, unavailable, renamed or restored. An item counts as checked when the service showed it in any ' +
        'response, or answered that it does not have it.',
    )
    .addCommand(
      createCommand('tweets', 'deleted tweets, and tweets of unavailable accounts')
        .summary('check stored tweets')
        .description(
          'Checks stored tweets. Where it takes fewer requests, a list of the author checks many tweets at once; ' +
            'tweets that it lacks are requested by their ids. Only a 404 for a tweet shows that it is deleted.',
        ),
    )
    .addCommand(
      createCommand('users', 'unavailable accounts')
        .summary('check stored accounts')
        .description(
          'Checks stored accounts by their profiles: one request for an unchanged account, two if it is unavailable, ' +
            'three if it is renamed. The service does not say why an account is unavailable, nor whether it is protected.',
        ),
    )
    .addCommand(createFollowsCommand())
    .addHelpText(
      'after',
      `
Repeating the command continues: what was checked is no longer due. With --max-requests, each run checks the oldest
items that fit.

Examples:
  trawl recheck tweets --dry-run
  trawl recheck tweets --older-than 90d --max-requests 500
  trawl recheck users --panel stars
  trawl recheck follows --dry-run
  trawl recheck tweets --accounts nasa,esa --include-deleted --json

Exit codes: 0 everything due is checked, 3 some is left for the next run, 1 a check failed, 2 usage error, 130
interrupted.`,
    );
}
