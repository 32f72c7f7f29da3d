import { Command, Option } from 'commander';
import { loadAction } from '../context.ts';
import {
  dbOption,
  parseDuration,
  parseInstant,
  jsonOption,
  quietOption,
  parseSince,
} from '../shared/common-options.ts';
import {
  addBudgetOptions,
  concurrencyOption,
  minFreeOption,
  noRawOption,
  panelOption,
  waitOption,
  yesOption,
} from '../shared/crawl-options.ts';

const addOptions = (command: Command): Command =>
  addBudgetOptions(
    command
      .option('--until <day>', 'end of the range, exclusive: this day at 00:00 UTC (default: now)', parseInstant)
      .option(
        '--window <duration>',
        'maximum length of a search window, such as 30d (default: the whole range)',
        parseDuration,
      )
      .option('--dry-run', 'print the plan and send no request'),
  )
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addOption(waitOption('5m'))
    .addOption(concurrencyOption(4))
    .addOption(yesOption())
    .addOption(noRawOption())
    .addOption(minFreeOption());

const sinceOption = (usual = ''): Option =>
  new Option('--since <day>', `start of the range: a day, or an age such as 30d${usual}`).argParser(parseSince);

export function backfillCommand(): Command {
  return new Command('backfill')
    .summary('fetch missing older items')
    .description(
      'Fetches the missing items of a period. Searches cover windows of days; a window is bisected while its ' +
        'halves show more tweets, down to single days. Complete and searched ranges are skipped, and each finished ' +
        'window is recorded, so a backfill can be stopped and resumed at any time. A search has one page, sorted by ' +
        'relevance: its tweets are stored and its range is marked as searched, never as complete. What was crawled or ' +
        'searched less than a minute ago is up to date.',
    )
    .addCommand(
      addOptions(
        new Command('timeline')
          .argument('[account]', 'nasa, @nasa, id:11348282 or the URL of a profile')
          .addOption(panelOption('also backfill the members of a panel, by id'))
          .addOption(sinceOption(' (default: the creation of the account)')),
      )
        .summary('crawl the timeline of an account, then search for the rest')
        .description(
          'Crawls the timeline as far as the service returns it, if a part of the range is unknown, then searches ' +
            'for the rest.',
        )
        .action(loadAction(async () => (await import('./run.ts')).runBackfill.bind(undefined, 'timeline'))),
    )
    .addCommand(
      addOptions(
        new Command('search')
          .argument('<query>', 'search string without since: and until:')
          .addOption(sinceOption().makeOptionMandatory()),
      )
        .summary('search for tweets, by windows of days')
        .description('Searches windows of days, and bisects a window while its halves show more tweets.')
        .action(loadAction(async () => (await import('./run.ts')).runBackfill.bind(undefined, 'search'))),
    )
    .addHelpText(
      'after',
      `
Examples:
  trawl backfill timeline nasa
  trawl backfill timeline nasa --since 2019-01-01 --dry-run
  trawl backfill timeline --panel stars --since 365d
  trawl backfill search '"climate" #cop' --since 2024-11-01 --until 2024-12-01

Exit codes: 0 the range is complete or searched, 3 a part is missing, or a day has more tweets than a search shows, 1
failed, 2 usage error.`,
    );
}
