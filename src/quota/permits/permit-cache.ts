import { type Clock, SECOND } from '../../clock.ts';
import type { Ledger, PermitRefusal } from '../ledger/ledger.ts';
import { PREFETCH_LIFETIME } from '../policy.ts';
import { mapPriorities, PRIORITIES, type Priority } from '../priorities.ts';
import { createDemand, type Demand } from './demand.ts';

/** A grant, by its serial, or why there is none. */
export type PermitAnswer = { readonly kind: 'granted'; readonly serial: number } | PermitRefusal;

/**
 * The till of a process: grants that it has taken from the ledger and not handed out, and settlements that it has not
 * told it. Everything in it is open in the ledger, so the estimate is never too high for it, however late it tells, and
 * also when it never does. Disposing gives back and tells all.
 */
export interface PermitCache extends AsyncDisposable {
  /** A grant that is at hand for a class; undefined when the ledger has to be asked. */
  takeCached(as: Priority): number | undefined;
  /** A grant of the ledger; `go` takes what the estimate gives even if a poll is due. */
  acquire(as: Priority, go: boolean): Promise<PermitAnswer>;
  /** A reservation is done with; the ledger is told with the next trade, or soon. */
  settle(serial: number, sent: boolean): void;
  /** Gives back what is at hand, at once. */
  release(): void;
  /** Tells the ledger what was settled until now; resolves when it knows, or could not be told. */
  flush(): Promise<void>;
}

interface PermitRequest {
  readonly priority: Priority;
  readonly force: boolean;
  readonly resolve: (taken: PermitAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Grants at hand: the serials from `next` to before `end`, to be sent after `from` and before `until`. */
interface Block {
  next: number;
  readonly end: number;
  readonly from: number;
  readonly until: number;
}

/** What a class has at hand, and how fast it spends: a grant keeps the floor of the class that it was given to. */
interface PriorityPermits {
  block: Block;
  readonly demand: Demand;
}

const EMPTY: Block = { next: 0, end: 0, from: 0, until: 0 };
const NOTHING = { firstSerial: 0, wanted: 0, prefetch: 0, now: 0, force: false, priority: 'interactive' } as const;
/** Settling and giving back at the end takes no longer; what could not be told counts as spent. */
const LONGEST_END = Math.round(SECOND / 3);

/** A till is for one process and one ledger; what it does of its own accord, it does by the clock. */
export function createPermitCache({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }): PermitCache {
  const closing = new AbortController();
  const drawers = mapPriorities((): PriorityPermits => ({ block: EMPTY, demand: createDemand() }));
  let serial = 0;
  let drops = 0;
  let wants: PermitRequest[] = [];
  let sent: number[] = [];
  let unsent: number[] = [];
  /** So near to where it matters that nothing is kept at hand, and all is told at once. */
  let isNear = true;
  let trading: Promise<void> | undefined;
  /** The last thing told: what was told before it is known before it. */
  let telling: Promise<void> = Promise.resolve();
  let trades = 0;
  let isScheduled = false;
  let isWatched = false;

  /** Whatever comes up in one turn of the event loop is one trade, and there is one trade at a time. */
  function schedule(): void {
    if (isScheduled || trading) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (wants.length === 0) return void tell();
      trading = trade().finally(() => {
        trading = undefined;
        if (wants.length > 0 || (isNear && isUntold())) schedule();
      });
    });
  }

  async function trade(): Promise<void> {
    const now = clock.now();
    const { force, priority: as } = wants[0]!;
    const isServed = (want: PermitRequest): boolean => want.force === force && want.priority === as;
    const served = wants.filter(isServed);
    wants = wants.filter((want) => !isServed(want));
    const drawer = drawers[as];
    const wanted = served.length;
    const wished = closing.signal.aborted ? 0 : drawer.demand.predict(now);
    const first = serial + 1;
    serial += wanted + wished;
    trades += 1;
    const dropsBefore = drops;
    try {
      const traded = await ledger.acquire({
        ...untold(),
        firstSerial: first,
        wanted,
        prefetch: wished,
        now,
        force,
        priority: as,
      });
      const { granted, prefetched, prefetchedUntil, refusal } = traded;
      isNear = prefetchedUntil === undefined;
      drawer.demand.record(granted, now);
      served.forEach(({ resolve }, i) => resolve(i < granted ? { kind: 'granted', serial: first + i } : refusal!));
      giveBack(drawer);
      drawer.block = {
        next: first + granted,
        end: first + granted + prefetched,
        from: now,
        until: prefetchedUntil ?? now,
      };
      // Who was refused meanwhile meant these too.
      if (drops !== dropsBefore || closing.signal.aborted) drop();
      else serveWaiting();
      watch();
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
  }

  function serveWaiting(): void {
    wants = wants.filter((want) => {
      const next = handOut(want.priority);
      if (next !== undefined) want.resolve({ kind: 'granted', serial: next });
      return next === undefined;
    });
  }

  function handOut(as: Priority): number | undefined {
    const drawer = drawers[as];
    const { block } = drawer;
    if (block.next === block.end) return undefined;
    const now = clock.now();
    // A clock that was set back must not make it live longer.
    if (now < block.from || now >= block.until) {
      giveBack(drawer);
      return undefined;
    }
    drawer.demand.record(1, now);
    return block.next++;
  }

  const isUntold = (): boolean => sent.length > 0 || unsent.length > 0;

  /** Takes out what the ledger is to be told now. If that fails, what was sent expires there, and counts as spent. */
  function untold(): { sent: number[]; unsent: number[] } {
    const all = { sent, unsent };
    sent = [];
    unsent = [];
    return all;
  }

  function tell(): Promise<void> {
    if (isUntold()) {
      trades += 1;
      telling = ledger.acquire({ ...untold(), ...NOTHING }).then(
        () => undefined,
        () => undefined,
      );
    }
    return telling;
  }

  function giveBack({ block }: PriorityPermits): void {
    while (block.next < block.end) unsent.push(block.next++);
  }

  const hasAtHand = (): boolean => PRIORITIES.some((one) => drawers[one].block.next < drawers[one].block.end);

  function drop(): void {
    drops += 1;
    for (const one of PRIORITIES) giveBack(drawers[one]);
    void tell();
  }

  /** Tells and gives back what no trade has taken along for a while. */
  function watch(): void {
    if (isWatched || closing.signal.aborted || !(isUntold() || hasAtHand())) return;
    isWatched = true;
    const tradesBefore = trades;
    clock.sleep(PREFETCH_LIFETIME, closing.signal).then(
      () => {
        isWatched = false;
        if (trades === tradesBefore) drop();
        watch();
      },
      () => {
        isWatched = false;
      },
    );
  }

  return {
    takeCached: handOut,
    acquire: (as, force) =>
      new Promise((resolve, reject) => {
        wants.push({ priority: as, force, resolve, reject });
        schedule();
      }),
    settle(done, wasSent) {
      (wasSent ? sent : unsent).push(done);
      if (isNear || closing.signal.aborted) schedule();
      else watch();
    },
    release: drop,
    flush: tell,
    async [Symbol.asyncDispose]() {
      closing.abort();
      drop();
      const end = new AbortController();
      const late = clock.sleep(LONGEST_END, end.signal).catch(() => undefined);
      await Promise.race([Promise.resolve(trading).then(tell), late]);
      end.abort();
    },
  };
}
