import { Option } from 'commander';
import { CliCommand } from '#cli/shared/cli-command.ts';

export const rebuildCommand = (): CliCommand =>
  new CliCommand('rebuild')
    .summary('rebuild the tables from the stored pages')
    .description(
      'Reads all stored pages again, without a request, and rebuilds the tables of crawled data in a new file, which ' +
        'replaces the old file at the end, as after an update that reads more fields. Crawls, requests and settings are ' +
        'copied. Stop workers and twins first: no other process may have the database open.',
    )
    .option('--keep-rows', 'if pages are missing, keep all rows and apply the stored pages')
    .addOption(
      new Option(
        '--rejects',
        'only store the rejected items that an update of trawl can read; workers may keep running',
      ).conflicts('keepRows'),
    )
    .common('db', 'json')
    .explains(
      `If pages are missing (--no-raw, TRAWL_RAW_DAYS), they are listed and nothing is changed. Pruned pages are not missed:
their rows, and all others, are kept as by --keep-rows. Then only stored pages fill new columns, and coverage, history
and ended edges are not rebuilt.

With --rejects, a crawl that was partial only because of such items becomes complete. It gives no evidence of unfollows,
and closes no gap.`,
    )
    .writes(async () => (await import('./run.ts')).runRebuild);
