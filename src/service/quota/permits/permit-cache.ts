import { type Clock, SECOND } from '#base/clock.ts';
import type { Ledger, PermitRefusal } from '#service/quota/ledger/ledger.ts';
import { mapPriorities, PRIORITIES, type Priority } from '#service/quota/priorities.ts';
import { PREFETCH_LIFETIME, MAX_PREFETCH } from '#service/quota/quota-policy.ts';

/** Permits with their serial numbers, at least one, or the reason for the refusal. */
export type PermitAnswer = { readonly kind: 'granted'; readonly serials: readonly number[] } | PermitRefusal;

export type PermitCache = ReturnType<typeof createPermitCache>;

interface PermitRequest {
  readonly priority: Priority;
  readonly force: boolean;
  /** How many permits are granted together. */
  readonly atOnce: number;
  readonly resolve: (taken: PermitAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Cached permits: serials from `next` up to `end` (exclusive), valid from `from` to `until`. */
interface Block {
  next: number;
  readonly end: number;
  readonly from: number;
  readonly until: number;
}

/** Permits of one priority. They are not used for another priority, since each has its own headroom. */
interface PriorityPermits {
  block: Block;
  readonly countDemand: Demand;
}

const EMPTY: Block = { next: 0, end: 0, from: 0, until: 0 };
const NOTHING = {
  firstSerial: 0,
  wanted: 0,
  prefetch: 0,
  fewest: 1,
  now: 0,
  force: false,
  priority: 'interactive',
} as const;
/** Limit for disposing. Settlements that cannot be sent in time count as spent. */
const LONGEST_END = Math.round(SECOND / 3);

/**
 * Permits that this process took in advance, and settlements that it has not sent yet. The ledger counts all of them as
 * open reservations, so its estimate is never too high. Disposing releases unused permits and sends the settlements.
 */
export function createPermitCache({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }) {
  const closing = new AbortController();
  const permitsByPriority = mapPriorities((): PriorityPermits => ({ block: EMPTY, countDemand: createDemand() }));
  let serial = 0;
  let releaseCount = 0;
  let waiting: PermitRequest[] = [];
  let sent: number[] = [];
  let unsent: number[] = [];
  /** The quota is low: nothing is prefetched, and settlements are sent at once. */
  let isScarce = true;
  let pendingAcquire: Promise<void> | undefined;
  let lastFlush: Promise<void> = Promise.resolve();
  let acquireCount = 0;
  let isScheduled = false;
  let isWatched = false;

  /** Batches all requests of one turn of the event loop. One batch runs at a time. */
  function schedule(): void {
    if (isScheduled || pendingAcquire) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (waiting.length === 0) return void flush();
      pendingAcquire = acquireWaiting().finally(() => {
        pendingAcquire = undefined;
        if (waiting.length > 0 || (isScarce && hasSettled())) schedule();
      });
    });
  }

  async function acquireWaiting(): Promise<void> {
    const now = clock.now();
    const first = waiting[0]!;
    const { force, priority: as, atOnce } = first;
    const isLikeFirst = (one: PermitRequest): boolean => one.force === force && one.priority === as && one.atOnce === 1;
    // What takes several permits is served alone.
    const isServed = (one: PermitRequest): boolean => one === first || (atOnce === 1 && isLikeFirst(one));
    const served = waiting.filter(isServed);
    waiting = waiting.filter((request) => !isServed(request));
    const cached = permitsByPriority[as];
    const wanted = atOnce === 1 ? served.length : atOnce;
    const prefetch = closing.signal.aborted ? 0 : cached.countDemand(0, now);
    const firstSerial = serial + 1;
    serial += wanted + prefetch;
    acquireCount += 1;
    const releaseCountBefore = releaseCount;
    try {
      const request = { ...takeSettled(), firstSerial, wanted, prefetch, fewest: atOnce, now, force, priority: as };
      const { granted, prefetched, prefetchedUntil, refusal } = await ledger.acquire(request);
      isScarce = prefetchedUntil === undefined;
      cached.countDemand(granted, now);
      served.forEach(({ resolve }, i) => {
        const serials = Array.from({ length: Math.min(atOnce, granted - i) }, (_, n) => firstSerial + i + n);
        resolve(i < granted ? { kind: 'granted', serials } : refusal!);
      });
      returnUnused(cached);
      cached.block = {
        next: firstSerial + granted,
        end: firstSerial + granted + prefetched,
        from: now,
        until: prefetchedUntil ?? now,
      };
      // A release during the call also applies to the permits that it brought.
      if (releaseCount !== releaseCountBefore || closing.signal.aborted) release();
      else serveWaiting();
      watch();
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
  }

  function serveWaiting(): void {
    waiting = waiting.filter((request) => {
      const next = request.atOnce === 1 ? takeCached(request.priority) : undefined;
      if (next !== undefined) request.resolve({ kind: 'granted', serials: [next] });
      return next === undefined;
    });
  }

  /** A cached permit of a priority; undefined if there is none. */
  function takeCached(as: Priority): number | undefined {
    const cached = permitsByPriority[as];
    const { block } = cached;
    if (block.next === block.end) return undefined;
    const now = clock.now();
    // A clock that is set back must not extend the lifetime.
    if (now < block.from || now >= block.until) {
      returnUnused(cached);
      return undefined;
    }
    cached.countDemand(1, now);
    return block.next++;
  }

  const hasSettled = (): boolean => sent.length > 0 || unsent.length > 0;

  /** Removes and returns the settlements. If sending fails, the reservations expire in the ledger and count as spent. */
  function takeSettled(): { sent: number[]; unsent: number[] } {
    const all = { sent, unsent };
    sent = [];
    unsent = [];
    return all;
  }

  /** Sends the settlements to the ledger. Resolves also when sending fails. */
  function flush(): Promise<void> {
    if (hasSettled()) {
      acquireCount += 1;
      lastFlush = ledger.acquire({ ...takeSettled(), ...NOTHING }).then(
        () => undefined,
        () => undefined,
      );
    }
    return lastFlush;
  }

  function returnUnused({ block }: PriorityPermits): void {
    while (block.next < block.end) unsent.push(block.next++);
  }

  const hasCached = (): boolean =>
    PRIORITIES.some((one) => permitsByPriority[one].block.next < permitsByPriority[one].block.end);

  /** Returns unused permits to the ledger at once. */
  function release(): void {
    releaseCount += 1;
    for (const one of PRIORITIES) returnUnused(permitsByPriority[one]);
    void flush();
  }

  /** Releases permits and sends settlements after 250 ms without a call to the ledger. */
  function watch(): void {
    if (isWatched || closing.signal.aborted || !(hasSettled() || hasCached())) return;
    isWatched = true;
    const acquireCountBefore = acquireCount;
    clock.sleep(PREFETCH_LIFETIME, closing.signal).then(
      () => {
        isWatched = false;
        if (acquireCount === acquireCountBefore) release();
        watch();
      },
      () => {
        isWatched = false;
      },
    );
  }

  return {
    takeCached,
    /** Permits of the ledger: so many at once, or none. With `force` they are granted even if a poll is due. */
    acquire: (as: Priority, force: boolean, atOnce: number): Promise<PermitAnswer> =>
      new Promise((resolve, reject) => {
        waiting.push({ priority: as, force, atOnce, resolve, reject });
        schedule();
      }),
    /** Ends a reservation. The ledger receives it with the next `acquire`, at most 250 ms later. */
    settle(done: number, wasSent: boolean): void {
      (wasSent ? sent : unsent).push(done);
      if (isScarce || closing.signal.aborted) schedule();
      else watch();
    },
    release,
    flush,
    async [Symbol.asyncDispose](): Promise<void> {
      closing.abort();
      release();
      const end = new AbortController();
      const late = clock.sleep(LONGEST_END, end.signal).catch(() => undefined);
      await Promise.race([Promise.resolve(pendingAcquire).then(flush), late]);
      end.abort();
    },
  };
}

/** How fast a priority uses permits. */
type Demand = ReturnType<typeof createDemand>;

/** Predicts the use of the last interval for the next one. */
function createDemand() {
  let [since, lately, before] = [0, 0, 0];
  /** Counts permits. Returns the number of them that are expected to be used during `PREFETCH_LIFETIME`. */
  return (grants: number, now: number): number => {
    const age = now - since;
    if (age < 0 || age >= PREFETCH_LIFETIME) {
      before = age >= 0 && age < 2 * PREFETCH_LIFETIME ? lately : 0;
      [since, lately] = [now, 0];
    }
    lately += grants;
    return Math.min(MAX_PREFETCH, Math.max(lately, before));
  };
}
