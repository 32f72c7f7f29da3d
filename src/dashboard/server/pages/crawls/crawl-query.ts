import type { CrawlFilter } from '../../../../analysis/crawls/crawl-filter.ts';
import type { CrawlOrder, CrawlPosition } from '../../../../analysis/crawls/crawl-list.ts';
import { CRAWL_SORTS } from '../../../../analysis/crawls/crawl-sorts.ts';
import { UsageError } from '../../../../base/errors.ts';
import { PRIORITIES } from '../../../../service/quota/priorities.ts';
import { CRAWL_STATES } from '../../../../store/schema/tables/crawl-states.ts';

/** The values of an address: texts of users. */
type Query = Readonly<Record<string, string | undefined>>;

/** The filter of an address: `q`, and lists of values separated by commas. @throws UsageError for an unknown value */
export function parseCrawlFilter(query: Query): CrawlFilter {
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
export function parseCrawlOrder(query: Query): CrawlOrder {
  const [sort] = parseChoices(query, 'sort', CRAWL_SORTS) ?? [];
  return { sort, isReversed: query['reverse'] === '1' };
}

export const formatPosition = (position: CrawlPosition | undefined): string | null =>
  position === undefined ? null : JSON.stringify(position);

/** @throws UsageError for a text that `formatPosition` did not return */
export function parsePosition(text: string | undefined): CrawlPosition | undefined {
  if (text === undefined) return undefined;
  try {
    const [key, id] = JSON.parse(text) as unknown[];
    if ((typeof key === 'number' || typeof key === 'string') && Number.isSafeInteger(id)) return [key, id as number];
  } catch {
    // It is no JSON.
  }
  throw new UsageError('after must be a position that this server has sent');
}

function splitValues(text: string | undefined): string[] | undefined {
  const values = text?.split(',').filter((value) => value !== '');
  return values === undefined || values.length === 0 ? undefined : values;
}

function parseId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('an id must be a whole number');
  return Number(text);
}

function parseChoices<T extends string>(query: Query, name: string, choices: readonly T[]): T[] | undefined {
  return splitValues(query[name])?.map((value) => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw new UsageError(`${name} must be one of ${choices.join(', ')}`);
    return choice;
  });
}
