import { Command } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('check configuration, service, database, Redis and disk')
    .description(
      'Checks Node, the configuration, the service and the key (token-info is free), the database, Redis, the ' +
        'disk, failing jobs, and fields that the service no longer sends.',
    )
    .addOption(dbOption())
    .option('--deep', 'also check all foreign keys (reads the whole database)')
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./checks.ts')).runChecks));
}
