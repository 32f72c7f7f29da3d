import type { ReadTable } from '../../reader/read.ts';
import { readCrawlIds, readCrawlList, readCrawlRows } from './list-crawls.ts';
import { readCrawl } from './read-crawl.ts';

/** The reads of the page Crawls. */
export const CRAWL_READS: ReadTable = {
  '/api/crawls': readCrawlList,
  '/api/crawls/ids': readCrawlIds,
  '/api/crawls/rows': readCrawlRows,
  '/api/crawls/:id': readCrawl,
};
