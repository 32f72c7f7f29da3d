import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';
import { panelOption } from '../shared/crawl-options.ts';

export function coverageCommand(): Command {
  return new Command('coverage')
    .summary("show the complete intervals and gaps of an account's lists")
    .description(
      "Prints the complete intervals and the gaps of an account's chronological lists, and compares the stored " +
        "rows with the service's counts. The counts are no proof of gaps: profiles may be stale, and counts may " +
        'include hidden items.',
    )
    .argument('[account]', 'nasa, @nasa, id:11348282 or the URL of a profile')
    .addOption(panelOption('show the members of a panel instead'))
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  trawl coverage nasa\n  trawl coverage --panel stars')
    .action(loadAction(async () => (await import('./run.ts')).showCoverage));
}
