import { CliCommand } from '#cli/shared/cli-command.ts';
import { addOptionsOfCrawl, priorityOption } from '#cli/shared/crawl-options.ts';

export const enqueueCommand = (): CliCommand =>
  addOptionsOfCrawl(new CliCommand('enqueue'))
    .summary('queue crawls for a worker')
    .description('Queues crawls and returns; `trawl work` runs them.')
    .addOption(priorityOption())
    .common('yes', 'json')
    .explains('Example:\n  trawl enqueue followers nasa esa --priority backfill && trawl work')
    .writes(async () => (await import('./run.ts')).enqueueCrawls);
