import { Command, Option } from 'commander';
import { loadAction, resolvePath } from '../context.ts';
import { dbOption, jsonOption, quietOption } from '../shared/common-options.ts';
import { docsPage } from '../shared/docs-page.ts';

export function forgetCommand(): Command {
  return new Command('forget')
    .summary('erase accounts from the database, and never collect them again')
    .description(
      'Erases accounts: profiles, tweets, edges, histories, earlier handles, searches and panels that name them, what ' +
        'crawls recorded of them, and every stored page that shows them, whole. The rest is copied to a new file, which ' +
        'replaces the database. Later pages, crawls and rebuilds do not store these accounts again. Stop workers and twins ' +
        'first: no other process may have the database open. A killed erasure is finished by the next command that writes.',
    )
    .argument('[account...]', 'handles, ids (id:11348282) or addresses of profiles')
    .option('--from-file <file>', 'also the accounts in this file, one per line; - is standard input', resolvePath)
    .addOption(
      new Option('--mentions <policy>', 'what happens to handles and names in the texts of others')
        .choices(['keep', 'redact'])
        .default('keep'),
    )
    .addOption(dbOption())
    .option('--dry-run', 'print the numbers of rows by table; erase nothing')
    .option('-y, --yes', 'skip the confirmation')
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      `
Examples:
  trawl forget nasa --dry-run
  trawl forget nasa id:11348282 --mentions redact
  trawl forget --from-file requests.txt --yes --json > erased.json

Not erased: backups, copies, exports, reports and datasets made before, job files and other files that name the
accounts. Remove them yourself; ${docsPage('operating/people.md')} has a list.`,
    )
    .action(loadAction(async () => (await import('./run.ts')).runForget));
}
