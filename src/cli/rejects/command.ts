import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption, quietOption } from '../shared/common-options.ts';

export function rejectsCommand(): Command {
  const list = new Command('list')
    .summary('list rejected items and dropped fields')
    .description(
      'Lists rejected items and fields that were left out of stored items, with the reason and an example, grouped by\n' +
        'endpoint, field and reason.',
    )
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./run.ts')).listRejects));
  const retry = new Command('retry')
    .summary('read the pages of rejected items again')
    .description(
      'After an update that can read more: reads the stored pages again, without a request, and stores the items that can\n' +
        'be read now, with the time at which they were fetched. Workers may run meanwhile. A crawl that was partial only\n' +
        'because of such items becomes complete. It gives no evidence of unfollows, and gaps stay open until the next\n' +
        'crawl; `trawl rebuild` does both.',
    )
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .action(loadAction(async () => (await import('./run.ts')).retryRejects));
  return new Command('rejects')
    .summary('list rejected items, and read them again')
    .description('Lists rejected items, and reads them again. Without a subcommand, lists them.')
    .addCommand(list, { isDefault: true })
    .addCommand(retry)
    .addHelpText('after', '\nExamples:\n  trawl rejects\n  trawl rejects retry');
}
