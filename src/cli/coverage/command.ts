import { Command } from 'commander';
import { dbOption, jsonOption } from '../shared/common-options.ts';
import type { CoverageOptions } from './run.ts';

export function coverageCommand(): Command {
  return new Command('coverage')
    .summary('what of an account is stored without a gap')
    .description(
      "Shows which intervals of an account's lists in order of time were walked without a gap, and what is stored beside\n" +
        "the service's own counts. What lies between intervals is not known. The counts are a separate figure: profiles may\n" +
        'be stale, and lists need not show all that is counted.',
    )
    .argument('<target>', 'an account as nasa, @nasa, id:11348282 or the address of its profile')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  trawl coverage nasa')
    .action(async (target: string, words: CoverageOptions) => {
      const { showCoverage } = await import('./run.ts');
      await showCoverage(target, words);
    });
}
