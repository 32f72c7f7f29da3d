import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto';
import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import { MINUTE } from '../../clock.ts';
import { TrawlError } from '../../errors.ts';
import { apiKeys } from '../../store/schema/tables.ts';
import { createChangeDetector } from '../../store/sqlite/change-detector.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The twin's API keys. Only their hashes are stored: a key is shown once, when it is created. */

/** An API key without its hash. */
export type ApiKey = Omit<typeof apiKeys.$inferSelect, 'hash'>;

export interface KeyOptions {
  readonly name: string;
  /** Requests per window. */
  readonly limit?: number | undefined;
  readonly windowMs?: number | undefined;
  readonly now: number;
}

const DEFAULT_LIMIT = 1000;
const DEFAULT_WINDOW_MS = 15 * MINUTE;

const KEY_PREFIX = 'trawl_';
const PREFIX_LENGTH = KEY_PREFIX.length + 6;

const { hash, ...publicColumns } = getTableColumns(apiKeys);

const hashOf = (key: string): string => digest('sha256', key, 'hex');

/** Creates a key. The returned `key` is its only copy. */
export function createKey(db: Db, options: KeyOptions): { readonly key: string; readonly record: ApiKey } {
  const key = KEY_PREFIX + randomBytes(32).toString('base64url');
  const record = db
    .insert(apiKeys)
    .values({
      name: options.name,
      hash: hashOf(key),
      prefix: key.slice(0, PREFIX_LENGTH),
      limit: options.limit ?? DEFAULT_LIMIT,
      windowMs: options.windowMs ?? DEFAULT_WINDOW_MS,
      createdAt: options.now,
    })
    .returning(publicColumns)
    .get();
  return { key, record };
}

/** Returns all keys, revoked ones included, oldest first. */
export const listKeys = (db: Db): ApiKey[] => db.select(publicColumns).from(apiKeys).orderBy(apiKeys.id).all();

/**
 * Revokes the active key with this id or prefix.
 * @throws TrawlError if none or several match
 */
export function revokeKey(db: Db, idOrPrefix: string, now: number): ApiKey {
  const active = listKeys(db).filter((key) => key.revokedAt === null);
  const found = /^\d+$/.test(idOrPrefix)
    ? active.filter((key) => key.id === Number(idOrPrefix))
    : active.filter((key) => idOrPrefix !== '' && key.prefix.startsWith(idOrPrefix));
  const [key] = found;
  if (!key || found.length > 1) {
    throw new TrawlError(`${found.length > 1 ? 'more than one' : 'no'} active key matches ${idOrPrefix}`, {
      command: { name: 'keys list', result: 'shows the keys and their ids' },
    });
  }
  return db.update(apiKeys).set({ revokedAt: now }).where(eq(apiKeys.id, key.id)).returning(publicColumns).get();
}

/**
 * Returns a function that verifies a key. Verified keys are cached until the store changes (`state`), so that created
 * and revoked keys take effect with the next turn of the event loop. A key that was verified on a connection is not
 * hashed again for its requests.
 */
export function createVerifier(
  db: Db,
  state = createChangeDetector(db),
): (key: string, connection?: object) => ApiKey | undefined {
  const byHash = db
    .select()
    .from(apiKeys)
    .where(and(eq(hash, sql.placeholder('hash')), isNull(apiKeys.revokedAt)))
    .prepare();
  const keyByHash = new Map<string, ApiKey>();
  let keyByConnection = new WeakMap<object, { readonly key: string; readonly caller: ApiKey }>();
  let cachedState = state();

  function find(key: string): ApiKey | undefined {
    const keyHash = hashOf(key);
    const found = keyByHash.get(keyHash);
    if (found) return found;
    const row = byHash.get({ hash: keyHash });
    if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(keyHash))) return undefined;
    keyByHash.set(keyHash, row);
    return row;
  }

  return (key, connection) => {
    const now = state();
    if (now !== cachedState) {
      keyByHash.clear();
      keyByConnection = new WeakMap();
      cachedState = now;
    }
    const verified = connection && keyByConnection.get(connection);
    if (verified?.key === key) return verified.caller;
    const caller = find(key);
    if (caller && connection) keyByConnection.set(connection, { key, caller });
    return caller;
  };
}
