import { Command } from 'commander';
import {
  dbOption,
  parseDuration,
  parseInstant,
  jsonOption,
  quietOption,
  parseSince,
  parseIntegerFrom,
} from '../shared/common-options.ts';
import { minFreeOption, waitOption, addBudgetOptions } from '../shared/crawl-options.ts';
import type { BackfillOptions } from './run.ts';

const withWords = (command: Command): Command =>
  addBudgetOptions(
    command
      .requiredOption('--since <day>', 'start of the range: a day, or an age such as 30d', parseSince)
      .option('--until <day>', 'end of the range: the start of this day (default: now)', parseInstant)
      .option('--window <duration>', 'maximum length of one search, in days (default: the whole range)', parseDuration)
      .option('--dry-run', 'print the whole plan and send nothing'),
  )
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addOption(waitOption('5m'))
    .option('--concurrency <n>', 'crawls at a time', parseIntegerFrom(1), 4)
    .option('--no-raw', 'do not keep the bodies of pages')
    .addOption(minFreeOption());

export function backfillCommand(): Command {
  const run = async (what: 'timeline' | 'search', target: string, words: BackfillOptions) => {
    const { runBackfill } = await import('./run.ts');
    process.exitCode = await runBackfill(what, target, words);
  };
  return new Command('backfill')
    .summary('collect what is missing of the past')
    .description(
      'Collects what is missing of a range of the past. Searches cover windows of days; a window is bisected as long as ' +
        'the halves show more tweets, down to single days. Ranges that are already complete or searched are skipped, and ' +
        'each window is stored when it ends, so a backfill can be stopped and resumed at any time. A search has one page, ' +
        'sorted by relevance: its tweets are stored and its range is marked as searched, but it proves nothing complete.',
    )
    .addCommand(
      withWords(new Command('timeline').argument('<account>', 'nasa, @nasa, id:11348282 or the URL of a profile'))
        .summary('the tweets of an account: its timeline, then searches for the rest')
        .description(
          'Crawls the timeline as far as it reaches and as long as a part of the range is unknown, then searches for the rest.',
        )
        .action((account: string, words: BackfillOptions) => run('timeline', account, words)),
    )
    .addCommand(
      withWords(new Command('search').argument('<query>', 'search string without since: and until:'))
        .summary('the tweets that match a search string')
        .description('Searches windows of days, and bisects a window as long as the halves show more tweets.')
        .action((query: string, words: BackfillOptions) => run('search', query, words)),
    )
    .addHelpText(
      'after',
      `
Examples:
  trawl backfill timeline nasa --since 2019-01-01
  trawl backfill timeline nasa --since 2019-01-01 --dry-run
  trawl backfill search '"climate" #cop' --since 2024-11-01 --until 2024-12-01

Exit codes: 0 the range is complete or searched, 3 a part is missing or has more tweets than the service shows,
1 failed, 2 usage error.`,
    );
}
