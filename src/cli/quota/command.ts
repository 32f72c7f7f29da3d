import { Option } from 'commander';
import { ATTRIBUTIONS } from '#analysis/crawls/attributions.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { parseIntegerFrom, parseSeenSince } from '#cli/shared/common-options.ts';

export const quotaCommand = (): CliCommand =>
  new CliCommand('quota')
    .summary("show the key's remaining quota, or its usage")
    .description(
      'Prints how many requests may be sent before trawl pauses. Requests token-info (the endpoint that reports the ' +
        'quota) once, which is free. With --by, prints the recorded requests by group, with the requests per new or ' +
        'changed row, and sends no request.',
    )
    .addOption(new Option('--by <attribute>', 'group recorded requests by this attribute').choices(ATTRIBUTIONS))
    .option('--seen-since <day>', 'only requests since this day, time, or age such as 24h or 30d', parseSeenSince)
    .option('--limit <n>', 'maximum number of rows; the last row sums up the others (default: 20)', parseIntegerFrom(1))
    .common('db', 'json')
    .explains(
      `The reserve is the part of the quota that is never used: TRAWL_RESERVE. Above it, each priority leaves a part of the
limit to more urgent ones: TRAWL_HEADROOM.

Examples:
  trawl quota --json | jq .spendable
  trawl quota --by crawl --seen-since 7d`,
    )
    .runs(async () => (await import('./report.ts')).runQuota);
