import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function coverageCommand(): Command {
  return new Command('coverage')
    .summary('show the complete intervals and gaps of an account')
    .description(
      "Prints the complete intervals and the gaps of an account's chronological lists, and the stored rows beside the\n" +
        "service's own counts. The counts are a separate figure: profiles may be stale, and lists may hide items that they\n" +
        'count.',
    )
    .argument('<target>', 'an account: nasa, @nasa, id:11348282 or the URL of its profile')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  trawl coverage nasa')
    .action(loadAction(async () => (await import('./run.ts')).showCoverage));
}
