import { CliCommand } from '#cli/shared/cli-command.ts';

export const rejectsCommand = (): CliCommand =>
  new CliCommand('rejects')
    .summary('list rejected items')
    .description('Lists rejected items and unreadable fields, by endpoint, field and reason.')
    .common('db', 'json')
    .explains('After an update of trawl, `trawl rebuild --rejects` stores the items that it can read.')
    .runs(async () => (await import('./list-rejects.ts')).listRejects);
