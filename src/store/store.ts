import { randomUUID } from 'node:crypto';
import type { PlanningQueries } from './planning-reads.ts';
import type { StoreQueries } from './schema/query-results.ts';
import { settings } from './schema/tables.ts';
import { type Db, openDatabase } from './sqlite/database.ts';
import { identifyDatabase, type OpenFiles, requireInPlace, renameOrphanedLog } from './sqlite/file-watch.ts';
import type { PageStaging } from './staging/staging-messages.ts';
import { readStoreId } from './store-id.ts';
import { createStoreReads, type StoreReads, toQueries } from './store-reads.ts';
import { startThreadedWriter } from './writer/threaded-writer.ts';
import { createWriter, type Writer } from './writer/writer.ts';

/** An open store: its reads and its writer. */
export interface Store extends AsyncDisposable {
  /** Random: separates the queues of stores that share a Redis. */
  readonly id: string;
  readonly path: string;
  /** The open files, which other files may replace meanwhile. */
  readonly files: OpenFiles;
  /** Synchronous reads, for the command line. */
  readonly read: StoreReads;
  /** Asynchronous queries, for modules that do not depend on SQLite. */
  readonly queries: StoreQueries;
  /** Queries for plans, as of now. */
  planningQueries(): PlanningQueries;
  readonly write: Writer;
  /** Present if the store has a writer thread. */
  readonly staging: PageStaging | undefined;
}

export interface OpenStoreOptions {
  /** Writes in its own thread, so that crawls never wait for the disk or the lock of another process. */
  readonly threaded?: boolean | undefined;
}

/** Opens a store, and creates or migrates it if needed. @throws TrawlError if it cannot be opened */
export function openStore(path: string, { threaded = false }: OpenStoreOptions = {}): Store {
  const db = openDatabase(path);
  const id = identityOf(db);
  const files = identifyDatabase(path);
  const thread = threaded ? startThreadedWriter(files) : undefined;
  const read = createStoreReads(db);
  return {
    id,
    path,
    files,
    read,
    queries: toQueries<StoreQueries>(read),
    planningQueries: () => toQueries<PlanningQueries>(read.planningReads()),
    write: thread?.write ?? createWriter(db, () => requireInPlace(files)),
    staging: thread?.staging,
    async [Symbol.asyncDispose]() {
      await thread?.[Symbol.asyncDispose]();
      db.$client.close();
      renameOrphanedLog(files);
    },
  };
}

function identityOf(db: Db): string {
  // Written once, so that opening a store later needs no lock.
  const known = readStoreId(db);
  if (known !== undefined) return known;
  db.insert(settings).values({ key: 'store_id', value: randomUUID() }).onConflictDoNothing().run();
  return readStoreId(db)!;
}
