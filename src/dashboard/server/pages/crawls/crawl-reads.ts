import { KIND_NAMES, kindTable } from '../../../../service/kinds/kinds.ts';
import type { CrawlKindData } from '../../api/new-crawl.ts';
import type { ReadTable } from '../../reader/read.ts';
import { readCrawlList } from './list-crawls.ts';
import { readCrawl } from './read-crawl.ts';

/** The reads of the page Crawls. */
export const CRAWL_READS: ReadTable = {
  '/api/crawls': readCrawlList,
  '/api/crawls/kinds': listKinds,
  '/api/crawls/:id': readCrawl,
};

/** The kinds of crawls, with the options that the form of a new one has. */
function listKinds(): CrawlKindData[] {
  return KIND_NAMES.map((name) => {
    const { summary, supportedOptions } = kindTable[name];
    return {
      name,
      summary,
      hasPageLimit: supportedOptions.includes('maxPages'),
      hasStart: supportedOptions.includes('since'),
    };
  });
}
