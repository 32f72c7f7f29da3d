import { Command } from 'commander';
import type { MinFree } from '../../store/sqlite/disk-space.ts';
import { jsonOption, quietOption, parseIntegerFrom } from '../shared/common-options.ts';
import { type CrawlCommandOptions, minFreeOption, waitOption, addCrawlOptions } from '../shared/crawl-options.ts';

export function crawlCommand(): Command {
  return addCrawlOptions(new Command('crawl'))
    .summary('crawl now, here, and show what came of it')
    .description(
      'Enqueues crawls, works on them here until they have ended, and shows what came of them. ' +
        'The same command again goes on with what is unfinished. Needs TRAWL_API_URL and TRAWL_API_KEY.',
    )
    .addOption(jsonOption())
    .addOption(quietOption())
    .option('--concurrency <n>', 'crawls at a time', parseIntegerFrom(1), 16)
    .addOption(waitOption('5m'))
    .option('-y, --yes', 'do not ask, also when it takes more than a window of the quota')
    .option('--no-raw', "do not keep the pages' bodies")
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

What is planned to take more than a window of the quota asks first, or needs --yes; \`trawl plan\` shows the plan.

Exit codes: 0 complete or capped (all that the service shows is stored), 3 partial, 1 failed, 2 the command is wrong.`,
    )
    .action(
      async (
        kind: string,
        targets: string[],
        words: CrawlCommandOptions & {
          concurrency: number;
          raw: boolean;
          wait?: number;
          minFreeDisk?: MinFree;
          yes?: true;
        },
      ) => {
        const { runCrawls } = await import('./run.ts');
        process.exitCode = await runCrawls(kind, targets, words);
      },
    );
}
