import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { StoreQueries } from './schema/query-results.ts';
import { settings } from './schema/tables.ts';
import { type Db, openDatabase } from './sqlite/database.ts';
import { identifyDatabase, type OpenFiles, requireInPlace, renameOrphanedLog } from './sqlite/file-watch.ts';
import { createStoreReads, type StoreReads, createStoreQueries } from './store-reads.ts';
import { startThreadedWriter } from './writer/threaded-writer.ts';
import { createWriter, type Writer } from './writer/writer.ts';

/** The SQL database of a crawl: reads, and one writer. */
export interface Store extends AsyncDisposable {
  /** Random, made with the file: tells the queues of different stores on one Redis apart. */
  readonly id: string;
  readonly path: string;
  /** The files that it has open: others may get their names while it works. */
  readonly files: OpenFiles;
  /** Synchronous reads, for the command line. */
  readonly read: StoreReads;
  /** The same as asynchronous queries. */
  readonly queries: StoreQueries;
  readonly write: Writer;
}

export interface OpenStoreOptions {
  /** Writes in a thread of its own, so that whoever crawls never waits for the disk or for another process's lock. */
  readonly threaded?: boolean | undefined;
}

/** Opens a store, creating and migrating it as needed. @throws TrawlError when that is impossible. */
export function openStore(path: string, { threaded = false }: OpenStoreOptions = {}): Store {
  const db = openDatabase(path);
  const id = identityOf(db);
  const files = identifyDatabase(path);
  const writer = threaded ? startThreadedWriter(files) : { write: createWriter(db, () => requireInPlace(files)) };
  const read = createStoreReads(db);
  return {
    ...{ id, path, files, read },
    queries: createStoreQueries(read),
    write: writer.write,
    async [Symbol.asyncDispose]() {
      if (Symbol.asyncDispose in writer) await writer[Symbol.asyncDispose]();
      db.$client.close();
      renameOrphanedLog(files);
    },
  };
}

function identityOf(db: Db): string {
  const stored = () => db.select().from(settings).where(eq(settings.key, 'store_id')).get()?.value;
  // Written once: whoever opens a store later must not have to wait for its lock.
  const known = stored();
  if (known !== undefined) return known;
  db.insert(settings).values({ key: 'store_id', value: randomUUID() }).onConflictDoNothing().run();
  return stored()!;
}
