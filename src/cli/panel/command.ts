import { resolvePath } from '#cli/context.ts';
import { refusePseudonyms } from '#cli/export/pseudonym-options.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { ACCOUNT_FORMS, fromFileOption } from '#cli/shared/common-options.ts';

/** A command about one panel. */
const panelSubcommand = (name: string): CliCommand => new CliCommand(name).argument('<panel>', 'the name of the panel');

/** The options of commands that look up accounts. */
const addLookupOptions = (command: CliCommand): CliCommand =>
  command
    .option('--crawl', 'fetch the profiles of handles that the database does not have (needs a key)')
    .common('db', 'json', 'yes');

export const panelCommand = (): CliCommand =>
  new CliCommand('panel')
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
    .explains(
      `Examples:
  trawl panel create stars --description "accounts of the study"
  trawl panel add stars nasa @esa id:11348282 --note "space agency"
  trawl crawl timeline --panel stars
  trawl panel export stars > stars.csv`,
    );

const createCommand = (): CliCommand =>
  new CliCommand('create')
    .summary('create a panel')
    .description('Creates a panel without members, and the database if it is missing.')
    .argument('<name>', 'letters, digits, - and _, at most 64')
    .option('--description <text>', 'purpose of the panel')
    .common('db', 'json')
    .writes(async () => (await import('./run.ts')).createNamedPanel);

const listCommand = (): CliCommand =>
  new CliCommand('list')
    .summary('list the panels')
    .description('Lists the panels with the numbers of their members, also of renamed and unavailable ones.')
    .common('db', 'json')
    .runs(async () => (await import('./run.ts')).printPanelList);

const showCommand = (): CliCommand =>
  panelSubcommand('show')
    .summary('list the members of a panel')
    .description(
      'Lists the members of a panel. An account is renamed if its handle differs from the one when it was added, ' +
        'and unavailable if the service answered 404 for its id after it was last seen.',
    )
    .option('--all', 'also list members that were removed')
    .common('db', 'json')
    .runs(async () => (await import('./run.ts')).printPanel);

const addCommand = (): CliCommand =>
  addLookupOptions(
    panelSubcommand('add')
      .summary('add accounts to a panel')
      .description(
        'Adds accounts to a panel, all or none. A handle is bound to the account that was last seen with it. ' +
          'Handles that the database does not have are refused, or looked up with --crawl.',
      )
      .argument('[account...]', ACCOUNT_FORMS)
      .addOption(fromFileOption())
      .option('--from-sql <select>', 'also read accounts from the first column of a query; a column rest_id has ids')
      .option('--note <text>', 'a note on these accounts; it replaces the note of members'),
  ).writes(async () => (await import('./add.ts')).addAccounts);

const removeCommand = (): CliCommand =>
  panelSubcommand('remove')
    .summary('remove accounts, or the panel')
    .description('Removes accounts from a panel. `panel show --all` and v_panel_members still have them.')
    .argument('[account...]', ACCOUNT_FORMS)
    .option('--delete', 'delete the whole panel, with all of its memberships')
    .common('db', 'json')
    .writes(async () => (await import('./remove.ts')).removeAccounts);

const exportCommand = (): CliCommand =>
  refusePseudonyms(
    panelSubcommand('export')
      .summary('print the members of a panel as CSV')
      .description(
        'Prints the current members as CSV in UTF-8, with the columns rest_id, handle and note, for `panel ' +
          'import`. A spreadsheet changes the ids, unless it imports the column rest_id as text.',
      )
      .common('db', 'quiet')
      .runs(async () => (await import('./export.ts')).exportPanel),
    'a panel names its members',
  );

const importCommand = (): CliCommand =>
  addLookupOptions(
    panelSubcommand('import')
      .summary('add the accounts of a CSV file')
      .description(
        'Adds the accounts of a CSV file to a panel, all or none, and creates the panel if it is missing. The ' +
          'first line names the columns: rest_id, handle, note. A row needs an id or a handle.',
      )
      .argument('<file>', 'the CSV file, in UTF-8', resolvePath),
  ).writes(async () => (await import('./import.ts')).importPanel);
