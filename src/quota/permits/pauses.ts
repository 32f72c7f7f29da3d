import { unlessAborted } from '../../abortable-wait.ts';
import { type Clock, type Random, SECOND } from '../../clock.ts';
import type { PauseReason } from '../ledger/quota-events.ts';
import { FURTHEST_LOOK } from '../policy.ts';
import { QUOTA_CLASSES, type QuotaClass } from '../priorities.ts';

/** A pause: when it should be over, and when to look whether it is. */
export interface Pause {
  readonly until: number;
  readonly lookAt: number;
  readonly reason: PauseReason;
}

/** What a process knows of pauses without asking: who comes while one is on is sent away, or looks whether it is over. */
export interface Pauses {
  begin(as: QuotaClass | 'all', pause: Pause): void;
  end(as: QuotaClass): void;
  /** Undefined when a crawl of the class may begin; one of many that ask at a time looks for all. */
  admit(as: QuotaClass, signal?: AbortSignal): Promise<Pause | undefined>;
}

/** Those that begin after a pause do so over a tenth of its time, and this at most. */
const LONGEST_SPREAD = SECOND;

export function createPauses(options: {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the pause is still on, by the ledger. */
  readonly look: (as: QuotaClass) => Promise<Pause | undefined>;
}): Pauses {
  const { clock, random, look } = options;
  const known = new Map<QuotaClass, { readonly since: number; readonly pause: Pause }>();
  const ended = new Map<QuotaClass, { readonly at: number; readonly spread: number }>();
  const looking = new Map<QuotaClass, Promise<Pause | undefined>>();

  function begin(as: QuotaClass | 'all', pause: Pause): void {
    for (const one of as === 'all' ? QUOTA_CLASSES : [as])
      known.set(one, { since: known.get(one)?.since ?? clock.now(), pause });
  }

  function end(as: QuotaClass): void {
    const was = known.get(as);
    if (!was) return;
    known.delete(as);
    const at = clock.now();
    ended.set(as, { at, spread: Math.min(LONGEST_SPREAD, Math.max(0, at - was.since) / 10) });
  }

  function lookOnce(as: QuotaClass): Promise<Pause | undefined> {
    const found =
      looking.get(as) ??
      look(as).finally(() => {
        looking.delete(as);
      });
    looking.set(as, found);
    return found;
  }

  return {
    begin,
    end,
    async admit(as, signal) {
      const pause = known.get(as)?.pause;
      if (pause) {
        const left = pause.lookAt - clock.now();
        if (left > 0 && (left <= FURTHEST_LOOK || pause.reason !== 'low')) return pause;
        const still = await unlessAborted(lookOnce(as), signal).catch((error: unknown) => {
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
