import { CliCommand } from '#cli/shared/cli-command.ts';
import { addCrawlOptions, addRunOptions } from '#cli/shared/crawl-options.ts';
import { KIND_NAMES, kindTable } from '#service/kinds/kinds.ts';

const KINDS = KIND_NAMES.map((name) => `  ${name.padEnd(10)} ${kindTable[name].summary}`).join('\n');

export const crawlCommand = (): CliCommand =>
  addRunOptions(addCrawlOptions(new CliCommand('crawl')))
    .summary('crawl now and print a summary')
    .description(
      'Runs crawls in this process until they end, and prints a summary. Repeating the command resumes unfinished ' +
        'crawls; otherwise it fetches only new items. Needs TRAWL_API_URL and TRAWL_API_KEY.',
    )
    .explains(
      `Kinds:
${KINDS}

Examples:
  trawl crawl profile nasa esa
  trawl crawl timeline @nasa --since 2025-01-01
  trawl crawl followers id:11348282 --then profile --max-targets 500
  trawl crawl profile --from-sql \\
    "select rest_id from users where profile_at is null"
  trawl crawl search '"climate change" #cop from:un since:2025-01-01'

Crawls planned for more than one quota window, or for more than --max-requests, need confirmation or --yes.`,
    )
    .writes(async () => (await import('./run.ts')).runCrawls);
