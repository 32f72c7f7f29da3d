import { Command, Option } from 'commander';
import { UsageError } from '../../errors.ts';
import { PRIORITIES } from '../../quota/priorities.ts';
import { setExitCode } from '../context.ts';
import { EXIT, jsonOption, print, quietOption, printNote } from '../shared/common-options.ts';
import { type CrawlCommandOptions, addCrawlOptions, yesOption } from '../shared/crawl-options.ts';
import type { EnqueueOptions } from './queue-crawls.ts';

export function enqueueCommand(): Command {
  return addCrawlOptions(new Command('enqueue'))
    .summary('queue crawls for a worker')
    .description('Queues crawls and returns; `trawl work` runs them. Takes the same arguments as `crawl`.')
    .addOption(new Option('--priority <priority>', 'priority of the crawls').choices(PRIORITIES).default('interactive'))
    .addOption(yesOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', '\nExample:\n  trawl enqueue followers nasa esa --priority backfill && trawl work')
    .action(async (kind: string, targets: string[], options: CrawlCommandOptions & EnqueueOptions) => {
      const [{ readRequestedCrawls }, { queueCrawls }] = await Promise.all([
        import('../targets/requested-crawls.ts'),
        import('./queue-crawls.ts'),
      ]);
      using named = readRequestedCrawls(kind, targets, options, options.priority);
      if (named.invalidTargets > 0) setExitCode(EXIT.failed);
      if (named.specs.size === 0) return reportNoTargets(options);
      await queueCrawls(named.specs, options);
    });
}

/** No target: a SELECT without rows is no error; a file without targets is. */
function reportNoTargets({ fromFile, fromSql, json }: CrawlCommandOptions): void {
  if (fromFile !== undefined && fromSql === undefined) {
    throw new UsageError(`${fromFile === '-' ? 'standard input' : fromFile} has no target: nothing was queued`, {
      hint: 'One target per line; lines that begin with "# " are comments.',
    });
  }
  if (json) return print(JSON.stringify({ crawls: [] }, null, 2));
  printNote('the statement returned no target: nothing was queued');
}
