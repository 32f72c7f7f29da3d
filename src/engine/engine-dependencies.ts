import type { Client } from '../client/client.ts';
import type { RequestCoalescer } from '../client/request-coalescing.ts';
import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Governor } from '../quota/governor.ts';
import type { BudgetCounter } from './budget-counter.ts';
import type { EngineStore } from './engine-store.ts';
import type { Breaker } from './outage/breaker.ts';
import type { DiskGuard } from './outage/disk-guard.ts';

/** What the engine needs from outside: all I/O, time and randomness (invariant 13). */
export interface EngineDependencies {
  readonly store: EngineStore;
  readonly client: Client;
  readonly governor: Governor;
  readonly breaker: Breaker;
  readonly disk: DiskGuard;
  readonly budgets: BudgetCounter;
  readonly flights: RequestCoalescer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called with stored child crawls, so that they are queued at once. */
  readonly announceCrawls: (crawlIds: readonly number[]) => void;
  /** Keep every page's body. */
  readonly keepRaw: boolean;
}
