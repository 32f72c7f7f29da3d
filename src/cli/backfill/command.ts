import { Option } from 'commander';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { ACCOUNT_FORMS, parseDuration, parseInstant, parseSince } from '#cli/shared/common-options.ts';
import { addBudgetOptions, addRunOptions, panelOption } from '#cli/shared/crawl-options.ts';

const addOptions = (command: CliCommand): CliCommand =>
  addRunOptions(
    addBudgetOptions(
      command
        .option('--until <day>', 'end of the range, exclusive: this day at 00:00 UTC (default: now)', parseInstant)
        .option('--window <duration>', 'maximum length of a search, such as 30d (default: the range)', parseDuration)
        .option('--dry-run', 'print the plan and send no request')
        .common('db'),
    ),
    4,
  );

const sinceOption = (usual = ''): Option =>
  new Option('--since <day>', `start of the range: a day, or an age such as 30d${usual}`).argParser(parseSince);

export const backfillCommand = (): CliCommand =>
  new CliCommand('backfill')
    .summary('fetch missing older items')
    .description(
      'Fetches the missing tweets of a period. Searches cover windows of days; a window is bisected while its ' +
        'halves show more tweets, down to single days. Complete and searched ranges are skipped, so a backfill can be ' +
        'stopped and resumed at any time. A search has one page, sorted by relevance: its range is marked as ' +
        'searched, never as complete.',
    )
    .addCommand(
      addOptions(
        new CliCommand('timeline')
          .argument('[account]', ACCOUNT_FORMS)
          .addOption(panelOption('also backfill the members of a panel, by id'))
          .addOption(sinceOption(' (default: the creation of the account)')),
      )
        .description('Crawls the timeline as far as the service returns it, then searches for the rest.')
        .writes(async () => (await import('./run.ts')).runBackfill.bind(undefined, 'timeline')),
    )
    .addCommand(
      addOptions(
        new CliCommand('search')
          .argument('<query>', 'search string without since: and until:')
          .addOption(sinceOption().makeOptionMandatory()),
      )
        .description('Searches windows of days, and bisects a window while its halves show more tweets.')
        .writes(async () => (await import('./run.ts')).runBackfill.bind(undefined, 'search')),
    )
    .explains(
      `Examples:
  trawl backfill timeline nasa --since 2019-01-01 --dry-run
  trawl backfill timeline --panel stars --since 365d
  trawl backfill search '"climate" #cop' --since 2024-11-01 --until 2024-12-01

Exit codes: 0 the range is complete or searched, 3 a part is missing, or a day has more tweets than a search shows.`,
    );
