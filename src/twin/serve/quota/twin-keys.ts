import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { MINUTE } from '#base/clock.ts';
import { TrawlError } from '#base/errors.ts';
import { type ChangeToken, createChangeDetector } from '#store/sqlite/change-detector.ts';
import type { Db } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { ensureCursorSecret, readCursorSecret } from '#twin/serve/cursor-secret.ts';
import { openTwinFile, twinFileOf } from './quota-file.ts';

/**
 * An API key, in the twin's file beside the store. Only the hash of a key is stored: a key is shown once, when it is
 * created. A key is valid for the store that it was created for. Times are milliseconds UTC.
 */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** The first characters, to tell keys apart. */
  readonly prefix: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

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

const SHOWN = 'id, name, prefix, "limit", window_ms as windowMs, created_at as createdAt, revoked_at as revokedAt';

/** SHA-256: keys and secrets are random, so no slow hash is needed. */
const hashOf = (secret: string): string => hash('sha256', secret, 'hex');

function writeKey(db: Db, sql: string, values: object): ApiKey {
  const client = openTwinFile(db.$client.name);
  try {
    return client.prepare<[object], ApiKey>(`${sql} returning ${SHOWN}`).get(values)!;
  } finally {
    client.close();
  }
}

/** Creates a key. The returned `key` is the only copy, since only its hash is stored. */
export function createKey(db: Db, options: KeyOptions): { readonly key: string; readonly record: ApiKey } {
  const key = KEY_PREFIX + randomBytes(32).toString('base64url');
  const { name, limit = DEFAULT_LIMIT, windowMs = DEFAULT_WINDOW_MS, now } = options;
  const record = writeKey(
    db,
    `insert into keys (store, name, hash, prefix, "limit", window_ms, created_at)
     values (:store, :name, :hash, :prefix, :limit, :windowMs, :now)`,
    {
      store: hashOf(ensureCursorSecret(db)),
      name,
      hash: hashOf(key),
      prefix: key.slice(0, PREFIX_LENGTH),
      limit,
      windowMs,
      now,
    },
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
    return client
      .prepare<[string], ApiKey>(`select ${SHOWN} from keys where store = ? order by id`)
      .all(hashOf(secret));
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
      command: { name: 'twin keys list', result: 'shows the keys and their ids' },
    });
  }
  return writeKey(db, 'update keys set revoked_at = :now where id = :id', { now, id: key.id });
}

/**
 * Creates the verification of the keys of a store. It returns the key, or undefined if it is unknown or revoked. A change
 * takes effect with the next turn of the event loop.
 */
export function createVerifier(db: Db, twinFile: Database.Database): (key: string) => ApiKey | undefined {
  const store = hashOf(ensureCursorSecret(db));
  const listActive = twinFile.prepare<[string], ApiKey & { readonly hash: string }>(
    `select hash, ${SHOWN} from keys where store = ? and revoked_at is null`,
  );
  const readState = createChangeDetector({ $client: twinFile });
  let keys: ReadonlyMap<string, ApiKey> = new Map();
  let state: ChangeToken | undefined;
  return (key) => {
    const current = readState();
    if (current !== state) keys = new Map(listActive.all(store).map(({ hash: keyHash, ...shown }) => [keyHash, shown]));
    state = current;
    return keys.get(hashOf(key));
  };
}
