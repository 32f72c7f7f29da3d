import { Command, InvalidArgumentError } from 'commander';
import { loadAction } from '../context.ts';
import { dbOption, jsonOption, parseDuration, parseIntegerFrom } from '../shared/common-options.ts';

export function keysCommand(): Command {
  return new Command('keys')
    .summary("create, list and revoke the twin's API keys")
    .description('Creates, lists and revokes the API keys of `trawl serve`. Without a subcommand, lists them.')
    .addCommand(createCommand())
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(revokeCommand())
    .addHelpText(
      'after',
      `
Examples:
  trawl keys create --db world.db
  trawl keys create --db world.db --quota 50 --quota-window 20s --name test
  export TRAWL_API_KEY=$(trawl keys create --db world.db)
  trawl keys list --db world.db
  trawl keys revoke 2 --db world.db`,
    );
}

function createCommand(): Command {
  return new Command('create')
    .summary('create a key and print it once')
    .description('Creates a key and prints it on stdout. It cannot be printed again: only its hash is stored.')
    .addOption(dbOption())
    .option('--name <name>', 'purpose of the key', parseName, 'default')
    .option('--quota <n>', 'requests per window (default: 1000)', parseIntegerFrom(1))
    .option(
      '--quota-window <duration>',
      'length of the sliding window, such as 20s, 15m or 24h (default: 15m)',
      parseWindow,
    )
    .action(loadAction(async () => (await import('./run.ts')).createApiKey));
}

function parseName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

function listCommand(): Command {
  return new Command('list')
    .summary('list the keys')
    .description('Lists the keys, by prefix.')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(loadAction(async () => (await import('./run.ts')).listApiKeys));
}

function revokeCommand(): Command {
  return new Command('revoke')
    .summary('revoke a key')
    .description('Revokes a key, immediately and permanently.')
    .argument('<id-or-prefix>', 'the id or the prefix of the key, as `trawl keys` lists them')
    .addOption(dbOption())
    .action(loadAction(async () => (await import('./run.ts')).revokeApiKey));
}

function parseWindow(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0) throw new InvalidArgumentError('It must be longer than 0.');
  return ms;
}
