import { type Clock, DAY, SECOND } from '../clock.ts';
import { BudgetSpentError } from '../errors.ts';
import { dayOf, type Spent } from '../store/crawls/runs.ts';
import type { Reads } from '../store/reads.ts';

/**
 * Keeps runs within their budgets. What was spent is in the store, with the page that tells of it; what this process has
 * sent since, it remembers. So one process never sends more than a budget allows. Of other processes, alive or killed,
 * what their crawls may have in flight counts as spent until it is recorded.
 */
export interface BudgetCounter {
  /** To be called before every request; what it returns, if the request is not sent. @throws BudgetSpentError */
  reserve(runId: number | null): () => void;
  /**
   * To be called before a lease is taken, with what the activation before it left in flight. From `begin` on until it is
   * disposed of, this process knows itself what it has sent for the crawl.
   */
  trackCrawl(crawlId: number, left: number): CrawlTracking;
}

export interface CrawlTracking extends Disposable {
  begin(): void;
}

/** How soon to look again whether what others had in flight was sent. */
const LOOK_MS = 5 * SECOND;

/** What this process has sent, and what was surely spent beside that. */
interface RequestCount {
  others: number;
  own: number;
}

export function createBudgetCounter({ read, clock }: { read: Pick<Reads, 'budget'>; clock: Clock }): BudgetCounter {
  const purses = new Map<string, RequestCount>();
  /** What others had in flight of the crawls that this process works on. */
  const held = new Map<number, number>();

  function purse(key: string, stored: number): RequestCount {
    const one = purses.get(key) ?? { others: stored, own: 0 };
    // Of what is stored, no more than this process has sent can be its own.
    one.others = Math.max(one.others, stored - one.own);
    purses.set(key, one);
    return one;
  }

  /** What others may have in flight: `settled` is not going to be sent by anybody, though it may have been. */
  function inFlightElsewhere({ inFlight }: Spent): { readonly settled: number; readonly open: number } {
    const sum = (ended: boolean): number =>
      inFlight
        .filter(({ hasEnded }) => hasEnded === ended)
        .reduce((total, { crawlId, requests }) => total + (held.get(crawlId) ?? requests), 0);
    return { settled: sum(true), open: sum(false) };
  }

  return {
    trackCrawl(crawlId, left) {
      held.set(crawlId, left);
      return { begin: () => void held.set(crawlId, 0), [Symbol.dispose]: () => void held.delete(crawlId) };
    },

    reserve(runId) {
      if (runId === null) return nothing;
      const day = dayOf(clock.now());
      const budget = read.budget(runId, day);
      if (!budget) return nothing;
      const { job, perRun, perDay, inRun, onDay } = budget;
      const limits = [
        { most: perRun, stored: inRun, key: `run ${runId}`, until: undefined },
        {
          ...{ most: perDay, stored: onDay, until: (day + 1) * DAY },
          key: job === null ? `run ${runId} on ${day}` : `job ${job} on ${day}`,
        },
      ];
      const taken: RequestCount[] = [];
      for (const { most, stored, key, until } of limits) {
        if (most === null) continue;
        const one = purse(key, stored.requests);
        const { settled, open } = inFlightElsewhere(stored);
        const spent = one.others + one.own + stored.unknown + settled;
        if (spent >= most) throw new BudgetSpentError(until);
        // It is known soon how much of that was sent: the crawl need not end for it.
        if (spent + open >= most) throw new BudgetSpentError(clock.now() + LOOK_MS);
        taken.push(one);
      }
      for (const one of taken) one.own++;
      return () => {
        for (const one of taken) one.own--;
      };
    },
  };
}

const nothing = (): void => undefined;
