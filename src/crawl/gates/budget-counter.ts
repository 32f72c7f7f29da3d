import pLimit from 'p-limit';
import { type Clock, DAY, SECOND } from '#base/clock.ts';
import { formatDay } from '#base/units.ts';
import type { RunBudget, SpentRequests, StoreQueries } from '#store/schema/query-results.ts';
import type { GateHold } from './gates.ts';

export type BudgetCounter = ReturnType<typeof createBudgetCounter>;

/** How soon to check again which requests of other processes were sent. */
const RECHECK_MS = 5 * SECOND;

/** Requests that this process has sent, and recorded ones of other processes. */
interface RequestCount {
  others: number;
  own: number;
}

/**
 * Keeps runs within their budgets. The store holds the recorded requests, this counter those that this process has sent
 * since: one process never exceeds a budget. Requests that other processes, running or killed, may have in flight count
 * as spent until they are recorded.
 */
export function createBudgetCounter({ queries, clock }: { queries: Pick<StoreQueries, 'budget'>; clock: Clock }) {
  // Between the query and the count, no other request may be counted.
  const limit = pLimit(1);
  const counts = new Map<string, RequestCount>();
  /** In-flight requests of other processes, by the crawls that this process works on. */
  const held = new Map<number, number>();

  function countOf(key: string, stored: number): RequestCount {
    const one = counts.get(key) ?? { others: stored, own: 0 };
    // At most as many recorded requests as this process has sent are its own.
    one.others = Math.max(one.others, stored - one.own);
    counts.set(key, one);
    return one;
  }

  return {
    /**
     * Tracks a crawl from before its lease is taken. `inFlight` requests of the slice before count as spent until `begin`;
     * after that, this process counts its own requests.
     */
    trackCrawl(crawlId: number, inFlight: number) {
      held.set(crawlId, inFlight);
      return { begin: () => void held.set(crawlId, 0), [Symbol.dispose]: () => void held.delete(crawlId) };
    },

    /** Reserves one request. Resolves with a function that releases it if it is not sent, or with why crawls wait. */
    reserve: (runId: number): Promise<(() => void) | GateHold> => limit(() => reserveOne(runId)),
  };

  async function reserveOne(runId: number): Promise<(() => void) | GateHold> {
    const day = formatDay(clock.now());
    // The state at the time of the query, which counts the same requests as in flight.
    const heldBefore = new Map(held);
    const budget = await queries.budget(runId, day);
    if (!budget) return nothing;
    const taken: RequestCount[] = [];
    for (const { most, stored, key, until } of listLimits(budget, runId, day)) {
      if (most === null) continue;
      const one = countOf(key, stored.requests);
      const spent = one.others + one.own + stored.unknown + countInFlight(stored, true, heldBefore);
      if (spent >= most) return spentUntil(until);
      // The number that was sent is known soon: the crawl waits and does not end.
      if (spent + countInFlight(stored, false, heldBefore) >= most) return spentUntil(clock.now() + RECHECK_MS);
      taken.push(one);
    }
    for (const one of taken) one.own++;
    return () => {
      for (const one of taken) one.own--;
    };
  }
}

const nothing = (): void => undefined;

/** The limit of a run, and that of a day for all runs of its job. */
const listLimits = ({ job, perRun, perDay, inRun, onDay }: RunBudget, runId: number, day: string) => [
  { most: perRun, stored: inRun, key: `run ${runId}`, until: Infinity },
  {
    most: perDay,
    stored: onDay,
    until: Date.parse(day) + DAY,
    key: `${job === null ? `run ${runId}` : `job ${job}`} on ${day}`,
  },
];

/** The number of requests that other processes may have in flight, of ended crawls or of the others. */
const countInFlight = ({ inFlight }: SpentRequests, hasEnded: boolean, own: ReadonlyMap<number, number>): number =>
  inFlight
    .filter((crawl) => crawl.hasEnded === hasEnded)
    .reduce((total, { crawlId, requests }) => total + (own.get(crawlId) ?? requests), 0);

/** @param until when the next budget begins; Infinity if there is none */
const spentUntil = (until: number): GateHold => ({ reason: 'budget', until, resumeAt: until });
