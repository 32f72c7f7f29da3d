import type { CrawlCheckpoint } from '../kinds/checkpoint.ts';
import { getKind, type Kind } from '../kinds/kinds.ts';
import type { PageCommit } from '../store/schema/messages.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';

/** A crawl while the engine works on it: replaced by the state of each decision. */
export interface CrawlState {
  /** The crawl as the store has it once all pages so far are stored. */
  readonly crawl: StoredCrawl;
  readonly kind: Kind;
}

export const createCrawlState = (crawl: StoredCrawl): CrawlState => ({ crawl, kind: getKind(crawl.kind) });

/** What a page changes in the state of its crawl; absent members stay as they are. */
export interface StateChange {
  readonly cursor?: string | null;
  readonly checkpoint?: CrawlCheckpoint;
  readonly targetRestId?: string | null;
  /** Pages and items that the page adds. */
  readonly pages?: number;
  readonly items?: number;
}

/** The state after a page, and what its commit stores of it. */
export interface NextState {
  readonly state: CrawlState;
  readonly progress: PageCommit['progress'];
}

/** The only place that computes the next state. @param rejectedItems of the page and of its look-ups. */
export function advanceState({ crawl, kind }: CrawlState, change: StateChange, rejectedItems: number): NextState {
  const { pages = 0, items = 0, ...rest } = change;
  const next: StoredCrawl = {
    ...{ ...crawl, ...rest, consecutiveFailures: 0 },
    pages: crawl.pages + pages,
    items: crawl.items + items,
    rejectedItems: crawl.rejectedItems + rejectedItems,
  };
  const { cursor, checkpoint, targetRestId } = next;
  const progress = { cursor, checkpoint, targetRestId, pages, items, rejectedItems };
  return { state: { kind, crawl: next }, progress };
}
