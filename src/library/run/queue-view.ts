import { describeError, TrawlError } from '#base/errors.ts';
import type { Config } from '#config.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import type { Db } from '#store/sqlite/database.ts';
import { readStoreId } from '#store/store-id.ts';
import { type QueueConnection, connectToQueue } from './queue-connection.ts';

export interface QueueView extends AsyncDisposable {
  read(): Promise<QueueReading>;
}

/** Reads a queue that may start and stop. Reconnects after each loss. */
export function createQueueView(options: { config: Config; place: string; db: Db }): QueueView {
  const { config, place, db } = options;
  let connection: QueueConnection | undefined;

  async function disconnect(): Promise<void> {
    const lost = connection;
    connection = undefined;
    await lost?.[Symbol.asyncDispose]();
  }

  return {
    async read() {
      const storeId = readStoreId(db);
      if (storeId === undefined) return undefined;
      try {
        connection ??= await connectToQueue({ config, db: place, storeId });
        if (!connection) return undefined;
        const { description, queues, readJoined, readQuota, readOutage } = connection;
        const reads = [queues.countJobs(), queues.countWorkers(), readJoined(), readQuota(), readOutage()] as const;
        const [counts, workers, joined, quota, outage] = await Promise.all(reads);
        return { description, counts, workers, joined, quota, outage };
      } catch (error) {
        await disconnect();
        return {
          problem:
            error instanceof TrawlError ? describeError(error) : `the queue does not answer\n  ${describeError(error)}`,
        };
      }
    },
    [Symbol.asyncDispose]: disconnect,
  };
}
