import { Command } from 'commander';
import type { MinFreeSpace } from '../../store/sqlite/disk-space.ts';
import { jsonOption, quietOption, parseIntegerFrom } from '../shared/common-options.ts';
import { type CrawlCommandOptions, minFreeOption, waitOption, addCrawlOptions } from '../shared/crawl-options.ts';

export function crawlCommand(): Command {
  return addCrawlOptions(new Command('crawl'))
    .summary('crawl now and print a summary')
    .description(
      'Runs crawls in this process until they end, and prints a summary. The same command again resumes unfinished ' +
        'crawls, and otherwise fetches only new items. Needs TRAWL_API_URL and TRAWL_API_KEY.',
    )
    .addOption(jsonOption())
    .addOption(quietOption())
    .option('--concurrency <n>', 'number of crawls that run at the same time', parseIntegerFrom(1), 16)
    .addOption(waitOption('5m'))
    .option('-y, --yes', 'skip the confirmation, even for more than one quota window')
    .option('--no-raw', 'do not keep the bodies of pages')
    .addOption(minFreeOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl crawl profile nasa esa
  trawl crawl timeline @nasa --since 2025-01-01
  trawl crawl followers id:11348282 --then profile --max-targets 500
  trawl crawl tweet https://example.org/nasa/status/1234567890
  trawl crawl profile --from-sql \\
    "select rest_id from users where profile_at is null"
  trawl crawl search '"climate change" #cop from:un since:2025-01-01'

Crawls that are expected to take more than one quota window need a confirmation or --yes; \`trawl plan\` prints the
plan.

Exit codes: 0 complete or capped (all that the service shows is stored), 3 partial, 1 failed, 2 usage error.`,
    )
    .action(
      async (
        kind: string,
        targets: string[],
        words: CrawlCommandOptions & {
          concurrency: number;
          raw: boolean;
          wait?: number;
          minFreeDisk?: MinFreeSpace;
          yes?: true;
        },
      ) => {
        const { runCrawls } = await import('./run.ts');
        process.exitCode = await runCrawls(kind, targets, words);
      },
    );
}
