import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function coverageCommand(): Command {
  return new Command('coverage')
    .summary("show the complete intervals and gaps of an account's lists")
    .description(
      "Prints the complete intervals and the gaps of an account's chronological lists, and compares the stored " +
        "rows with the service's counts. The counts are no proof of gaps: profiles may be stale, and counts may " +
        'include hidden items.',
    )
    .argument('<target>', 'an account: nasa, @nasa, id:11348282 or the URL of its profile')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  trawl coverage nasa')
    .action(loadAction(async () => (await import('./run.ts')).showCoverage));
}
