import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { createUserCache } from '#store/merge/user-cache.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { createDrizzle } from '#store/sqlite/drizzle.ts';
import { createStagedPages, type StagedPages } from '#store/staging/staged-pages.ts';
import { createStoreReads, type StoreReads } from '#store/store-reads.ts';
import { openStore } from '#store/store.ts';
import { type GroupCommit, prepareGroupCommit } from '#store/writer/group-commit.ts';

/** Called before every statement of a connection; an error that it throws is thrown by the statement. */
export type Hook = (sql: string) => void;

/** Connections of a process: one for reading and one for writing. */
export interface Connections {
  readonly read: StoreReads;
  readonly runGroup: GroupCommit;
  /** The pages that the process has parsed and not committed. */
  readonly staged: StagedPages;
  hook: Hook | undefined;
  /** The process dies: its transaction is rolled back and its memory cleared. */
  crash(): void;
}

/**
 * A store for all simulations of this process, in memory if possible. Opening and preparing a store takes longer than
 * most simulations, so connections are reused.
 */
export interface StorePool extends Disposable {
  take(): Connections;
  release(connections: Connections): void;
  readonly db: Database.Database;
  clear(): void;
}

export async function openStorePool(): Promise<StorePool> {
  const memoryFolder = '/dev/shm';
  const folder = join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), `trawl-sim-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const [fresh, path] = [join(folder, 'fresh.db'), join(folder, 'store.db')];
  await openStore(fresh)[Symbol.asyncDispose]();
  copyFileSync(fresh, path);
  const open: Database.Database[] = [];
  const free: Connections[] = [];

  function connect(): Database.Database {
    const client = openConnection(path, { timeout: 0 });
    client.pragma('synchronous = OFF');
    client.pragma('temp_store = MEMORY');
    client.pragma('wal_autocheckpoint = 0');
    open.push(client);
    client.pragma('foreign_keys = off');
    return client;
  }

  function create(): Connections {
    const client = connect();
    const connections: Connections = {
      read: createStoreReads(createDrizzle(connect())),
      runGroup: () => [],
      staged: createStagedPages(),
      hook: undefined,
      crash() {
        connections.hook = undefined;
        if (client.inTransaction) client.exec('rollback');
        memory.clear();
        connections.staged.clear();
      },
    };
    const prepare = client.prepare.bind(client);
    client.prepare = ((sql: string) => addHook(prepare(sql), sql, connections)) as typeof client.prepare;
    const db = createDrizzle(client);
    const memory = createUserCache(db);
    return Object.assign(connections, {
      runGroup: prepareGroupCommit(db, { userCache: memory, resolvePage: connections.staged.resolvePage }),
    });
  }

  const db = connect();
  // The oracle runs the same queries after every simulation.
  const statements = new Map<string, Database.Statement>();
  const prepareStatement = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = prepareStatement(sql)));
    // Resets the row mode of the previous caller.
    return statement.reader ? statement.raw(false).pluck(false) : statement;
  }) as typeof db.prepare;
  const tables = db
    .prepare<[], string>(
      `select name from pragma_table_list where type = 'table' and schema = 'main' and name not like 'sqlite%'
        and name not like '%fts%' and name not in ('_settings', '__drizzle_migrations')`,
    )
    .pluck()
    .all();
  const empty = db.transaction(() => {
    for (const table of tables) db.prepare(`delete from ${table}`).run();
  });

  let cleared = 0;
  return {
    db,
    take: () => free.pop() ?? create(),
    release(connections) {
      connections.crash();
      free.push(connections);
    },
    clear() {
      empty();
      if ((cleared += 1) % CHECKPOINT_EVERY === 0) db.pragma('wal_checkpoint(truncate)');
    },
    [Symbol.dispose]() {
      for (const client of open) client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Number of simulations per WAL: a long one is slow to read. */
const CHECKPOINT_EVERY = 20;
const METHODS = ['run', 'get', 'all'] as const;

function addHook<S extends Database.Statement>(statement: S, sql: string, to: { readonly hook: Hook | undefined }): S {
  for (const method of METHODS) {
    const plain = statement[method].bind(statement) as (...args: unknown[]) => unknown;
    statement[method] = ((...args: unknown[]) => {
      to.hook?.(sql);
      return plain(...args);
    }) as never;
  }
  return statement;
}
