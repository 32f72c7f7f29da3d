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
      .requiredOption('--since <day>', 'the first day, or an age such as 30d', parseSince)
      .option('--until <day>', 'up to the start of this day (default: now)', parseInstant)
      .option('--window <duration>', 'the most days that one search may cover (default: all of them)', parseDuration)
      .option('--dry-run', 'show the whole plan, and send nothing'),
  )
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addOption(waitOption('5m'))
    .option('--concurrency <n>', 'crawls at a time', parseIntegerFrom(1), 4)
    .option('--no-raw', "do not keep the pages' bodies")
    .addOption(minFreeOption());

export function backfillCommand(): Command {
  const run = async (what: 'timeline' | 'search', target: string, words: BackfillOptions) => {
    const { runBackfill } = await import('./run.ts');
    process.exitCode = await runBackfill(what, target, words);
  };
  return new Command('backfill')
    .summary('fetch the past, as far as it is missing')
    .description(
      'Fetches what is missing of the past. Searches are of windows of days, asked again in halves as long as that brings ' +
        'more, down to single days. What was fetched or searched before is left out, and every window is stored when it ' +
        'is done, so it can be stopped and started at any time. Search has one page and is sorted by relevance: what it ' +
        'finds is stored, and what it was asked about is noted as seen, but it proves nothing complete.',
    )
    .addCommand(
      withWords(new Command('timeline').argument('<account>', 'nasa, @nasa, id:11348282 or the address of a profile'))
        .summary('the tweets of an account: its timeline as far as it goes or is needed, then searches')
        .description(
          'Walks the timeline as far as the service gives it and something of the time asked for is unknown, then searches ' +
            'for what that did not reach.',
        )
        .action((account: string, words: BackfillOptions) => run('timeline', account, words)),
    )
    .addCommand(
      withWords(new Command('search').argument('<query>', 'a search string without since: and until:'))
        .summary('what matches a search string')
        .description('Searches windows of days, and asks again in halves as long as that brings more.')
        .action((query: string, words: BackfillOptions) => run('search', query, words)),
    )
    .addHelpText(
      'after',
      `
Examples:
  trawl backfill timeline nasa --since 2019-01-01
  trawl backfill timeline nasa --since 2019-01-01 --dry-run
  trawl backfill search '"climate" #cop' --since 2024-11-01 --until 2024-12-01

Exit codes: 0 all of it is known complete or was searched, 3 something hides more than the service shows or is
missing still, 1 failed, 2 the command is wrong.`,
    );
}
