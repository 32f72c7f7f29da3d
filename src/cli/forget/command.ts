import { Option } from 'commander';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { ACCOUNT_FORMS, fromFileOption } from '#cli/shared/common-options.ts';
import { docsPage } from '#cli/shared/docs-page.ts';

export const forgetCommand = (): CliCommand =>
  new CliCommand('forget')
    .summary('erase accounts from the database, and never collect them again')
    .description(
      'Erases accounts: profiles, tweets, edges, histories, crawl records about them, and every stored page that ' +
        'shows them. The rest is copied to a new file, which replaces the database. Later pages, crawls and rebuilds do ' +
        'not store these accounts again. Stop workers and twins first: no other process may have the database open. A ' +
        'killed erasure is finished by the next command that writes.',
    )
    .argument('[account...]', ACCOUNT_FORMS)
    .addOption(fromFileOption())
    .addOption(
      new Option('--mentions <policy>', 'keep or redact handles and names in the texts of others')
        .choices(['keep', 'redact'])
        .default('keep'),
    )
    .option('--dry-run', 'print the numbers of rows by table; erase nothing')
    .common('db', 'yes', 'json')
    .explains(
      `Examples:
  trawl forget nasa id:11348282 --mentions redact --dry-run
  trawl forget --from-file requests.txt --yes --json > erased.json

Not erased: earlier backups, copies, exports, reports and datasets, and files that name the accounts.
${docsPage('people.md')} has a list.`,
    )
    .runs(async () => (await import('./run.ts')).runForget);
