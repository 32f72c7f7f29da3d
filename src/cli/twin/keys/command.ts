import { CliCommand } from '#cli/shared/cli-command.ts';
import { parseIntegerFrom, positiveDuration, valueParser } from '#cli/shared/common-options.ts';

export const keysCommand = (): CliCommand =>
  new CliCommand('keys')
    .summary("create, list and revoke the twin's API keys")
    .description('Creates, lists and revokes the API keys of `trawl twin serve`. Without a subcommand, lists them.')
    .addCommand(
      new CliCommand('create')
        .description('Creates a key and prints it to stdout. It cannot be printed again: only its hash is stored.')
        .common('db', 'json')
        .option(
          '--name <name>',
          'purpose of the key',
          valueParser((text) => (text.trim() === '' ? undefined : text), 'a name'),
          'default',
        )
        .option('--quota <n>', 'requests per window (default: 1000)', parseIntegerFrom(1))
        .option(
          '--quota-window <duration>',
          'length of the sliding window, such as 20s (default: 15m)',
          positiveDuration,
        )
        .runs(async () => (await import('./run.ts')).createApiKey),
    )
    .addCommand(
      new CliCommand('list')
        .description('Lists the keys, by prefix.')
        .common('db', 'json')
        .runs(async () => (await import('./run.ts')).listApiKeys),
      { isDefault: true },
    )
    .addCommand(
      new CliCommand('revoke')
        .description('Revokes a key, immediately and permanently.')
        .argument('<id-or-prefix>', 'the id or the prefix of the key, as `trawl twin keys` lists them')
        .common('db', 'json')
        .runs(async () => (await import('./run.ts')).revokeApiKey),
    )
    .explains(
      `Examples:
  trawl twin keys create --db world.db --quota 50 --quota-window 20s --name test
  export TRAWL_API_KEY=$(trawl twin keys create --db world.db)
  trawl twin keys revoke 2 --db world.db`,
    );
