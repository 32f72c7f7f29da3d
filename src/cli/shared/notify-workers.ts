import { getConfig } from '#cli/context.ts';
import { printMessage } from '#cli/terminal/print.ts';
import { openWorkerNotifier, type WorkerNotifier } from '#library/run/queue-connection.ts';
import type { Store } from '#store/store.ts';

/** Connects a command to the workers of its store. A queue that fails is reported once, and not used again. */
export const openNotifier = (store: Store, db: string): Promise<WorkerNotifier> =>
  openWorkerNotifier({ store, db, config: getConfig(), onWarning: (message) => printMessage(`warning: ${message}`) });
