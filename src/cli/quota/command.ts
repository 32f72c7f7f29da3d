import { Command, Option } from 'commander';
import { ATTRIBUTIONS, type Attribution } from '../../analysis/crawls/attributions.ts';
import { UsageError } from '../../errors.ts';
import {
  type CommonOptions,
  dbOption,
  jsonOption,
  parseSeenSince,
  parseIntegerFrom,
} from '../shared/common-options.ts';
import type { UsageOptions } from './usage-report.ts';

export function quotaCommand(): Command {
  return new Command('quota')
    .summary("show the key's remaining quota, or its usage")
    .description(
      'Prints how many requests may be sent before trawl pauses. Requests token-info (the endpoint that reports ' +
        'the quota) once, which is free. With --by, ' +
        'prints the recorded requests by group, with the requests per new or changed row, and sends no request.',
    )
    .addOption(new Option('--by <what>', 'group recorded requests by this attribute').choices(ATTRIBUTIONS))
    .addOption(
      new Option('--seen-since <day>', 'only requests since this day, time, or age such as 24h or 30d').argParser(
        parseSeenSince,
      ),
    )
    .option('--limit <n>', 'maximum number of rows; the last row sums up the others (default: 20)', parseIntegerFrom(1))
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The reserve is the part of the quota that is never used: TRAWL_RESERVE (default: 10%). Above it, each priority
leaves a part of the limit to more urgent ones: TRAWL_HEADROOM (default: scheduled=5%,backfill=10%).

Examples:
  trawl quota
  TRAWL_RESERVE=50 trawl quota
  trawl quota --json | jq .spendable
  trawl quota --by crawl --seen-since 7d
  trawl quota --by job --seen-since 2025-01-01 --json`,
    )
    .action(async ({ by, ...options }: CommonOptions & UsageOptions & { readonly by?: Attribution }) => {
      if (by !== undefined) {
        const { printUsage } = await import('./usage-report.ts');
        return await printUsage(by, options);
      }
      if ((options.seenSince ?? options.limit) !== undefined) {
        throw new UsageError('--seen-since and --limit need --by', { hint: 'Add --by, such as --by crawl.' });
      }
      const { printQuota } = await import('./report.ts');
      await printQuota(options);
    });
}
