import { Command } from 'commander';
import { dbOption, jsonOption, quietOption } from '../shared/common-options.ts';
import type { RejectsOptions } from './run.ts';

export function rejectsCommand(): Command {
  const list = new Command('list')
    .summary('items and fields that could not be read')
    .description(
      'Lists the items that could not be stored and the fields that were left out of stored items, with the reason and an\n' +
        'example of each. Equal ones are listed together.',
    )
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async (words: RejectsOptions) => {
      const { listRejects } = await import('./run.ts');
      await listRejects(words);
    });
  const retry = new Command('retry')
    .summary('read the pages again that they are on')
    .description(
      'After an update that reads what the version before could not: reads the stored pages again, without a request, and\n' +
        'stores what can be read by now, with the time at which it was seen. Workers may go on meanwhile. A crawl that was\n' +
        'partial only for such items is complete then. What lists lacked is not concluded from it, and gaps stay open until\n' +
        'the next crawl; `trawl rebuild` draws all conclusions.',
    )
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .action(async (words: RejectsOptions) => {
      const { retryRejects } = await import('./run.ts');
      process.exitCode = await retryRejects(words);
    });
  return new Command('rejects')
    .summary('items that were set aside, and reading them again')
    .addCommand(list, { isDefault: true })
    .addCommand(retry)
    .addHelpText('after', '\nExamples:\n  trawl rejects\n  trawl rejects retry');
}
