import { CliCommand } from '../shared/cli-command.ts';

export const rejectsCommand = (): CliCommand =>
  new CliCommand('rejects')
    .summary('list rejected items and retry them')
    .description('Lists rejected items, and reads them again. Without a subcommand, lists them.')
    .addCommand(
      new CliCommand('list')
        .description('Lists rejected items and unreadable fields, by endpoint, field and reason.')
        .common('db', 'json')
        .runs(async () => (await import('./run.ts')).listRejects),
      { isDefault: true },
    )
    .addCommand(
      new CliCommand('retry')
        .summary('store rejected items that an update can read')
        .description(
          'Parses the stored pages again after an update of trawl, without requests, and stores items that are now ' +
            'readable. Workers may keep running. A crawl that was partial only because of such items becomes ' +
            'complete. It gives no evidence of unfollows (`trawl rebuild` does), and closes no gap.',
        )
        .common('db', 'json', 'quiet')
        .writes(async () => (await import('./run.ts')).retryRejects),
    );
