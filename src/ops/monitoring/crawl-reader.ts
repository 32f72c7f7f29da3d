import { performance } from 'node:perf_hooks';
import type { CrawlCounts, JobSuccess, StoreQueries } from '#store/schema/query-results.ts';

/** What the gauges show of crawls. */
interface CrawlFigures {
  readonly counts: CrawlCounts;
  readonly successes: readonly JobSuccess[];
}

/** The share of its time that a process may spend on reading crawls. */
const MAX_SHARE = 0.01;

/**
 * Returns a reader of the figures of crawls. Counting millions of crawls takes a tenth of a second, so a result is reused for
 * a hundred times as long as it took.
 */
export function createCrawlReader(
  queries: Pick<StoreQueries, 'crawlCounts' | 'jobSuccesses'>,
): () => Promise<CrawlFigures> {
  let figures: CrawlFigures | undefined;
  let validUntil = -Infinity;
  return async () => {
    const start = performance.now();
    if (figures && start < validUntil) return figures;
    figures = { counts: await queries.crawlCounts(), successes: await queries.jobSuccesses() };
    const end = performance.now();
    validUntil = end + (end - start) / MAX_SHARE;
    return figures;
  };
}
