import { waitUnlessAborted } from '../../abortable-wait.ts';
import { type Clock, type Random, SECOND } from '../../clock.ts';
import type { PauseReason } from '../ledger/quota-events.ts';
import { MAX_CHECK_DELAY } from '../policy.ts';
import { PRIORITIES, type Priority } from '../priorities.ts';

/** A pause: when it should be over, and when to look whether it is. */
export interface Pause {
  readonly until: number;
  readonly lookAt: number;
  readonly reason: PauseReason;
}

/** What a process knows of pauses without asking: who comes while one is on is sent away, or looks whether it is over. */
export interface Pauses {
  start(as: Priority | 'all', pause: Pause): void;
  end(as: Priority): void;
  /** Undefined when a crawl of the class may begin; one of many that ask at a time looks for all. */
  check(as: Priority, signal?: AbortSignal): Promise<Pause | undefined>;
}

/** Those that begin after a pause do so over a tenth of its time, and this at most. */
const LONGEST_SPREAD = SECOND;

export function createPauses(options: {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the pause is still on, by the ledger. */
  readonly look: (as: Priority) => Promise<Pause | undefined>;
}): Pauses {
  const { clock, random, look } = options;
  const known = new Map<Priority, { readonly since: number; readonly pause: Pause }>();
  const ended = new Map<Priority, { readonly at: number; readonly spread: number }>();
  const looking = new Map<Priority, Promise<Pause | undefined>>();

  function begin(as: Priority | 'all', pause: Pause): void {
    for (const one of as === 'all' ? PRIORITIES : [as])
      known.set(one, { since: known.get(one)?.since ?? clock.now(), pause });
  }

  function end(as: Priority): void {
    const was = known.get(as);
    if (!was) return;
    known.delete(as);
    const at = clock.now();
    ended.set(as, { at, spread: Math.min(LONGEST_SPREAD, Math.max(0, at - was.since) / 10) });
  }

  function lookOnce(as: Priority): Promise<Pause | undefined> {
    const found =
      looking.get(as) ??
      look(as).finally(() => {
        looking.delete(as);
      });
    looking.set(as, found);
    return found;
  }

  return {
    start: begin,
    end,
    async check(as, signal) {
      const pause = known.get(as)?.pause;
      if (pause) {
        const left = pause.lookAt - clock.now();
        if (left > 0 && (left <= MAX_CHECK_DELAY || pause.reason !== 'low')) return pause;
        const still = await waitUnlessAborted(lookOnce(as), signal).catch((error: unknown) => {
          if (signal?.aborted) return pause;
          throw error;
        });
        if (still) return still;
      }
      // Law 12 is about waits that somebody else decides; this one is below a second.
      const { at, spread } = ended.get(as) ?? { at: 0, spread: 0 };
      const left = at + spread - clock.now();
      const wait = left <= spread ? Math.round(random() * left) : 0;
      if (wait > 0) await clock.sleep(wait, signal).catch(() => undefined);
      return undefined;
    },
  };
}
