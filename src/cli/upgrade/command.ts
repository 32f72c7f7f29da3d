import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .summary('rename the tables of a database of trawl 0.1')
    .description(
      'Renames the tables and columns of a database of trawl 0.1 (docs/renames.md), in place and in one ' +
        'transaction: a killed upgrade changes nothing. Your own views and triggers are adapted; those that no ' +
        'longer work are listed. Stop workers and twins first: no other process may have the database open.',
    )
    .addOption(dbOption())
    .option('--backup <file>', 'copy the database to this new file first')
    .option('-y, --yes', 'skip the confirmation of an upgrade without --backup')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl upgrade --backup before.db
  trawl upgrade --db mine.db --yes

The twin's API keys move to a file beside the database (mine.db-quota).`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runUpgrade));
}
