import { UsageError } from '../../../errors.ts';
import type { ReadTable } from '../../reader/read.ts';
import { CRAWL_VIEWS, readCrawlLines } from './crawl-lines.ts';
import { readOverviewData } from './read-overview.ts';

/** The reads of the page Overview. `/api/live` sends the first one again whenever it changes. */
export const OVERVIEW_READS: ReadTable = {
  '/api/overview': readOverviewData,
  '/api/overview/crawls': ({ db, now }, { query }) => {
    const view = CRAWL_VIEWS.find((one) => one === query['view']);
    if (!view) throw new UsageError(`view must be one of ${CRAWL_VIEWS.join(', ')}`);
    return readCrawlLines(db, view, now);
  },
};
