import { type Clock, SECOND } from '../../clock.ts';
import type { Ledger, Refusal } from '../ledger/ledger.ts';
import { LIFE_AT_HAND } from '../policy.ts';
import { byClass, QUOTA_CLASSES, type QuotaClass } from '../priorities.ts';
import { createPace, type Pace } from './demand.ts';

/** A grant, by its serial, or why there is none. */
export type Taken = { readonly kind: 'granted'; readonly serial: number } | Refusal;

/**
 * The till of a process: grants that it has taken from the ledger and not handed out, and settlements that it has not
 * told it. Everything in it is open in the ledger, so the estimate is never too high for it, however late it tells, and
 * also when it never does. Disposing gives back and tells all.
 */
export interface Till extends AsyncDisposable {
  /** A grant that is at hand for a class; undefined when the ledger has to be asked. */
  handOut(as: QuotaClass): number | undefined;
  /** A grant of the ledger; `go` takes what the estimate gives even if a poll is due. */
  take(as: QuotaClass, go: boolean): Promise<Taken>;
  /** A reservation is done with; the ledger is told with the next trade, or soon. */
  settle(serial: number, sent: boolean): void;
  /** Gives back what is at hand, at once. */
  drop(): void;
  /** Tells the ledger what was settled until now; resolves when it knows, or could not be told. */
  tell(): Promise<void>;
}

interface Want {
  readonly class: QuotaClass;
  readonly go: boolean;
  readonly resolve: (taken: Taken) => void;
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
interface Drawer {
  block: Block;
  readonly pace: Pace;
}

const EMPTY: Block = { next: 0, end: 0, from: 0, until: 0 };
const NOTHING = { first: 0, wanted: 0, wished: 0, now: 0, go: false, class: 'interactive' } as const;
/** Settling and giving back at the end takes no longer; what could not be told counts as spent. */
const LONGEST_END = Math.round(SECOND / 3);

/** A till is for one process and one ledger; what it does of its own accord, it does by the clock. */
export function createTill({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }): Till {
  const closing = new AbortController();
  const drawers = byClass((): Drawer => ({ block: EMPTY, pace: createPace() }));
  let serial = 0;
  let drops = 0;
  let wants: Want[] = [];
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
    const { go, class: as } = wants[0]!;
    const isServed = (want: Want): boolean => want.go === go && want.class === as;
    const served = wants.filter(isServed);
    wants = wants.filter((want) => !isServed(want));
    const drawer = drawers[as];
    const wanted = served.length;
    const wished = closing.signal.aborted ? 0 : drawer.pace.expect(now);
    const first = serial + 1;
    serial += wanted + wished;
    trades += 1;
    const dropsBefore = drops;
    try {
      const traded = await ledger.trade({ ...untold(), first, wanted, wished, now, go, class: as });
      const { granted, extra, extraUntil, refusal } = traded;
      isNear = extraUntil === undefined;
      drawer.pace.count(granted, now);
      served.forEach(({ resolve }, i) => resolve(i < granted ? { kind: 'granted', serial: first + i } : refusal!));
      giveBack(drawer);
      drawer.block = { next: first + granted, end: first + granted + extra, from: now, until: extraUntil ?? now };
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
      const next = handOut(want.class);
      if (next !== undefined) want.resolve({ kind: 'granted', serial: next });
      return next === undefined;
    });
  }

  function handOut(as: QuotaClass): number | undefined {
    const drawer = drawers[as];
    const { block } = drawer;
    if (block.next === block.end) return undefined;
    const now = clock.now();
    // A clock that was set back must not make it live longer.
    if (now < block.from || now >= block.until) {
      giveBack(drawer);
      return undefined;
    }
    drawer.pace.count(1, now);
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
      telling = ledger.trade({ ...untold(), ...NOTHING }).then(
        () => undefined,
        () => undefined,
      );
    }
    return telling;
  }

  function giveBack({ block }: Drawer): void {
    while (block.next < block.end) unsent.push(block.next++);
  }

  const hasAtHand = (): boolean => QUOTA_CLASSES.some((one) => drawers[one].block.next < drawers[one].block.end);

  function drop(): void {
    drops += 1;
    for (const one of QUOTA_CLASSES) giveBack(drawers[one]);
    void tell();
  }

  /** Tells and gives back what no trade has taken along for a while. */
  function watch(): void {
    if (isWatched || closing.signal.aborted || !(isUntold() || hasAtHand())) return;
    isWatched = true;
    const tradesBefore = trades;
    clock.sleep(LIFE_AT_HAND, closing.signal).then(
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
    handOut,
    take: (as, go) =>
      new Promise((resolve, reject) => {
        wants.push({ class: as, go, resolve, reject });
        schedule();
      }),
    settle(done, wasSent) {
      (wasSent ? sent : unsent).push(done);
      if (isNear || closing.signal.aborted) schedule();
      else watch();
    },
    drop,
    tell,
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
