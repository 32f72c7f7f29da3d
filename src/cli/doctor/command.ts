import { CliCommand } from '#cli/shared/cli-command.ts';

export const doctorCommand = (): CliCommand =>
  new CliCommand('doctor')
    .summary('check configuration, service, database, Redis and disk')
    .description(
      'Checks Node, the configuration, the service and the key (token-info is free), the database, Redis, the ' +
        'disk, failing jobs, and fields that the service no longer sends.',
    )
    .option('--deep', 'also check all foreign keys (reads the whole database)')
    .option(
      '--contract [account]',
      'list what the specification leaves open, what trawl assumes and what the service has shown; ' +
        'with an account, crawl it first (at most 15 requests)',
    )
    .common('db', 'json')
    .runs(async () => (await import('./checks.ts')).runChecks);
