import { UsageError } from '#base/errors.ts';
import { formatOptions, parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { summariseEnd } from '#service/kinds/decide-end.ts';
import { isKind, kindTable } from '#service/kinds/kinds.ts';
import type { Resumption } from '#store/schema/commit-messages.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';

/** An ended crawl, with its options as JSON. */
interface EndedCrawl extends Pick<StoredCrawl, 'id' | 'kind' | 'state' | 'reason' | 'pages'> {
  readonly options: string;
  readonly ending: string | null;
}

/** An ended crawl to open again, or why it cannot be resumed. */
export type ResumeDecision = Resumption | { readonly refused: string };

/**
 * How a crawl is resumed: with the page after its last one, as the same crawl with the same counters. A crawl that stopped
 * at --max-pages loses that limit, or gets one of `more` pages from here; any other keeps its limits. A crawl that reached
 * the end of its list cannot be resumed. @throws UsageError when the kind has no page limit.
 */
export function decideResume(crawl: EndedCrawl, more?: number): ResumeDecision {
  const { id, kind, reason, pages } = crawl;
  if (reason === 'erased') return { refused: 'its account is forgotten' };
  if (crawl.state === 'complete') return { refused: 'it is complete' };
  if (crawl.state === 'capped') return { refused: 'all that the service shows of it is stored' };
  if (!summariseEnd(crawl).isResumable) return { refused: 'it came to the end of its list' };
  if (more !== undefined && !takesLimit(kind)) throw new UsageError(`--max-pages does not apply to ${kind}`);
  const options = parseCrawlOptions(crawl);
  const maxPages = more === undefined ? (reason === 'max_pages' ? undefined : options.maxPages) : pages + more;
  return { id, options: formatOptions({ ...options, maxPages }) };
}

const takesLimit = (kind: string): boolean => isKind(kind) && kindTable[kind].supportedOptions.includes('maxPages');

/**
 * Whether a child crawl is resumed together with its parent: if it was cancelled, could not reach the service, met a bug,
 * or its run had spent its budget. Other child crawls are done, or would fail again.
 */
export function isResumedWithTree(crawl: Pick<StoredCrawl, 'state' | 'reason' | 'parentId'>): boolean {
  const { state, reason, parentId } = crawl;
  const couldNotFinish = state === 'failed' && (reason === 'unreachable' || reason === 'bug');
  return (
    parentId !== null && reason !== 'erased' && (state === 'cancelled' || couldNotFinish || reason === 'max_requests')
  );
}
