import type { Clock } from '../clock.ts';
import type { CrawlRow, CrawlSpec, OpenedCrawl } from '../store/messages.ts';
import type { Store } from '../store/store.ts';
import { CLAIM_MS, isClaimed } from './claims.ts';
import type { Lanes } from './lanes.ts';

export interface Producer {
  /** Creates crawls or joins unfinished ones, and puts them in line. The rows come first: law 2. */
  enqueue(specs: readonly CrawlSpec[]): Promise<OpenedCrawl[]>;
  /** Puts crawls in line that are in the database already, with their families. */
  dispatch(ids: readonly number[]): Promise<void>;
  /**
   * Puts every unfinished crawl in line that should be and is not: after a start, a crash, or the loss of Redis. A run
   * looks after the crawls it claimed, everybody else after those that no living run keeps to itself. Returns how many.
   */
  reconcile(): Promise<number>;
}

export function createProducer(options: {
  store: Store;
  lanes: Lanes;
  clock: Clock;
  run?: string | undefined;
}): Producer {
  const { store, lanes, clock, run } = options;
  const isOurs = (crawl: CrawlRow): boolean =>
    run === undefined ? !isClaimed(crawl, clock.now()) : crawl.claimedBy === run;
  /** What this run named. Of that and of what came of it, it takes over what a run that has died kept to itself. */
  let named: readonly number[] = [];

  async function open(specs: readonly CrawlSpec[]): Promise<OpenedCrawl[]> {
    const now = clock.now();
    return await store.write.open(specs, now, run === undefined ? undefined : { by: run, until: now + CLAIM_MS });
  }

  async function takeOver(): Promise<void> {
    const lost = store.read.unclaimed(named, run!).filter((crawl) => !isClaimed(crawl, clock.now()));
    if (lost.length > 0) await open(lost);
  }

  async function dispatch(ids: readonly number[]): Promise<void> {
    const rows = store.read.family(ids).filter((crawl) => crawl.finishedAt === null && isOurs(crawl));
    await lanes.dispatch(rows, clock.now());
  }

  return {
    dispatch,
    async enqueue(specs) {
      const opened = await open(specs);
      const ids = opened.map(({ id }) => id);
      named = [...named, ...ids];
      if (run !== undefined) await takeOver();
      await dispatch(ids);
      return opened;
    },
    async reconcile() {
      if (run !== undefined) await takeOver();
      // What is in line is most of it: only of the rest more than its number is looked at.
      const inLine = await lanes.inLine();
      const missing = store.read.unfinishedIds().filter((id) => !inLine.has(id));
      const rows = store.read.crawls(missing).filter(isOurs);
      await lanes.dispatch(rows, clock.now());
      return rows.length;
    },
  };
}
