import { systemClock } from '#base/clock.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { openExistingDatabase, readStore } from '#cli/shared/existing-store.ts';
import {
  formatDuration,
  formatMinute,
  hint,
  pluralize,
  print,
  printJson,
  printNote,
  renderTable,
} from '#cli/terminal/print.ts';
import { type ApiKey, createKey, listKeys, revokeKey } from '#twin/serve/quota/twin-keys.ts';

interface CreateOptions extends CommonOptions {
  readonly name: string;
  readonly quota?: number;
  readonly quotaWindow?: number;
}

/** Creates a key, and prints it to stdout. */
export async function createApiKey({ db, json, name, quota, quotaWindow }: CreateOptions): Promise<void> {
  const options = { name, limit: quota, windowMs: quotaWindow, now: systemClock.now() };
  using store = await openExistingDatabase(db);
  const { key, record } = createKey(store, options);
  if (json) return printJson({ key, ...record });
  print(key);
  const description = `key ${record.id} "${record.name}": ${formatQuota(record)}`;
  printNote(`${description}. It is shown only once; use it as TRAWL_API_KEY.`);
}

export async function listApiKeys({ db, json }: CommonOptions): Promise<void> {
  const keys = await readStore(db, listKeys);
  if (json) return printJson({ keys });
  if (keys.length === 0) return printNote(`no keys yet: ${hint('twin keys create')} creates one`);
  const rows = keys.map((key) => [
    String(key.id),
    key.name,
    `${key.prefix}…`,
    formatQuota(key),
    formatMinute(key.createdAt),
    key.revokedAt && formatMinute(key.revokedAt),
  ]);
  print(renderTable(['id', 'name', 'prefix', 'quota', 'created', 'revoked'], rows));
}

export async function revokeApiKey(idOrPrefix: string, { db, json }: CommonOptions): Promise<void> {
  using store = await openExistingDatabase(db);
  const { id, name } = revokeKey(store, idOrPrefix, systemClock.now());
  if (json) return printJson({ id, name });
  printNote(`key ${id} "${name}" is revoked`);
}

const formatQuota = ({ limit, windowMs }: Pick<ApiKey, 'limit' | 'windowMs'>): string =>
  `${pluralize(limit, 'request')} per ${formatDuration(windowMs)}`;
