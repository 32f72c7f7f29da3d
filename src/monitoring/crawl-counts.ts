import { performance } from 'node:perf_hooks';
import type { CrawlCounts, StoreQueries } from '../store/schema/query-results.ts';

/** The share of its time that a process may spend on counting crawls. */
const MAX_SHARE = 0.01;

/**
 * Returns a reader of the crawl counts. Counting millions of crawls takes a tenth of a second, so a result is reused for a
 * hundred times as long as the count took.
 */
export function createCrawlCountReader(queries: Pick<StoreQueries, 'crawlCounts'>): () => Promise<CrawlCounts> {
  let counts: CrawlCounts | undefined;
  let validUntil = -Infinity;
  return async () => {
    const start = performance.now();
    if (counts && start < validUntil) return counts;
    counts = await queries.crawlCounts();
    const end = performance.now();
    validUntil = end + (end - start) / MAX_SHARE;
    return counts;
  };
}
