import { readCrawls } from '../../../../analysis/crawls/crawl-list.ts';
import { readLatestSample } from '../../../../analysis/crawls/crawl-overview.ts';
import { findQuota } from '../../../../analysis/status/quota-answer.ts';
import { formatCount, pluralize } from '../../../../base/text.ts';
import type { QueueReading } from '../../../../crawl/queue/queue-snapshot.ts';
import { parseCrawlOptions } from '../../../../service/kinds/crawl-spec.ts';
import type { Db } from '../../../../store/sqlite/database.ts';
import type { CrawlLine } from '../../api/overview.ts';
import type { ReadContext } from '../../reader/read.ts';
import { toCrawlLine } from '../overview/crawl-lines.ts';

const NO_CHILDREN = { pages: 0, requests: 0 };

/** Each crawl has a row of its own, so that the numbers of a crawl leave its child crawls out. A plan includes them. */
export function readOwnLines(context: ReadContext, ids: readonly number[], queue: QueueReading): CrawlLine[] {
  const quota = findQuota(queue, context.settings, () => readLatestSample(context.db));
  const describeChildren = prepareChildren(context.db);
  return readCrawls(context.db, ids).map((crawl) => {
    const line = { ...toCrawlLine(context, crawl, { ...NO_CHILDREN, quota }), children: describeChildren(crawl.id) };
    return parseCrawlOptions(crawl).then === undefined ? line : { ...line, plannedPages: null, leftMs: null };
  });
}

/** Prepares describing the crawls that a crawl created: `662 child crawls, 2 failed`; empty if there are none. */
function prepareChildren({ $client }: Db): (id: number) => string {
  const count = $client.prepare<[number], { n: number; failed: number; unfinished: number }>(
    `select count(*) as n, count(*) filter (where state = 'failed') as failed,
       count(*) filter (where finished_at is null) as unfinished from crawls where parent_id = ?`,
  );
  return (id) => {
    const { n, failed, unfinished } = count.get(id)!;
    if (n === 0) return '';
    return [
      pluralize(n, 'child crawl'),
      ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
      ...(unfinished > 0 ? [`${formatCount(unfinished)} unfinished`] : []),
    ].join(', ');
  };
}
