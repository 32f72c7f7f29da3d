import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../../clock.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { ApiKey } from '../../twin/quota/keys.ts';
import { hint } from '../shared/command-hints.ts';
import { type CommonOptions, dbOption, jsonOption, parseDuration, parseIntegerFrom } from '../shared/common-options.ts';
import { pluralize, formatDuration } from '../terminal/format.ts';
import { print, printJson, printNote } from '../terminal/output.ts';
import { toIso } from '../terminal/times.ts';

/** `trawl keys`: the API keys of a store's twin. */
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

interface CreateOptions extends CommonOptions {
  readonly name: string;
  readonly quota?: number;
  readonly quotaWindow?: number;
}

function createCommand(): Command {
  return new Command('create')
    .summary('create a key and print it once')
    .description('Creates a key. It is the only output on stdout and cannot be printed again: only its hash is stored.')
    .addOption(dbOption())
    .option('--name <name>', 'purpose of the key', nonEmpty, 'default')
    .option('--quota <n>', 'requests per window (default: 1000)', parseIntegerFrom(1))
    .option('--quota-window <duration>', 'length of the sliding window, such as 20s, 15m or 24h (default: 15m)', window)
    .action(async ({ db: file, name, quota: limit, quotaWindow: windowMs }: CreateOptions) => {
      const { createKey } = await import('../../twin/quota/keys.ts');
      await withStore(file, (db) => {
        const { key, record } = createKey(db, { name, limit, windowMs, now: systemClock.now() });
        print(key);
        printNote(
          `key ${record.id} "${record.name}": ${formatQuota(record)}. It is shown only once; use it as TRAWL_API_KEY.`,
        );
      });
    });
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

function listCommand(): Command {
  return new Command('list')
    .summary('list the keys, by prefix')
    .description('Lists the keys, by prefix.')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async ({ db: file, json }: CommonOptions) => {
      const [{ listKeys }, { readStore }] = await Promise.all([
        import('../../twin/quota/keys.ts'),
        import('../shared/existing-store.ts'),
      ]);
      const keys = await readStore(file, listKeys);
      if (json) printJson({ keys: keys.map(toKeyJson) });
      else if (keys.length === 0) printNote(`no keys yet: ${hint('keys create')} creates one`);
      else print(await renderKeys(keys));
    });
}

function revokeCommand(): Command {
  return new Command('revoke')
    .summary('revoke a key')
    .description('Revokes a key, immediately and permanently.')
    .argument('<id-or-prefix>', 'the id or the prefix of the key, as `trawl keys` lists them')
    .addOption(dbOption())
    .action(async (idOrPrefix: string, { db: file }: CommonOptions) => {
      const { revokeKey } = await import('../../twin/quota/keys.ts');
      const { id, name } = await withStore(file, (db) => revokeKey(db, idOrPrefix, systemClock.now()));
      printNote(`key ${id} "${name}" is revoked`);
    });
}

/** A missing store is not created: the path may be mistyped. */
async function withStore<T>(file: string, use: (db: Db) => T): Promise<T> {
  const [{ openDatabase }, { requireStore }] = await Promise.all([
    import('../../store/sqlite/database.ts'),
    import('../shared/existing-store.ts'),
  ]);
  await requireStore(file);
  const db = openDatabase(file);
  try {
    return use(db);
  } finally {
    db.$client.close();
  }
}

function window(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0) throw new InvalidArgumentError('It must be longer than 0.');
  return ms;
}

const formatQuota = ({ limit, windowMs }: ApiKey): string =>
  `${pluralize(limit, 'request')} per ${formatDuration(windowMs)}`;
const toKeyJson = (key: ApiKey) => ({ ...key, createdAt: toIso(key.createdAt), revokedAt: toIso(key.revokedAt) });

async function renderKeys(keys: readonly ApiKey[]): Promise<string> {
  const { renderTable } = await import('../terminal/table.ts');
  const rows = keys.map((key) => {
    const { id, name, prefix, createdAt, revokedAt } = toKeyJson(key);
    return [String(id), name, `${prefix}…`, formatQuota(key), createdAt ?? '', revokedAt ?? ''];
  });
  return renderTable(['id', 'name', 'prefix', 'quota', 'created', 'revoked'], rows, { right: [0] });
}
