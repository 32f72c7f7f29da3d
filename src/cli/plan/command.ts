import { Command, Option } from 'commander';
import { PRIORITIES } from '../../quota/priorities.ts';
import { jsonOption, quietOption, parseIntegerFrom } from '../shared/common-options.ts';
import { addCrawlOptions } from '../shared/crawl-options.ts';
import type { PlanOptions } from './run.ts';

export function planCommand(): Command {
  return addCrawlOptions(new Command('plan'))
    .summary('what crawls would cost, before they are begun')
    .description(
      'Tells how many requests crawls would take, how much of the quota that is, and when they would be finished: by what ' +
        'is stored of the accounts, by the page sizes and lists that were seen, and by what is known complete already. ' +
        'Takes the same words as crawl. Sends nothing but token-info, which is free.',
    )
    .addOption(new Option('--class <class>', 'how urgent it is').choices(PRIORITIES).default('interactive'))
    .option('--concurrency <n>', 'crawls at a time', parseIntegerFrom(1), 16)
    .addOption(
      new Option(
        '--probe [n]',
        'find out what is missing by first pages of lists, then profiles, with n requests at most (default: 10)',
      ).argParser(parseIntegerFrom(1)),
    )
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
What is not known makes a range: at least, most likely, at most. The plan says which fact is missing. The time is a range,
with the reason, until returns of spent requests of this key prove how long a window of the quota lasts. Failures, and
accounts that were renamed, are not planned.

Examples:
  trawl plan timeline nasa esa
  trawl plan followers nasa --then profile --max-targets 500
  trawl plan followers nasa --probe
  trawl plan timeline --json --from-sql \\
    "select rest_id from users where statuses_count > 1000" | jq .requests`,
    )
    .action(async (kind: string, targets: string[], words: PlanOptions) => {
      const { runPlan } = await import('./run.ts');
      process.exitCode = await runPlan(kind, targets, words);
    });
}
