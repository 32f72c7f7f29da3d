import { Command } from 'commander';
import { dbOption, jsonOption, quietOption } from '../shared/common-options.ts';
import type { RebuildCommandOptions } from './run.ts';

export function rebuildCommand(): Command {
  return new Command('rebuild')
    .summary('make the tables again from the pages as they were served')
    .description(
      'Reads every page that was kept again, without one request, and makes all tables of what was crawled from them, in a\n' +
        'new file that takes the place of the old one at the end: until then, and after a crash, that is as it was. Crawls,\n' +
        'requests, keys and settings are copied. Stop workers and twins first: nobody else may have the database open.',
    )
    .addOption(dbOption())
    .option(
      '--keep-rows',
      'where pages are missing: keep all that is stored, and read on top of it the pages there are',
    )
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl rebuild                after an update that reads more of a page
  trawl rebuild --keep-rows    the same, though some pages were not kept

Pages that are missing (--no-raw, TRAWL_RAW_DAYS, crawls of earlier versions) are listed, and nothing is changed.
With --keep-rows nothing is lost either; but only pages that there are fill new columns, and coverage, history and
edges that ended stay as they are.`,
    )
    .action(async (words: RebuildCommandOptions) => {
      const { runRebuild } = await import('./run.ts');
      process.exitCode = await runRebuild(words);
    });
}
