import { Command, Option } from 'commander';
import { loadAction } from '../context.ts';
import { jsonOption, quietOption, parseIntegerFrom } from '../shared/common-options.ts';
import { addCrawlOptions, concurrencyOption, priorityOption } from '../shared/crawl-options.ts';

export function planCommand(): Command {
  return addCrawlOptions(new Command('plan'))
    .summary('estimate the cost of crawls before they start')
    .description(
      'Estimates the requests, the share of the quota and the finish time of crawls from stored data: profiles, ' +
        'page sizes, earlier lists and complete intervals. Takes the same arguments as `crawl`. Without --probe, it ' +
        'requests only token-info (the endpoint that reports the quota), which is free.',
    )
    .addOption(priorityOption())
    .addOption(concurrencyOption())
    .addOption(
      new Option(
        '--probe [n]',
        'fetch missing facts first: first pages of lists, then profiles, with at most n requests (default: 10)',
      ).argParser(parseIntegerFrom(1)),
    )
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
If facts are unknown, the estimate is a range, and the plan lists the facts. The finish time is a range until quota
samples of this key prove the length of the quota window. Failures and renamed accounts are not included.

Examples:
  trawl plan timeline nasa esa
  trawl plan followers nasa --then profile --max-targets 500
  trawl plan followers nasa --probe
  trawl plan timeline --json --from-sql \\
    "select rest_id from users where statuses_count > 1000" \\
    | jq .expected.requests`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runPlan));
}
