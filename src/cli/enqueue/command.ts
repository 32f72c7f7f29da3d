import { Command, Option } from 'commander';
import { PRIORITIES } from '../../quota/priorities.ts';
import { loadAction } from '../context.ts';
import { jsonOption, quietOption } from '../shared/common-options.ts';
import { addCrawlOptions, yesOption } from '../shared/crawl-options.ts';

export function enqueueCommand(): Command {
  return addCrawlOptions(new Command('enqueue'))
    .summary('queue crawls for a worker')
    .description('Queues crawls and returns; `trawl work` runs them. Takes the same arguments as `crawl`.')
    .addOption(new Option('--priority <priority>', 'priority of the crawls').choices(PRIORITIES).default('interactive'))
    .addOption(yesOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', '\nExample:\n  trawl enqueue followers nasa esa --priority backfill && trawl work')
    .action(loadAction(async () => (await import('./run.ts')).enqueueCrawls));
}
