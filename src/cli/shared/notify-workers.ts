import { systemClock } from '../../clock.ts';
import { type QueueConnection, connectToQueue } from '../../composition.ts';
import { describeError } from '../../errors.ts';
import { createProducer, type Producer } from '../../queue/producer.ts';
import type { Store } from '../../store/store.ts';
import { getConfig } from '../context.ts';
import { printNote } from '../terminal/output.ts';

/** Queues crawls for running workers immediately. Without a queue, workers find the rows themselves (invariant 2). */
export type WorkerNotifier = Pick<Producer, 'dispatch'> & AsyncDisposable;

/** Connects to an existing queue. A queue that fails is reported once, and not used again. */
export async function openWorkerNotifier(store: Store, db: string): Promise<WorkerNotifier> {
  let connection: QueueConnection | undefined;
  let producer: Producer | undefined;
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      producer = undefined;
      printNote(`warning: queued in the database only: ${describeError(error)}`);
    }
  };
  await attempt(async () => {
    connection = await connectToQueue({ config: getConfig(), db, storeId: store.id });
    producer = connection && createProducer({ store, queues: connection.queues, clock: systemClock });
  });
  return {
    dispatch: async (ids) => await attempt(async () => await producer?.dispatch(ids)),
    [Symbol.asyncDispose]: async () => await connection?.[Symbol.asyncDispose](),
  };
}
