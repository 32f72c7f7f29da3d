import type { IRedisClient, Queue, Worker } from 'bullmq';
import { isSettledWithin } from '#base/abortable-wait.ts';

/** The maximum time for a close without running jobs. If Redis works, it takes some milliseconds. */
const CLOSE_TIMEOUT_MS = 300;

/** Closes a worker of BullMQ whose jobs have ended. Without Redis, it is closed by force, since BullMQ would wait for Redis. */
export async function closeWorker(worker: Worker, closing: Promise<unknown> = worker.close()): Promise<void> {
  if (await isSettledWithin(CLOSE_TIMEOUT_MS, closing)) return;
  // Without this, `close` would return the promise of its first call.
  worker.closing = undefined;
  worker.close(true).catch(() => undefined);
  worker['stalledCheckStopper']?.();
  disconnect(worker.backend.blockingClient);
  disconnect(worker.backend.client);
}

/** Closes a queue of BullMQ, without Redis by force. */
export async function closeQueue(queue: Queue, closing: Promise<unknown> = queue.close()): Promise<void> {
  if (!(await isSettledWithin(CLOSE_TIMEOUT_MS, closing))) disconnect(queue.backend.client);
}

/** Ends a connection that would otherwise reconnect forever. BullMQ connects a blocking one again when it ends during a wait. */
function disconnect(client: Promise<IRedisClient> | undefined): void {
  client
    ?.then((connected) => {
      connected.on('error', () => undefined);
      connected.on('connecting', () => connected.disconnect());
      connected.disconnect();
    })
    .catch(() => undefined);
}
