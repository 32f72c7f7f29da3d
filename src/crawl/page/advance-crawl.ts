import type { CrawlCheckpoint } from '../../service/kinds/checkpoint.ts';
import type { PageCommit } from '../../store/schema/commit-messages.ts';
import type { StoredCrawl } from '../../store/schema/query-results.ts';

/** What a page changes in its crawl; absent members stay as they are. */
export interface CrawlChange {
  readonly cursor?: string | null;
  readonly checkpoint?: CrawlCheckpoint;
  readonly targetRestId?: string | null;
  /** Pages and items that the page adds. */
  readonly pages?: number;
  readonly items?: number;
}

/** The crawl as the store has it once the page is stored, and what its commit stores of it. */
export interface AdvancedCrawl extends Pick<PageCommit, 'progress'> {
  readonly crawl: StoredCrawl;
}

/** The only place that computes the next state of a crawl. @param rejectedItems of the page and of its look-ups. */
export function advanceCrawl(before: StoredCrawl, change: CrawlChange, rejectedItems: number): AdvancedCrawl {
  const { pages = 0, items = 0, ...rest } = change;
  const crawl: StoredCrawl = {
    ...before,
    ...rest,
    consecutiveFailures: 0,
    pages: before.pages + pages,
    items: before.items + items,
    rejectedItems: before.rejectedItems + rejectedItems,
  };
  const { cursor, checkpoint, targetRestId } = crawl;
  return { crawl, progress: { cursor, checkpoint, targetRestId, pages, items, rejectedItems } };
}
