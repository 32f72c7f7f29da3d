import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .summary('rename the tables of a database of trawl 0.1')
    .description(
      'Gives the tables and columns of a database of trawl 0.1 their present names (docs/renames.md), in place and in one\n' +
        'transaction: a killed upgrade leaves the database as it was. Views and triggers of your own are adapted; those that\n' +
        'no longer work are named. Stop workers and twins first: no other process may have the database open.',
    )
    .addOption(dbOption())
    .option('--backup <file>', 'copy the database to this new file first')
    .option('-y, --yes', 'skip the confirmation that an upgrade without --backup needs')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl upgrade --backup before.db
  trawl upgrade --db mine.db --yes

Keys of the twin move to the file beside the database (mine.db-quota).`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runUpgrade));
}
