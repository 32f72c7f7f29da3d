import { Command, Option } from 'commander';
import { DAY } from '../clock.ts';
import type { BackfillWords } from './backfill-run.ts';
import { dbOption, duration, instant, jsonOption, quietOption, wholeNumber } from './common.ts';

const withWords = (command: Command): Command =>
  command
    .requiredOption('--since <day>', 'the first day', instant)
    .option('--until <day>', 'up to the start of this day (default: now)', instant)
    .addOption(
      new Option('--window <duration>', 'how much one search covers, in whole days')
        .argParser(duration)
        .default(30 * DAY, '30d'),
    )
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .option('--concurrency <n>', 'crawls at a time', wholeNumber(1), 4)
    .option('--no-raw', "do not keep the pages' bodies");

export function backfillCommand(): Command {
  const run = async (what: 'timeline' | 'search', target: string, words: BackfillWords) => {
    const { runBackfill } = await import('./backfill-run.ts');
    process.exitCode = await runBackfill(what, target, words);
  };
  return new Command('backfill')
    .summary('fetch the past, window by window')
    .description(
      'Fetches what is older, in windows of days, newest first. Windows that were completed before are not fetched ' +
        'again, so it can be stopped and started at any time. Search has one page and is sorted by relevance: what it ' +
        'finds is stored, but it proves nothing complete.',
    )
    .addCommand(
      withWords(new Command('timeline').argument('<account>', 'nasa, @nasa or the address of a profile'))
        .summary('the tweets of an account: its timeline as far as it goes, then searches')
        .action((account: string, words: BackfillWords) => run('timeline', account, words)),
    )
    .addCommand(
      withWords(new Command('search').argument('<query>', 'a search string without since: and until:'))
        .summary('what matches a search string')
        .action((query: string, words: BackfillWords) => run('search', query, words)),
    )
    .addHelpText(
      'after',
      `
Examples:
  trawl backfill timeline nasa --since 2019-01-01
  trawl backfill search '"climate" #cop' --since 2024-11-01 --until 2024-12-01 --window 1d`,
    );
}
