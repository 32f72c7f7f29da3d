import type { CrawlFilter } from '../../../../analysis/crawls/crawl-filter.ts';
import type { CrawlOrder } from '../../../../analysis/crawls/crawl-list.ts';
import { CRAWL_SORTS } from '../../../../analysis/crawls/crawl-sorts.ts';
import { UsageError } from '../../../../base/errors.ts';
import { PRIORITIES } from '../../../../service/quota/priorities.ts';
import { CRAWL_STATES } from '../../../../store/schema/tables/crawl-states.ts';
import { parseChoices, type AddressQuery, splitValues } from '../../reader/query-values.ts';

/** The filter of an address: `q`, and lists of values separated by commas. @throws UsageError for an unknown value */
export function parseCrawlFilter(query: AddressQuery): CrawlFilter {
  return {
    target: query['q'],
    states: parseChoices(query, 'state', CRAWL_STATES),
    kinds: splitValues(query['kind']),
    reasons: splitValues(query['reason']),
    priorities: parseChoices(query, 'priority', PRIORITIES),
    jobs: splitValues(query['job']),
    runs: splitValues(query['run'])?.map(parseId),
  };
}

/** The order of an address: `sort`, and `reverse=1` for the opposite direction. @throws UsageError for an unknown one */
export function parseCrawlOrder(query: AddressQuery): CrawlOrder {
  const [sort] = parseChoices(query, 'sort', CRAWL_SORTS) ?? [];
  return { sort, isReversed: query['reverse'] === '1' };
}

function parseId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('an id must be a whole number');
  return Number(text);
}
