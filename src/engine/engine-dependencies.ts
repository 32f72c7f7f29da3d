import type { Client } from '../client/client.ts';
import type { RequestCoalescer } from '../client/request-coalescing.ts';
import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Governor } from '../quota/governor.ts';
import type { Store } from '../store/store.ts';
import type { BudgetCounter } from './budget-counter.ts';
import type { Breaker } from './outage/breaker.ts';
import type { DiskGuard } from './outage/disk-guard.ts';

/** What a crawl works with. Everything that touches the world comes in here (invariant 13). */
export interface EngineDependencies {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly client: Client;
  readonly governor: Governor;
  readonly breaker: Breaker;
  readonly disk: DiskGuard;
  readonly budgets: BudgetCounter;
  readonly flights: RequestCoalescer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Told of crawls that a page gave rise to: they are in the database, and may be put in line at once. */
  readonly announceCrawls: (crawlIds: readonly number[]) => void;
  /** Keep every page's body. */
  readonly keepRaw: boolean;
}
