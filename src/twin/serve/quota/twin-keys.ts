import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { MINUTE } from '../../../base/clock.ts';
import { TrawlError } from '../../../base/errors.ts';
import { createChangeDetector } from '../../../store/sqlite/change-detector.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { openConnection } from '../../../store/sqlite/driver.ts';
import { createDrizzle } from '../../../store/sqlite/drizzle.ts';
import { ensureCursorSecret, readCursorSecret } from '../cursor-secret.ts';
import { openTwinDatabase, hashOfStore, twinFileOf } from './twin-file.ts';

/**
 * The API keys, in the twin's file beside the store. Only their hashes are stored: a key is shown once, when it is created.
 * A key is valid for the store that it was created for.
 */
const apiKeys = sqliteTable('keys', {
  id: integer('id').primaryKey(),
  store: text('store').notNull(),
  name: text('name').notNull(),
  /** SHA-256 of the key: keys are random, so no slow hash is needed. */
  hash: text('hash').notNull().unique(),
  /** The first characters, to tell keys apart. */
  prefix: text('prefix').notNull(),
  limit: integer('limit').notNull(),
  windowMs: integer('window_ms').notNull(),
  createdAt: integer('created_at').notNull(),
  revokedAt: integer('revoked_at'),
});

export type ApiKey = Omit<typeof apiKeys.$inferSelect, 'hash' | 'store'>;

export interface KeyOptions {
  readonly name: string;
  readonly limit?: number | undefined;
  readonly windowMs?: number | undefined;
  readonly now: number;
}

const DEFAULT_LIMIT = 1000;
const DEFAULT_WINDOW_MS = 15 * MINUTE;

const KEY_PREFIX = 'trawl_';
const PREFIX_LENGTH = KEY_PREFIX.length + 6;

const { hash, store, ...shown } = getTableColumns(apiKeys);

const hashOf = (key: string): string => digest('sha256', key, 'hex');

/** Opens the keys of a store's twins for writing. */
function openKeys(db: Db) {
  const secret = ensureCursorSecret(db);
  const client = openTwinDatabase(db.$client.name, secret);
  return { db: createDrizzle(client), storeHash: hashOfStore(secret), close: (): void => void client.close() };
}

function writeKeys<T>(db: Db, write: (keys: ReturnType<typeof openKeys>) => T): T {
  const keys = openKeys(db);
  try {
    return write(keys);
  } finally {
    keys.close();
  }
}

/** Creates a key. The returned `key` is the only copy, since only its hash is stored. */
export function createKey(db: Db, options: KeyOptions): { readonly key: string; readonly record: ApiKey } {
  const key = KEY_PREFIX + randomBytes(32).toString('base64url');
  const record = writeKeys(db, ({ db: keys, storeHash }) =>
    keys
      .insert(apiKeys)
      .values({
        store: storeHash,
        name: options.name,
        hash: hashOf(key),
        prefix: key.slice(0, PREFIX_LENGTH),
        limit: options.limit ?? DEFAULT_LIMIT,
        windowMs: options.windowMs ?? DEFAULT_WINDOW_MS,
        createdAt: options.now,
      })
      .returning(shown)
      .get(),
  );
  return { key, record };
}

/** Returns all keys of a store, also revoked ones, oldest first. Writes nothing. */
export function listKeys(db: Db): ApiKey[] {
  const path = twinFileOf(db.$client.name);
  const secret = readCursorSecret(db);
  if (secret === undefined || !existsSync(path)) return [];
  const client = openConnection(path, { readonly: true });
  try {
    if (client.prepare("select 1 from sqlite_schema where name = 'keys'").get() === undefined) return [];
    const ofStore = eq(store, hashOfStore(secret));
    return createDrizzle(client).select(shown).from(apiKeys).where(ofStore).orderBy(apiKeys.id).all();
  } finally {
    client.close();
  }
}

/** Returns the keys of a store that are not revoked, oldest first. */
export const listActiveKeys = (db: Db): ApiKey[] => listKeys(db).filter(({ revokedAt }) => revokedAt === null);

/**
 * Revokes the active key with this id or prefix.
 * @throws TrawlError if none or several match
 */
export function revokeKey(db: Db, idOrPrefix: string, now: number): ApiKey {
  const active = listActiveKeys(db);
  const found = /^\d+$/.test(idOrPrefix)
    ? active.filter((key) => key.id === Number(idOrPrefix))
    : active.filter((key) => idOrPrefix !== '' && key.prefix.startsWith(idOrPrefix));
  const [key] = found;
  if (!key || found.length > 1) {
    throw new TrawlError(`${found.length > 1 ? 'more than one' : 'no'} active key matches ${idOrPrefix}`, {
      command: { name: 'keys list', result: 'shows the keys and their ids' },
    });
  }
  return writeKeys(db, ({ db: keys }) =>
    keys.update(apiKeys).set({ revokedAt: now }).where(eq(apiKeys.id, key.id)).returning(shown).get(),
  );
}

/**
 * Creates the verification of keys. Verified keys are cached until a key is created or revoked, which takes effect with
 * the next turn of the event loop. A key that was verified on a connection is not hashed again for its requests.
 */
export function createVerifier(store: Db) {
  const { db, storeHash, close } = openKeys(store);
  const byHash = db
    .select()
    .from(apiKeys)
    .where(and(eq(hash, sql.placeholder('hash')), eq(apiKeys.store, storeHash), isNull(apiKeys.revokedAt)))
    .prepare();
  const readState = createChangeDetector(db);
  // Keys are never deleted, and revoked once.
  const countKeys = db.$client.prepare<[], string>("select count(*) || ' ' || count(revoked_at) from keys").pluck();
  let keyCounts = countKeys.get();
  const keyByHash = new Map<string, ApiKey>();
  let keyByConnection = new WeakMap<object, { readonly key: string; readonly caller: ApiKey }>();
  let lastState = readState();

  function find(key: string): ApiKey | undefined {
    const keyHash = hashOf(key);
    const found = keyByHash.get(keyHash);
    if (found) return found;
    const row = byHash.get({ hash: keyHash });
    if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(keyHash))) return undefined;
    keyByHash.set(keyHash, row);
    return row;
  }

  /** Clears the caches if keys have changed. Most changes of the file concern the quota. */
  function refresh(): void {
    const state = readState();
    if (state === lastState) return;
    lastState = state;
    const counts = countKeys.get();
    if (counts === keyCounts) return;
    keyCounts = counts;
    keyByHash.clear();
    keyByConnection = new WeakMap();
  }

  /** Returns the key; undefined if it is unknown or revoked. */
  function verify(key: string, connection?: object): ApiKey | undefined {
    refresh();
    const verified = connection && keyByConnection.get(connection);
    if (verified?.key === key) return verified.caller;
    const caller = find(key);
    if (caller && connection) keyByConnection.set(connection, { key, caller });
    return caller;
  }

  return { verify, close };
}
