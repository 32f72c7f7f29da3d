import { waitUnlessAborted } from '#base/abortable-wait.ts';
import { type Clock, type Random, SECOND } from '#base/clock.ts';
import type { PauseReason } from '#service/quota/ledger/quota-events.ts';
import { PRIORITIES, type Priority } from '#service/quota/priorities.ts';
import { MAX_CHECK_DELAY } from '#service/quota/quota-policy.ts';

/** A pause: its expected end, and when to check whether it has ended; milliseconds UTC. */
export interface Pause {
  readonly until: number;
  readonly lookAt: number;
  readonly reason: PauseReason;
}

/** After a pause, starts are spread over a tenth of its length, at most this long. */
const LONGEST_SPREAD = SECOND;

/** The pauses that this process knows, without a call to the ledger. */
export function createPauses(options: {
  readonly clock: Clock;
  readonly random: Random;
  /** Checks in the ledger whether the pause is still active. */
  readonly look: (as: Priority) => Promise<Pause | undefined>;
}) {
  const { clock, random, look } = options;
  const known = new Map<Priority, { readonly since: number; readonly pause: Pause }>();
  const ended = new Map<Priority, { readonly at: number; readonly spread: number }>();
  const looking = new Map<Priority, Promise<Pause | undefined>>();

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
    start(as: Priority | 'all', pause: Pause): void {
      for (const one of as === 'all' ? PRIORITIES : [as])
        known.set(one, { since: known.get(one)?.since ?? clock.now(), pause });
    },
    end(as: Priority): void {
      const pause = known.get(as);
      if (!pause) return;
      known.delete(as);
      const at = clock.now();
      ended.set(as, { at, spread: Math.min(LONGEST_SPREAD, Math.max(0, at - pause.since) / 10) });
    },
    /** The pause of a priority; undefined if a crawl may start. One caller checks the ledger for all. */
    async check(as: Priority, signal?: AbortSignal): Promise<Pause | undefined> {
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
      // Invariant 12 concerns waits for external events; this one lasts less than a second.
      const { at, spread } = ended.get(as) ?? { at: 0, spread: 0 };
      const left = at + spread - clock.now();
      const wait = left <= spread ? Math.round(random() * left) : 0;
      if (wait > 0) await clock.sleep(wait, signal).catch(() => undefined);
      return undefined;
    },
  };
}
