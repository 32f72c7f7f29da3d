import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { refusePseudonyms } from '../export/pseudonym-options.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';
import { panelOption } from '../shared/crawl-options.ts';
import { olderThanOption } from '../shared/evidence-options.ts';

export function coverageCommand(): Command {
  const command = new Command('coverage')
    .summary("show what is complete of an account's lists, and why the rest is not")
    .description(
      'Draws the lists of tweets of an account on a time axis, from its creation to the last check: complete parts, gaps ' +
        'and unknown parts, with reasons. Followers and followed accounts have a state with a date. The stored rows stand ' +
        "beside the service's counts, with the known reasons for their difference. The counts are no proof of gaps: " +
        'profiles may be stale, and counts may include hidden items.',
    )
    .argument('[account]', 'nasa, @nasa, id:11348282 or the URL of a profile');
  return refusePseudonyms(command, 'coverage is shown of named accounts')
    .addOption(panelOption('show the members of a panel instead'))
    .addOption(olderThanOption())
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl coverage nasa
  trawl coverage --panel stars

Exit codes: 0 success, 1 failed, 2 usage error, 3 with --older-than, if stored tweets are unchecked for so long.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).showCoverage));
}
