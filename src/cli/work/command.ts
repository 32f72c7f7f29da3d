import { Command } from 'commander';
import { dbOption, quietOption, parseIntegerFrom } from '../shared/common-options.ts';
import { minFreeOption, waitOption } from '../shared/crawl-options.ts';
import type { WorkCommandOptions } from './run.ts';

export function workCommand(): Command {
  return new Command('work')
    .summary('work on the crawls in line until told to stop')
    .description(
      'Works on every unfinished crawl of the database until it gets SIGINT or SIGTERM; then it finishes and stores the ' +
        'pages under way and ends within 5 s. Several may run at once on the machine that has the database. ' +
        'Needs TRAWL_API_URL and TRAWL_API_KEY. Logs are JSON lines on stderr.',
    )
    .addOption(dbOption())
    .option('--concurrency <n>', 'crawls at a time, per class', parseIntegerFrom(1), 16)
    .option('--drain', 'end when no crawl is unfinished any more')
    .addOption(waitOption('1h, with --drain alone'))
    .option('--jobs <folder>', 'make the schedule equal to the job files of a folder first')
    .option('--no-raw', "do not keep the pages' bodies")
    .option(
      '--raw-days <n>',
      "let the pages' bodies go after n days; else TRAWL_RAW_DAYS, or never",
      parseIntegerFrom(1),
    )
    .addOption(minFreeOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl enqueue followers nasa esa && trawl work --drain
  trawl work --jobs jobs`,
    )
    .action(async (words: WorkCommandOptions) => {
      const { runWork } = await import('./run.ts');
      process.exitCode = await runWork(words);
    });
}
