import type { Queue, Worker } from 'bullmq';
import { isSettledWithin } from '../abortable-wait.ts';

/** What BullMQ may still do when nothing of ours is under way: with Redis there, it takes some milliseconds. */
const CLOSE_MS = 300;

/** Closes a worker of BullMQ whose jobs have ended; without Redis by force, since BullMQ would wait for it. */
export async function closeWorker(worker: Worker, closing: Promise<unknown> = worker.close()): Promise<void> {
  if (await isSettledWithin(CLOSE_MS, closing)) return;
  // `close` remembers its first call: a second one, by force, would wait for the first.
  worker.closing = undefined;
  worker.close(true).catch(() => undefined);
  worker['stalledCheckStopper']?.();
  disconnect(worker.backend.blockingClient);
  disconnect(worker.backend.client);
}

/** Closes a queue of BullMQ, by force when that takes longer than it does with Redis there. */
export async function closeQueue(queue: Queue, closing: Promise<unknown> = queue.close()): Promise<void> {
  if (!(await isSettledWithin(CLOSE_MS, closing))) disconnect(queue.backend.client);
}

/** Ends a connection that would otherwise reconnect forever. */
function disconnect(client: Promise<{ disconnect(): unknown }> | undefined): void {
  client?.then((connected) => connected.disconnect()).catch(() => undefined);
}
