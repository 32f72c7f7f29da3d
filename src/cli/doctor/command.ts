import { Command } from 'commander';
import { dbOption, jsonOption } from '../shared/common-options.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('what is configured, reachable, and wrong')
    .description(
      'Checks Node, the configuration, the service and the key (token-info is free), the database, Redis, the\n' +
        'disk, and whether the service still sends the fields that it used to send.',
    )
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async (words: { db: string; json?: true }) => {
      const { runChecks } = await import('./checks.ts');
      process.exitCode = await runChecks(words);
    });
}
