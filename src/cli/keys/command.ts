import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../../clock.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { ApiKey } from '../../twin/quota/keys.ts';
import { dbOption, parseDuration, jsonOption, print, printNote, parseIntegerFrom } from '../shared/common-options.ts';
import { pluralize, formatDuration } from '../terminal/format.ts';
import { toIso } from '../terminal/times.ts';

/** `trawl keys`: the API keys of a store's twin. */
export function keysCommand(): Command {
  return new Command('keys')
    .summary("the twin's API keys")
    .description('Makes, lists and revokes the API keys with which a store may be asked through `trawl serve`.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addHelpText(
      'after',
      `
Examples:
  trawl keys create --db world.db
  trawl keys create --db world.db --limit 50 --window 20s --name pause-test
  export TRAWL_API_KEY=$(trawl keys create --db world.db)
  trawl keys list --db world.db
  trawl keys revoke 2 --db world.db`,
    );
}

interface CreateOptions {
  readonly db: string;
  readonly name: string;
  readonly limit?: number;
  readonly window?: number;
}

function createCommand(): Command {
  return new Command('create')
    .summary('make a key and print it, once')
    .description('Makes a key. It is printed alone on stdout and cannot be shown again: only its hash is stored.')
    .addOption(dbOption())
    .option('--name <name>', 'what the key is for', words, 'default')
    .option('--limit <n>', 'requests per window (default: 1000)', parseIntegerFrom(1))
    .option('--window <duration>', 'length of the sliding window, such as 20s, 15m or 24h (default: 15m)', window)
    .action(async ({ db: file, name, limit, window: windowMs }: CreateOptions) => {
      const { createKey } = await import('../../twin/quota/keys.ts');
      await withStore(file, (db) => {
        const { key, record } = createKey(db, { name, limit, windowMs, now: systemClock.now() });
        print(key);
        printNote(
          `key ${record.id} "${record.name}": ${quotaOf(record)}. It is shown only now; use it as TRAWL_API_KEY.`,
        );
      });
    });
}

function words(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It should say what the key is for.');
  return text;
}

function listCommand(): Command {
  return new Command('list')
    .summary('show the keys (never the keys themselves)')
    .addOption(dbOption())
    .addOption(jsonOption())
    .action(async ({ db: file, json }: { db: string; json?: true }) => {
      const [{ listKeys }, { readStore }] = await Promise.all([
        import('../../twin/quota/keys.ts'),
        import('../shared/existing-store.ts'),
      ]);
      const keys = await readStore(file, listKeys);
      if (json) print(JSON.stringify({ keys: keys.map(shown) }, null, 2));
      else if (keys.length === 0) printNote('no keys yet: `trawl keys create` makes one');
      else print(await tableOf(keys));
    });
}

function revokeCommand(): Command {
  return new Command('revoke')
    .summary('make a key invalid, at once and for good')
    .argument('<id-or-prefix>', 'its number, or how it begins, as `trawl keys list` shows them')
    .addOption(dbOption())
    .action(async (idOrPrefix: string, { db: file }: { db: string }) => {
      const { revokeKey } = await import('../../twin/quota/keys.ts');
      const { id, name } = await withStore(file, (db) => revokeKey(db, idOrPrefix, systemClock.now()));
      printNote(`key ${id} "${name}" is revoked`);
    });
}

/** A missing store is not made: that would only hide a slip of the pen. */
async function withStore<T>(file: string, use: (db: Db) => T): Promise<T> {
  const [{ openDatabase }, { requireStore }] = await Promise.all([
    import('../../store/sqlite/database.ts'),
    import('../shared/existing-store.ts'),
  ]);
  requireStore(file);
  const db = openDatabase(file);
  try {
    return use(db);
  } finally {
    db.$client.close();
  }
}

function window(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0) throw new InvalidArgumentError('It should be longer than nothing.');
  return ms;
}

const quotaOf = ({ limit, windowMs }: ApiKey): string =>
  `${pluralize(limit, 'request')} per ${formatDuration(windowMs)}`;
const shown = (key: ApiKey) => ({ ...key, createdAt: toIso(key.createdAt), revokedAt: toIso(key.revokedAt) });

async function tableOf(keys: readonly ApiKey[]): Promise<string> {
  const { renderTable } = await import('../terminal/table.ts');
  const rows = keys.map((key) => {
    const { id, name, prefix, createdAt, revokedAt } = shown(key);
    return [String(id), name, `${prefix}…`, quotaOf(key), createdAt ?? '', revokedAt ?? ''];
  });
  return renderTable(['id', 'name', 'begins', 'quota', 'created', 'revoked'], rows, { right: [0] });
}
