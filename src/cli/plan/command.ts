import { CliCommand } from '#cli/shared/cli-command.ts';
import { addOptionsOfCrawl, concurrencyOption, priorityOption } from '#cli/shared/crawl-options.ts';

export const planCommand = (): CliCommand =>
  addOptionsOfCrawl(new CliCommand('plan'))
    .summary('estimate the cost of crawls before they start')
    .description(
      'Estimates the requests, the share of the quota and the finish time of crawls from stored data. ' +
        'It requests only token-info (the quota), which is free.',
    )
    .addOption(priorityOption())
    .addOption(concurrencyOption())
    .common('json')
    .explains(
      `If facts are unknown, the estimate is a range, and the plan lists them, with what shows them. Failures and renamed accounts are
not included.

Examples:
  trawl plan followers nasa --then profile --max-targets 500
  trawl plan timeline --panel stars --json | jq .expected.requests`,
    )
    .runs(async () => (await import('./run.ts')).runPlan);
