import { readCrawls } from '../../../../analysis/crawls/crawl-list.ts';
import { parseCrawlOptions } from '../../../../service/kinds/crawl-spec.ts';
import type { CrawlLine } from '../../api/overview.ts';
import type { QueueReading, ReadContext } from '../../reader/read.ts';
import { toCrawlLine } from '../overview/crawl-lines.ts';
import { findQuota } from '../overview/quota-data.ts';

const NO_CHILDREN = { pages: 0, requests: 0 };

/** Each crawl has a row of its own, so that the numbers of a crawl leave its child crawls out. A plan includes them. */
export function readOwnLines(context: ReadContext, ids: readonly number[], queue: QueueReading): CrawlLine[] {
  const quota = findQuota(context, queue);
  return readCrawls(context.db, ids).map((crawl) => {
    const line = toCrawlLine(context, crawl, { ...NO_CHILDREN, quota });
    return parseCrawlOptions(crawl).then === undefined ? line : { ...line, plannedPages: null, leftMs: null };
  });
}
