import { type Clock, MINUTE, SECOND } from '../../clock.ts';

/** Why crawls wait for the disk of the store. */
export interface DiskShortage {
  /** When to look again, milliseconds UTC. */
  readonly until: number;
  /** In words, for `crawls.error`. */
  readonly why: string;
}

/** What happens to the disk, in bytes and milliseconds. `low` and `full` begin a shortage, `enough` ends it. */
export type DiskEvent =
  | { readonly event: 'low'; readonly free: number; readonly minFree: number }
  | { readonly event: 'full'; readonly why: string }
  | { readonly event: 'enough'; readonly free: number; readonly lasted: number };

/** Keeps crawls from fetching what could not be stored (invariants 9 and 14). One per process. */
export interface DiskGuard {
  /** Before a crawl is begun: undefined where it may be. After a failed write, one crawl tries at a time. */
  admitCrawl(crawlId: number): DiskShortage | undefined;
  /** Before each page: undefined where the crawl may go on, by the free space alone. */
  checkSpace(): DiskShortage | undefined;
  /** A write failed for the disk. */
  reportFailure(crawlId: number, error: Error): DiskShortage;
  /** What a crawl wrote is stored. */
  reportSuccess(crawlId: number): void;
  /** The crawl does not try any more. */
  release(crawlId: number): void;
  /** What crawls wait for now; changes nothing. */
  readonly shortage: DiskShortage | undefined;
}

export interface DiskGuardOptions {
  /** The bytes that are free, and those that have to be, now. */
  readonly read: () => { readonly free: number; readonly minFree: number };
  /** Whether a larger amount can be written at once. */
  readonly canWrite: () => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly onEvent?: ((event: DiskEvent) => void) | undefined;
}

/** The free space is read as often, and while there is too little, crawls look as often. */
const READ_AGE_MS = SECOND;
const LOOK_MS = 5 * SECOND;
const LONGEST_WAIT_MS = 5 * MINUTE;

export function createDiskGuard({ read, canWrite, clock, onEvent }: DiskGuardOptions): DiskGuard {
  let readAt = -Infinity;
  let space = { free: Infinity, minFree: 0 };
  /** Since when crawls wait. */
  let since: number | undefined;
  /** Writes that failed in a row, when the next may be tried, and which crawl tries. */
  let failures = 0;
  let retryAt = 0;
  let trial: number | undefined;
  let why = '';

  function begin(event: DiskEvent): void {
    if (since !== undefined) return;
    since = clock.now();
    onEvent?.(event);
  }

  function end(): void {
    if (since === undefined || failures > 0 || space.free < space.minFree) return;
    const lasted = clock.now() - since;
    since = undefined;
    onEvent?.({ event: 'enough', free: space.free, lasted });
  }

  function look(): DiskShortage | undefined {
    if (clock.now() - readAt >= READ_AGE_MS || clock.now() < readAt) {
      readAt = clock.now();
      space = read();
    }
    const { free, minFree } = space;
    if (free >= minFree) {
      end();
      return undefined;
    }
    begin({ event: 'low', free, minFree });
    return low();
  }

  const low = (): DiskShortage | undefined =>
    space.free < space.minFree
      ? {
          until: clock.now() + LOOK_MS,
          why: `${megabytes(space.free)} free, ${megabytes(space.minFree)} are kept free`,
        }
      : undefined;

  const failing = (): DiskShortage => ({ until: Math.max(retryAt, clock.now() + SECOND), why });

  function postpone(): void {
    failures += 1;
    trial = undefined;
    retryAt = clock.now() + Math.min(LONGEST_WAIT_MS, LOOK_MS * 2 ** (failures - 1));
  }

  return {
    checkSpace: look,
    admitCrawl(crawlId) {
      const shortage = look();
      if (shortage || failures === 0) return shortage;
      if (clock.now() < retryAt || (trial !== undefined && trial !== crawlId)) return failing();
      if (!canWrite()) {
        postpone();
        return failing();
      }
      trial = crawlId;
      return undefined;
    },
    reportFailure(crawlId, error) {
      why = error.message;
      // Crawls that were under way fail together, and count once.
      if (failures === 0 || trial === crawlId) postpone();
      begin({ event: 'full', why });
      return look() ?? failing();
    },
    reportSuccess(crawlId) {
      if (failures === 0 || trial !== crawlId) return;
      failures = 0;
      trial = undefined;
      end();
    },
    release(crawlId) {
      if (trial !== crawlId) return;
      // It had nothing to store: another one tries, a little later.
      trial = undefined;
      retryAt = clock.now() + LOOK_MS;
    },
    get shortage() {
      return low() ?? (failures > 0 ? failing() : undefined);
    },
  };
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1e6).toLocaleString('en-US')} MB`;
