import { existsSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { openReadOnly } from '../sqlite/database.ts';
import type { AccountNames } from './identity.ts';
import type { MentionsPolicy } from './tombstones.ts';

/** An erasure that has begun. The store keeps it until the rows are erased, so that a killed erasure is finished. */
export interface PendingErasure {
  readonly accounts: AccountNames;
  readonly mentions: MentionsPolicy;
}

const KEY = 'pending_erasure';

/** Returns the erasure whose rows are not erased yet. */
export function readPendingErasure(client: Database.Database): PendingErasure | undefined {
  const text = client.prepare<[string], string>('select value from _settings where key = ?').pluck().get(KEY);
  return text === undefined ? undefined : (JSON.parse(text) as PendingErasure);
}

export const setPendingErasure = (client: Database.Database, erasure: PendingErasure): void =>
  void client.prepare('insert into _settings (key, value) values (?, ?)').run(KEY, JSON.stringify(erasure));

export const removePendingErasure = (client: Database.Database): void =>
  void client.prepare('delete from _settings where key = ?').run(KEY);

/** Whether erased rows may remain in free pages of the file. */
const needsCompaction = (client: Database.Database): boolean =>
  client.prepare('select 1 from _erasures where finished_at is null').get() !== undefined;

/** Whether an erasure of the store at `path` was killed. A missing store, and one of an earlier version, has none. */
export function isErasureUnfinished(path: string): boolean {
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  using db = openReadOnly(path);
  const { $client } = db;
  const hasErasures = $client.prepare("select 1 from sqlite_schema where name = '_erasures'").get() !== undefined;
  return hasErasures && (readPendingErasure($client) !== undefined || needsCompaction($client));
}
