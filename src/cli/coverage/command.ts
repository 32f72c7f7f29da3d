import { refusePseudonyms } from '#cli/export/pseudonym-options.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { ACCOUNT_FORMS } from '#cli/shared/common-options.ts';
import { panelOption } from '#cli/shared/crawl-options.ts';
import { olderThanOption } from '#cli/shared/evidence-options.ts';

export function coverageCommand(): CliCommand {
  const command = new CliCommand('coverage')
    .summary("show the complete parts of an account's lists, and why the rest is not complete")
    .description(
      'Draws the lists of tweets of an account on a time axis: complete parts, gaps and unknown parts, with reasons. ' +
        "Followers and followed accounts have a state with a date. The stored rows stand beside the service's counts, " +
        'which may be stale or include hidden items, and prove no gap.',
    )
    .argument('[account]', ACCOUNT_FORMS)
    .addOption(panelOption('show the members of a panel instead'))
    .addOption(olderThanOption())
    .common('db', 'json')
    .explains('Examples:\n  trawl coverage nasa\n  trawl coverage --panel stars')
    .runs(async () => (await import('./run.ts')).showCoverage);
  refusePseudonyms(command, 'coverage is shown for named accounts');
  return command;
}
