import type { Clock } from '#base/clock.ts';
import type { HoldConditions } from '#crawl/gates/describe-holds.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Store } from '#store/store.ts';

const POLL_MS = 150;
/** The pause between two reads, as a multiple of a read's duration: reading a large snowball slows it down. */
const REST = 10;

/**
 * Follows crawls in the store until they have ended, in whatever process they run, or until the signal is aborted. Returns
 * the rows of the crawls and their descendants.
 */
export async function followCrawls(options: {
  store: Store;
  ids: readonly number[];
  clock: Clock;
  signal: AbortSignal;
  onRead: (rows: readonly CrawlRow[]) => void;
}): Promise<CrawlRow[]> {
  const { store, ids, clock, signal, onRead } = options;
  for (;;) {
    const startedAt = clock.now();
    const rows = store.read.crawlTree(ids);
    onRead(rows);
    if (signal.aborted || rows.every(({ finishedAt }) => finishedAt !== null)) return rows;
    const took = clock.now() - startedAt;
    await clock.sleep(Math.max(POLL_MS, took * REST), signal).catch(() => undefined);
  }
}

export const countUnfinished = (rows: readonly CrawlRow[]): number =>
  rows.filter(({ finishedAt }) => finishedAt === null).length;

/** The state of quota, service and disk while crawls run. */
export interface ProgressSnapshot extends HoldConditions {
  readonly now: number;
}
