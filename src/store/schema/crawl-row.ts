import { parseCheckpoint } from '#service/kinds/checkpoint.ts';
import { parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import type { StoredCrawl } from './query-results.ts';
import type { crawls } from './tables.ts';

/** A row of `crawls`. */
export type CrawlRow = typeof crawls.$inferSelect;

/** A row with its options and its checkpoint decoded. */
export const decodeCrawl = (row: CrawlRow): StoredCrawl => ({
  ...row,
  options: parseCrawlOptions(row),
  checkpoint: parseCheckpoint(row.checkpoint),
});

/** The columns of a crawl that its children need. */
export type ParentCrawl = Pick<
  CrawlRow,
  'id' | 'kind' | 'target' | 'items' | 'rootId' | 'runId' | 'lockedBy' | 'lockExpiresAt'
>;

export const rootIdOf = (crawl: ParentCrawl): number => crawl.rootId ?? crawl.id;
