import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { jsonOption, quietOption } from '../shared/common-options.ts';
import { addCrawlOptions, priorityOption, yesOption } from '../shared/crawl-options.ts';

export function enqueueCommand(): Command {
  return addCrawlOptions(new Command('enqueue'))
    .summary('queue crawls for a worker')
    .description('Queues crawls and returns; `trawl work` runs them. Takes the same arguments as `crawl`.')
    .addOption(priorityOption())
    .addOption(yesOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', '\nExample:\n  trawl enqueue followers nasa esa --priority backfill && trawl work')
    .action(loadAction(async () => (await import('./run.ts')).enqueueCrawls));
}
