import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { addCrawlOptions, addRunOptions } from '../shared/crawl-options.ts';

export function crawlCommand(): Command {
  return addRunOptions(addCrawlOptions(new Command('crawl')))
    .summary('crawl now and print a summary')
    .description(
      'Runs crawls in this process until they end, and prints a summary. Repeating the command resumes unfinished ' +
        'crawls; otherwise it fetches only new items. Needs TRAWL_API_URL and TRAWL_API_KEY.',
    )
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
  trawl crawl timeline --panel stars
  trawl crawl search '"climate change" #cop from:un since:2025-01-01'

Crawls planned for more than one quota window, or for more than --max-requests, need confirmation or --yes; \`trawl
plan\` prints the
plan.

Exit codes: 0 complete or capped (everything the service shows is stored, but more may exist), 3 partial, 1 failed, 2
usage error, 78 the service refuses the key, 130 interrupted.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runCrawls));
}
