import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption, quietOption } from '../shared/common-options.ts';

export function rebuildCommand(): Command {
  return new Command('rebuild')
    .summary('rebuild the tables from the stored pages')
    .description(
      'Reads all stored pages again, without a request, and rebuilds the tables of crawled data in a new file, which ' +
        'replaces the old file at the end. Until then, and after a crash, the old file is unchanged. Crawls, ' +
        'requests and settings are copied. Stop workers and twins first: no other process may have the database ' +
        'open.',
    )
    .addOption(dbOption())
    .option('--keep-rows', 'if pages are missing, keep all rows and apply the stored pages')
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl rebuild                after an update that reads more fields
  trawl rebuild --keep-rows    the same, if some pages are missing

If pages are missing (--no-raw, TRAWL_RAW_DAYS), they are listed and nothing is changed.
Pages that were pruned are not missed: their rows, and all others, are kept as by --keep-rows.
With --keep-rows, no row is lost, but only stored pages fill new columns, and coverage, history and ended edges are
not rebuilt.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runRebuild));
}
