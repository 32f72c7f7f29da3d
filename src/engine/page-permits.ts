import { PausedError } from '../errors.ts';
import { RESERVATION_LIFE } from '../quota/ledger/ledger.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';
import type { EngineDependencies } from './engine-dependencies.ts';

/** The ledger forgets a reservation that is not settled in time: a spare one is sent well before. */
const SPARE_LIFE = RESERVATION_LIFE / 2;

/**
 * The permits of one page's requests. If the page ran out of quota behind a request before, all requests that it then
 * needed are reserved together: otherwise a window that frees one request at a time would never let the page end.
 */
export function createPagePermits(
  { governor, clock }: Pick<EngineDependencies, 'governor' | 'clock'>,
  { priority, checkpoint }: Pick<StoredCrawl, 'priority' | 'checkpoint'>,
  signal: AbortSignal,
) {
  let atOnce = checkpoint.requestsAtOnce ?? 1;
  let spare: readonly string[] = [];
  let reservedAt = 0;

  function release(): void {
    for (const id of spare) governor.settle(id, false);
    spare = [];
  }

  return {
    /** A permit for one request; `settle` follows. @throws PausedError */
    async reserve(): Promise<string> {
      const age = clock.now() - reservedAt;
      if (age < 0 || age >= SPARE_LIFE) release();
      const [id, ...others] = spare;
      spare = others;
      if (id !== undefined) return id;
      const grant = await governor.reserve(priority, signal, atOnce);
      if (!grant.granted) throw new PausedError(grant);
      atOnce = 1;
      reservedAt = clock.now();
      ({ spare } = grant);
      return grant.id;
    },
    settle: governor.settle,
    /** Returns what was reserved for requests that are not sent. */
    release,
  };
}
