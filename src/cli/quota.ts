import { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { dbOption, jsonOption, requireService } from './common.ts';

export function quotaCommand(): Command {
  return new Command('quota')
    .summary("how much of the key's quota is left")
    .description('Asks token-info once, which is free, and says how many requests may be sent before trawl pauses.')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The reserve is the part of the quota that is never spent: TRAWL_RESERVE, 10% unless set. Above it, each class of crawls
leaves something to the more urgent ones: TRAWL_FLOORS, scheduled=5%,backfill=10% of the limit unless set.

Examples:
  $ trawl quota
  $ TRAWL_RESERVE=50 trawl quota
  $ trawl quota --json | jq .spendable`,
    )
    .action(async ({ db, json }: { db: string; json?: true }) => {
      const config = loadConfig();
      const service = requireService(config);
      const { reportQuota } = await import('./quota-report.ts');
      const { method, reserve, shares } = config;
      await reportQuota({ ...service, method, reserve, shares, db, json: json ?? false });
    });
}
