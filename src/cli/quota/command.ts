import { Command, Option } from 'commander';
import { ATTRIBUTIONS, type Attribution } from '../../analysis/crawls/attributions.ts';
import { loadConfig } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { dbOption, jsonOption, parseSeenSince, requireService, parseIntegerFrom } from '../shared/common-options.ts';

interface QuotaWords {
  readonly db: string;
  readonly json?: true;
  readonly by?: Attribution;
  readonly since?: number;
  readonly limit?: number;
}

/** The default number of rows. */
const ROWS = 20;

export function quotaCommand(): Command {
  return new Command('quota')
    .summary("show the key's remaining quota, or what it was spent on")
    .description(
      'Requests token-info once, which is free, and prints how many requests may be sent before trawl pauses. With --by, ' +
        'prints the recorded requests by group, with the requests per new or changed row, and sends no request.',
    )
    .addOption(new Option('--by <what>', 'group recorded requests by this attribute').choices(ATTRIBUTIONS))
    .addOption(
      new Option('--since <day>', 'only requests since then: a day, a time, or an age such as 24h or 30d').argParser(
        parseSeenSince,
      ),
    )
    .option('--limit <n>', 'maximum number of rows; the others are summed up (default: 20)', parseIntegerFrom(1))
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The reserve is the part of the quota that is never used: TRAWL_RESERVE (default: 10%). Above it, each class of crawls
leaves a part of the limit to more urgent ones: TRAWL_FLOORS (default: scheduled=5%,backfill=10%).

Examples:
  trawl quota
  TRAWL_RESERVE=50 trawl quota
  trawl quota --json | jq .spendable
  trawl quota --by crawl --since 7d
  trawl quota --by job --since 2025-01-01 --json`,
    )
    .action(async ({ db, json, by, since, limit }: QuotaWords) => {
      if (by !== undefined) {
        const { printUsage } = await import('./usage-report.ts');
        return await printUsage({ db, json: json ?? false, by, since, limit: limit ?? ROWS });
      }
      if ((since ?? limit) !== undefined) {
        throw new UsageError('--since and --limit need --by', { hint: 'Add --by, such as --by crawl.' });
      }
      const config = loadConfig();
      const service = requireService(config);
      const { printQuota } = await import('./report.ts');
      const { method, reserve, headroomShares } = config;
      await printQuota({ ...service, method, reserve, headroomShares, db, json: json ?? false });
    });
}
