import { type Clock, MINUTE, SECOND } from '#base/clock.ts';
import { formatBytes } from '#base/units.ts';
import type { GateHold } from '#crawl/gates/gates.ts';

/** Facts that wait for a target of shipping, in bytes. */
export interface ShipBacklog {
  readonly address: string;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The space for what crawls store, in bytes. */
export interface StorageSpace {
  readonly free: number;
  /** What must stay free. */
  readonly minFree: number;
  /** A backlog of shipping that has reached its maximum. */
  readonly backlog?: ShipBacklog | undefined;
}

/** The disk of a store, without the backlog of shipping. */
export interface DiskState extends Pick<StorageSpace, 'free' | 'minFree'> {
  readonly isFull: boolean;
}

/** The beginning of a shortage. Sizes are in bytes. */
export type ShortageEvent =
  | { readonly event: 'low'; readonly free: number; readonly minFree: number }
  | ({ readonly event: 'backlog' } & ShipBacklog)
  | { readonly event: 'full'; readonly why: string };

/** Changes of the disk; `enough` ends a shortage, after milliseconds. */
export type DiskEvent = ShortageEvent | { readonly event: 'enough'; readonly free: number; readonly lasted: number };

export type DiskGuard = ReturnType<typeof createDiskGuard>;

export interface DiskGuardOptions {
  readonly read: () => StorageSpace;
  /** Whether a large write succeeds now. */
  readonly canWrite: () => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly onEvent?: ((event: DiskEvent) => void) | undefined;
}

/** How often the free space is read, and how often waiting crawls check it. */
const READ_AGE_MS = SECOND;
const LOOK_MS = 5 * SECOND;
const LONGEST_WAIT_MS = 5 * MINUTE;

/** Keeps crawls from fetching pages that cannot be stored, or whose facts cannot wait (invariants 9 and 14). One per process. */
export function createDiskGuard({ read, canWrite, clock, onEvent }: DiskGuardOptions) {
  let readAt = -Infinity;
  let free = Infinity;
  let shortage: ShortageEvent | undefined;
  /** Since when crawls wait. */
  let since: number | undefined;
  /** Failed writes in a row, and when the next may be tried. */
  let failures = 0;
  let retryAt = 0;
  let why = '';

  function reportChange(): void {
    const event = shortage ?? (failures > 0 ? ({ event: 'full', why } as const) : undefined);
    if (event && since === undefined) {
      since = clock.now();
      onEvent?.(event);
    } else if (!event && since !== undefined) {
      onEvent?.({ event: 'enough', free, lasted: clock.now() - since });
      since = undefined;
    }
  }

  /** Before each page: undefined if there is enough free space. */
  function checkSpace(): GateHold | undefined {
    const age = clock.now() - readAt;
    if (age < 0 || age >= READ_AGE_MS) {
      readAt = clock.now();
      const space = read();
      ({ free } = space);
      shortage = findShortage(space);
      reportChange();
    }
    return shortage && lacking(shortage);
  }

  const lacking = (event: ShortageEvent): GateHold => createDiskHold(clock.now() + LOOK_MS, describeShortage(event));
  const failing = (): GateHold => createDiskHold(Math.max(retryAt, clock.now() + SECOND), why);

  function postpone(): void {
    failures += 1;
    retryAt = clock.now() + Math.min(LONGEST_WAIT_MS, LOOK_MS * 2 ** (failures - 1));
  }

  return {
    checkSpace,
    /** Before a slice: undefined if a crawl may run. After a failed write, a large write is tried first. */
    admitCrawl(): GateHold | undefined {
      const hold = checkSpace();
      if (hold || failures === 0) return hold;
      if (clock.now() < retryAt) return failing();
      if (canWrite()) return undefined;
      postpone();
      return failing();
    },
    /** A write failed because of the disk. */
    reportFailure(error: Error): GateHold {
      why = error.message;
      // Crawls in flight fail together, and count once.
      if (clock.now() >= retryAt) postpone();
      reportChange();
      return checkSpace() ?? failing();
    },
    /** The writes of a crawl succeeded. */
    reportSuccess(): void {
      if (clock.now() < retryAt) return;
      failures = 0;
      reportChange();
    },
    /** The bytes of the disk, and whether crawls wait for it. */
    readDisk(): DiskState {
      const { free, minFree } = read();
      return { free, minFree, isFull: failures > 0 || free < minFree };
    },
    /** The present shortage; reads nothing. */
    get shortage(): GateHold | undefined {
      if (shortage) return lacking(shortage);
      return failures > 0 ? failing() : undefined;
    },
  };
}

export const createDiskHold = (until: number, error: string): GateHold => ({
  reason: 'disk',
  until,
  error,
  isShared: true,
});

function findShortage({ free, minFree, backlog }: StorageSpace): ShortageEvent | undefined {
  if (backlog) return { event: 'backlog', ...backlog };
  return free < minFree ? { event: 'low', free, minFree } : undefined;
}

/** Returns why crawls wait for the disk or for a target of shipping. */
export function describeShortage(event: ShortageEvent): string {
  if (event.event === 'full') return event.why;
  if (event.event === 'low') return `${formatBytes(event.free)} free, ${formatBytes(event.minFree)} are kept free`;
  const { address, bytes, maxBytes } = event;
  return `${formatBytes(bytes)} of facts wait to be shipped to ${address}, at most ${formatBytes(maxBytes)} may`;
}
