import { systemClock } from '../../../base/clock.ts';
import { describeError } from '../../../base/errors.ts';
import type { Config } from '../../../config.ts';
import { createProducer, type Producer } from '../../../crawl/queue/producer.ts';
import type { Store } from '../../../store/store.ts';
import { type QueueConnection, connectToQueue } from './queue-connection.ts';

/** Queues crawls for running workers immediately. Without a queue, workers find the rows themselves (invariant 2). */
export type WorkerNotifier = Pick<Producer, 'dispatch'> & AsyncDisposable;

/** Connects to an existing queue. A queue that fails is reported once, and not used again. */
export async function openWorkerNotifier(options: {
  readonly store: Store;
  readonly db: string;
  readonly config: Config;
  /** Called with the reason when the queue fails. */
  readonly onWarning: (message: string) => void;
}): Promise<WorkerNotifier> {
  const { store, db, config, onWarning } = options;
  let connection: QueueConnection | undefined;
  let producer: Producer | undefined;
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      producer = undefined;
      onWarning(`queued in the database only: ${describeError(error)}`);
    }
  };
  await attempt(async () => {
    connection = await connectToQueue({ config, db, storeId: store.id });
    producer = connection && createProducer({ store, queues: connection.queues, clock: systemClock });
  });
  return {
    dispatch: async (ids) => await attempt(async () => await producer?.dispatch(ids)),
    [Symbol.asyncDispose]: async () => await connection?.[Symbol.asyncDispose](),
  };
}
