import type Database from 'better-sqlite3';
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';

/** A connection with Drizzle's queries. */
export type Drizzle = BaseSQLiteDatabase<'sync', Database.RunResult> & { readonly $client: Database.Database };

/** The same as its owner has it: disposal closes it. */
export type OwnedDrizzle = Drizzle & Disposable;

/** Adds Drizzle's queries to a connection. The `drizzle` of Drizzle itself loads better-sqlite3, whatever the driver is. */
export function createDrizzle(client: Database.Database): OwnedDrizzle {
  const dialect = new SQLiteSyncDialect();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(client, dialect, undefined);
  return Object.assign(new BaseSQLiteDatabase('sync', dialect, session, undefined), {
    $client: client,
    [Symbol.dispose]: () => void client.close(),
  });
}
