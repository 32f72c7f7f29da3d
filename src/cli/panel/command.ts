import { Command } from 'commander';
import { loadAction, resolvePath } from '../context.ts';
import { refusePseudonyms } from '../export/pseudonym-options.ts';
import { dbOption, jsonOption, quietOption } from '../shared/common-options.ts';
import { yesOption } from '../shared/crawl-options.ts';

export function panelCommand(): Command {
  return new Command('panel')
    .summary('create and list panels, and change their members')
    .description(
      'A panel is a named set of accounts with notes. Its members are bound to their ids: commands with --panel and ' +
        'jobs with `targets: { panel: name }` crawl the accounts also after a rename. Without a subcommand, lists the ' +
        'panels.',
    )
    .addCommand(createCommand())
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(showCommand())
    .addCommand(addCommand())
    .addCommand(removeCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addHelpText(
      'after',
      `
Examples:
  trawl panel create stars --description "accounts of the study"
  trawl panel add stars nasa @esa id:11348282 --note "space agency"
  trawl panel show stars
  trawl crawl timeline --panel stars
  trawl panel export stars > stars.csv`,
    );
}

function createCommand(): Command {
  return new Command('create')
    .summary('create a panel')
    .description('Creates a panel without members, and the database if it is missing.')
    .argument('<name>', 'letters, digits, - and _, at most 64')
    .option('--description <text>', 'what the panel is for')
    .addOption(dbOption())
    .action(loadAction(async () => (await import('./run.ts')).createNamedPanel));
}

function listCommand(): Command {
  return new Command('list')
    .summary('list the panels')
    .description('Lists the panels with the numbers of their members, also of renamed and unavailable ones.')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./run.ts')).printPanelList));
}

function showCommand(): Command {
  return new Command('show')
    .summary('list the members of a panel')
    .description(
      'Lists the members of a panel. An account is renamed if its handle differs from the one when it was added. It is ' +
        'unavailable if the service answered 404 for its id after it was last seen: the service does not say whether it ' +
        'was suspended or deleted.',
    )
    .argument('<panel>', 'the name of the panel')
    .option('--all', 'also list members that were removed')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./run.ts')).printPanel));
}

/** The options of commands that look up accounts. */
const addLookupOptions = (command: Command): Command =>
  command
    .option('--crawl', 'fetch the profiles of handles that the database does not have (needs a key)')
    .addOption(dbOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addOption(yesOption());

function addCommand(): Command {
  return addLookupOptions(
    new Command('add')
      .summary('add accounts to a panel')
      .description(
        'Adds accounts to a panel, all or none. A handle is bound to the account that was last seen with it; the ' +
          'command prints its id. Handles that the database does not have are refused, or looked up with --crawl. ' +
          'For an account that is a member already, --note replaces its note.',
      )
      .argument('<panel>', 'the name of the panel')
      .argument('[account...]', 'nasa, @nasa, id:11348282 or the URL of a profile')
      .option(
        '--from-file <file>',
        'also read accounts from a file (- is standard input), one per line; lines that begin with "# " are comments',
        resolvePath,
      )
      .option(
        '--from-sql <select>',
        'also read accounts from the first column of a query on the database; values of a column named rest_id are ids',
      )
      .option('--note <text>', 'a note on these accounts'),
  ).action(loadAction(async () => (await import('./add.ts')).addAccounts));
}

function removeCommand(): Command {
  return new Command('remove')
    .summary('remove accounts, or the panel')
    .description(
      'Removes accounts from a panel. `panel show --all` and v_panel_members still have their membership. With ' +
        '--delete, deletes the panel and all of its memberships.',
    )
    .argument('<panel>', 'the name of the panel')
    .argument('[account...]', 'nasa, @nasa, id:11348282 or the URL of a profile')
    .option('--delete', 'delete the whole panel')
    .addOption(dbOption())
    .action(loadAction(async () => (await import('./remove.ts')).removeAccounts));
}

function exportCommand(): Command {
  const command = new Command('export')
    .summary('print the members of a panel as CSV')
    .description(
      'Prints the members of a panel as CSV with the columns rest_id, handle (when it was added) and note. A ' +
        'spreadsheet changes the ids, unless it imports the column rest_id as text.',
    )
    .argument('<panel>', 'the name of the panel');
  return refusePseudonyms(command, 'a panel names its members')
    .addOption(dbOption())
    .addHelpText('after', '\nExample:\n  trawl panel export stars > stars.csv')
    .action(loadAction(async () => (await import('./export.ts')).exportPanel));
}

function importCommand(): Command {
  return addLookupOptions(
    new Command('import')
      .summary('add the accounts of a CSV file')
      .description(
        'Adds the accounts of a CSV file to a panel, all or none, and creates the panel if it is missing. The first ' +
          'line names the columns: rest_id, handle, note. A row needs an id or a handle; a handle without an id is ' +
          'looked up as by `panel add`. Reports duplicates, other columns, and ids that a spreadsheet has changed.',
      )
      .argument('<panel>', 'the name of the panel')
      .argument('<file>', 'the CSV file, in UTF-8', resolvePath),
  )
    .addHelpText('after', '\nExample:\n  trawl panel import stars stars.csv')
    .action(loadAction(async () => (await import('./import.ts')).importPanel));
}
