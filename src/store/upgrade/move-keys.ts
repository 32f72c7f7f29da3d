import { hash, randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import { openConnection } from '../sqlite/driver.ts';
import { createPrivateFile, readFileMode } from '../sqlite/private-file.ts';

/** Table `keys` of the twin's file (twin/quota/twin-file.ts), as of trawl 0.2. */
const KEYS = `create table if not exists keys (
  id integer primary key, store text not null, name text not null, hash text not null unique, prefix text not null,
  "limit" integer not null, window_ms integer not null, created_at integer not null, revoked_at integer)`;

interface KeyRow {
  readonly id: number;
  readonly hash: string;
}

/**
 * Creates the secret that marks a store's keys, unless it has one. Called before the upgrade's transaction: an upgrade that
 * is killed after its keys have moved finds them again.
 */
export function createSecret(client: Database.Database): void {
  client
    .prepare("insert or ignore into settings (key, value) values ('cursor_secret', ?)")
    .run(randomBytes(32).toString('base64url'));
}

/**
 * Copies the keys of a store's twins to the file beside the store, each once: keys that are there already stay as they
 * are, and so does the id of each key unless another key has it. The caller removes the table.
 */
export function moveKeys(client: Database.Database, path: string): void {
  const rows = client.prepare<[], KeyRow>('select * from api_keys order by id').all();
  if (rows.length === 0) return;
  const secret = client.prepare<[], string>("select value from _settings where key = 'cursor_secret'").pluck();
  const store = hash('sha256', secret.get()!, 'hex');
  const file = `${path}-quota`;
  createPrivateFile(file, readFileMode(path));
  const keys = openConnection(file, { timeout: 5000 });
  try {
    keys.pragma('journal_mode = wal');
    keys
      .transaction(() => {
        keys.exec(KEYS);
        const isStored = keys.prepare('select 1 from keys where hash = ?');
        const isTaken = keys.prepare('select 1 from keys where id = ?');
        const insert =
          keys.prepare(`insert into keys (id, store, name, hash, prefix, "limit", window_ms, created_at, revoked_at)
          values (@id, @store, @name, @hash, @prefix, @limit, @window_ms, @created_at, @revoked_at)`);
        for (const row of rows) {
          if (isStored.get(row.hash) !== undefined) continue;
          insert.run({ ...row, store, id: isTaken.get(row.id) === undefined ? row.id : null });
        }
      })
      .immediate();
  } finally {
    keys.close();
  }
}
