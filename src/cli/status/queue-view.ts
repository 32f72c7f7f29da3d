import { eq } from 'drizzle-orm';
import { type QueueConnection, connectToQueue } from '../../composition.ts';
import type { Config } from '../../config.ts';
import type { OutageState } from '../../engine/outage/circuit.ts';
import { describeError } from '../../errors.ts';
import type { QuotaStatus } from '../../quota/quota-status.ts';
import { settings } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The queue at one moment. */
export interface QueueSnapshot {
  readonly description: string;
  /** Jobs that wait, run, or wait for a time. */
  readonly counts: Readonly<Record<string, number>>;
  readonly workers: number | undefined;
  /** The ledger of the configured key; undefined when no key is configured. */
  readonly quota: QuotaStatus | undefined;
  /** Whether the configured service is out; undefined when none is configured. */
  readonly outage: OutageState | undefined;
}

export interface QueueView extends AsyncDisposable {
  /** Undefined when no queue is up; in words, when it is but cannot be seen. */
  look(): Promise<QueueSnapshot | { readonly problem: string } | undefined>;
}

/** Looks at a queue that may come and go; it is visited anew after each time that it was lost. */
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
