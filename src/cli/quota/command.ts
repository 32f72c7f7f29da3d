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

/** So many lines tell where most of it went. */
const LINES = 20;

export function quotaCommand(): Command {
  return new Command('quota')
    .summary("how much of the key's quota is left")
    .description(
      'Asks token-info once, which is free, and says how many requests may be sent before trawl pauses. With --by, tells ' +
        'instead what the requests in the store were spent on, and what each new or changed row cost: that asks nobody.',
    )
    .addOption(new Option('--by <what>', 'what the quota was spent on, by this').choices(ATTRIBUTIONS))
    .addOption(
      new Option('--since <day>', 'only requests from then on: a day, a time, or 24h, 30d').argParser(parseSeenSince),
    )
    .option('--limit <n>', 'how many lines at most; the others are summed up (default: 20)', parseIntegerFrom(1))
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The reserve is the part of the quota that is never spent: TRAWL_RESERVE, 10% unless set. Above it, each class of crawls
leaves something to the more urgent ones: TRAWL_FLOORS, scheduled=5%,backfill=10% of the limit unless set.

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
        return await printUsage({ db, json: json ?? false, by, since, limit: limit ?? LINES });
      }
      if ((since ?? limit) !== undefined) {
        throw new UsageError('--since and --limit are about what was spent', { hint: 'Add --by, such as --by crawl.' });
      }
      const config = loadConfig();
      const service = requireService(config);
      const { printQuota } = await import('./report.ts');
      const { method, reserve, headroomShares } = config;
      await printQuota({ ...service, method, reserve, headroomShares, db, json: json ?? false });
    });
}
