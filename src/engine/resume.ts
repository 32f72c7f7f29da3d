import { UsageError } from '../errors.ts';
import { formatOptions, parseCrawlOptions } from '../kinds/crawl-spec.ts';
import { isKind, kindTable } from '../kinds/kinds.ts';
import { endFacts } from '../store/evidence/end-states.ts';
import type { CrawlRow, Resumption } from '../store/schema/messages.ts';

/** An ended crawl opened again, or why that makes no sense. */
export type ResumeDecision = Resumption | { readonly refused: string };

/**
 * What it means to resume a crawl: it goes on with the page after its last one, as the same crawl with the same
 * counters. A crawl that stopped at --max-pages loses that limit, which counts pages of the whole crawl, or gets
 * another of `more` pages from here; any other keeps its limits. One that came to the end of its list has nothing to go
 * on with. @throws UsageError when a kind takes no such limit.
 */
export function decideResume(crawl: CrawlRow, more?: number): ResumeDecision {
  const { id, kind, reason, pages } = crawl;
  if (crawl.state === 'complete') return { refused: 'it is complete' };
  if (crawl.state === 'capped') return { refused: 'all that the service shows of it is stored' };
  if (!endFacts(crawl).isResumable) return { refused: 'it came to the end of its list' };
  if (more !== undefined && !takesLimit(kind)) throw new UsageError(`--max-pages does not apply to ${kind}`);
  const options = parseCrawlOptions(crawl);
  const maxPages = more === undefined ? (reason === 'max_pages' ? undefined : options.maxPages) : pages + more;
  return { id, options: formatOptions({ ...options, maxPages }) };
}

const takesLimit = (kind: string): boolean => isKind(kind) && kindTable[kind].supportedOptions.includes('maxPages');

/**
 * Whether a crawl that came of another goes on together with it: one that was cancelled, that could not reach the
 * service, that met a bug, or whose run had spent its budget. The others did what was asked, or failed for what asking
 * again would not change.
 */
export const isResumedWithTree = ({ state, reason, parentId }: CrawlRow): boolean =>
  parentId !== null &&
  (state === 'cancelled' ||
    (state === 'failed' && (reason === 'unreachable' || reason === 'bug')) ||
    reason === 'max_requests');
