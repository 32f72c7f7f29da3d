import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption, quietOption } from '../shared/common-options.ts';

export function rejectsCommand(): Command {
  const list = new Command('list')
    .summary('list rejected items and dropped fields')
    .description(
      'Lists rejected items and fields that were left out of stored items, with the reason and an example, grouped by ' +
        'endpoint, field and reason.',
    )
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./run.ts')).listRejects));
  const retry = new Command('retry')
    .summary('store rejected items that an update can read')
    .description(
      'Use this after an update of trawl. Parses the stored pages again, without requests, and stores items that are now readable, with their original time. Workers may keep running. A crawl that was partial only ' +
        'because of such items becomes complete. It gives no evidence of unfollows (`trawl rebuild` does), and ' +
        'its gaps stay open until the next crawl.',
    )
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .action(loadAction(async () => (await import('./run.ts')).retryRejects));
  return new Command('rejects')
    .summary('list rejected items and retry them')
    .description('Lists rejected items, and reads them again. Without a subcommand, lists them.')
    .addCommand(list, { isDefault: true })
    .addCommand(retry)
    .addHelpText('after', '\nExamples:\n  trawl rejects\n  trawl rejects retry');
}
