import { type Clock, DAY } from '../clock.ts';
import { BudgetSpentError } from '../errors.ts';
import type { Reads } from '../store/reads.ts';
import { dayOf } from '../store/runs.ts';

/**
 * Keeps runs within their budgets. What was spent is in the store, with the page that tells of it; what this process has
 * sent since, it remembers. So one process never sends more than a budget allows. Where several work on one run, each
 * knows of the others' requests once their pages are stored: it may be exceeded by what is on its way, two requests for
 * each crawl under way.
 */
export interface Budgets {
  /** To be called before every request; what it returns, if the request is not sent. @throws BudgetSpentError */
  take(runId: number | null): () => void;
}

/** What this process has sent, and what was surely spent beside that. */
interface Purse {
  beside: number;
  own: number;
}

export function createBudgets({ read, clock }: { read: Pick<Reads, 'budget'>; clock: Clock }): Budgets {
  const purses = new Map<string, Purse>();

  function purse(key: string, stored: number): Purse {
    const one = purses.get(key) ?? { beside: stored, own: 0 };
    // Of what is stored, no more than this process has sent can be its own.
    one.beside = Math.max(one.beside, stored - one.own);
    purses.set(key, one);
    return one;
  }

  return {
    take(runId) {
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
      const taken: Purse[] = [];
      for (const { most, stored, key, until } of limits) {
        if (most === null) continue;
        const one = purse(key, stored);
        if (one.beside + one.own >= most) throw new BudgetSpentError(until);
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
