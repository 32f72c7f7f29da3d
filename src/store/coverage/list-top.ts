import { parseCheckpoint } from '#service/kinds/checkpoint.ts';
import { isPagedKind } from '#service/kinds/decide-end.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';

type ListCrawl = Pick<CrawlRow, 'kind' | 'state' | 'reason' | 'ending' | 'rejectedItems' | 'checkpoint'>;

/**
 * Whether the newest item of a list at the start of a crawl is in the stored intervals: then no newer item existed. A
 * crawl proves nothing of later items.
 * @param newestAt the time of the newest item of the topmost interval
 */
export function provesTop(crawl: ListCrawl, newestAt: number): boolean {
  const { kind, state, reason, ending, rejectedItems, checkpoint } = crawl;
  if (reason === 'no_tweets') return true;
  // All of the list is stored, whatever its order.
  if (isPagedKind(kind) && state === 'complete' && ending === 'served') return true;
  const { scan, skippedDownTo } = parseCheckpoint(checkpoint);
  // The part above the jump is covered if no item was rejected.
  if (skippedDownTo !== undefined) return rejectedItems === 0;
  if (scan === undefined || scan === 'unordered' || !scan.isFromTop || scan.newest === null) return false;
  // A single item may be pinned, and an outlier may be the first of newer items.
  return scan.oldest !== null && Math.max(scan.newest.at, scan.outlier?.at ?? -Infinity) <= newestAt;
}
