import { eq } from 'drizzle-orm';
import { type QueueConnection, connectToQueue } from '../../composition.ts';
import type { Config } from '../../config.ts';
import type { OutageState } from '../../engine/outage/circuit.ts';
import { describeError } from '../../errors.ts';
import type { QuotaStatus } from '../../quota/quota-status.ts';
import { settings } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The state of the queue. */
export interface QueueSnapshot {
  readonly description: string;
  /** Jobs by state: waiting, active, delayed. */
  readonly counts: Readonly<Record<string, number>>;
  readonly workers: number | undefined;
  /** The ledger of the configured key; undefined without a key. */
  readonly quota: QuotaStatus | undefined;
  /** The outage of the configured service; undefined without a service. */
  readonly outage: OutageState | undefined;
}

export interface QueueView extends AsyncDisposable {
  /** Returns undefined if no queue is running, and a problem if it cannot be read. */
  look(): Promise<QueueSnapshot | { readonly problem: string } | undefined>;
}

/** Reads a queue that may start and stop. Reconnects after each loss. */
export function createQueueView(options: { config: Config; place: string; db: Db }): QueueView {
  const { config, place, db } = options;
  let visit: QueueConnection | undefined;

  async function leave(): Promise<void> {
    const left = visit;
    visit = undefined;
    await left?.[Symbol.asyncDispose]();
  }

  return {
    async look() {
      const storeId = db.select().from(settings).where(eq(settings.key, 'store_id')).get()?.value;
      if (storeId === undefined) return undefined;
      try {
        visit ??= await connectToQueue({ config, db: place, storeId });
        if (!visit) return undefined;
        const { description, queues } = visit;
        const [counts, workers, quota, outage] = await Promise.all([
          ...([queues.countJobs(), queues.countWorkers(), visit.readQuota(), visit.readOutage()] as const),
        ]);
        return { description, counts, workers, quota, outage };
      } catch (error) {
        await leave();
        return { problem: describeError(error) };
      }
    },
    [Symbol.asyncDispose]: leave,
  };
}
