import {
  countFacets,
  type CrawlGroup,
  FACET_NAMES,
  type FacetName,
  groupCrawls,
  type CrawlFilter,
  type CrawlPosition,
  listCrawlIds,
  type CrawlOrder,
  readCrawls,
} from '#analysis/crawls/crawl-list.ts';
import { readLatestSample } from '#analysis/crawls/crawl-overview.ts';
import { CRAWL_SORTS } from '#analysis/crawls/crawl-sorts.ts';
import { describeStopReason } from '#analysis/crawls/end-reasons.ts';
import { findQuota } from '#analysis/status/quota-answer.ts';
import { SECOND } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { capitalise, formatCount, pluralize } from '#base/text.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import type { CrawlListData } from '#dashboard/server/api/crawls.ts';
import type { CrawlLine } from '#dashboard/server/api/overview.ts';
import {
  formatPosition,
  parsePosition,
  parseChoices,
  type AddressQuery,
  splitValues,
} from '#dashboard/server/reader/query-values.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { parseCrawlOptions } from '#service/kinds/crawl-spec.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import { CRAWL_STATES } from '#store/schema/tables/crawl-states.ts';
import type { Db } from '#store/sqlite/database.ts';
import { toCrawlLine } from './crawl-lines.ts';

/** The crawls of a part of the list. */
const PART = 100;
/** A store with more crawls is a large one. */
const LARGE = 20_000;

/** Reads a part of the matching crawls, with the counts of all facets. */
export function readCrawlList(context: ReadContext, { query, queue }: ReadRequest): CrawlListData {
  const { db, now } = context;
  const filter = parseCrawlFilter(query);
  const after = parsePosition<CrawlPosition>(query['after'], 2);
  const isFolded =
    Object.values(filter).every((value) => value === undefined) && query['children'] !== '1' && hasChildren(db);
  const { ids, next } = listCrawlIds(db, isFolded ? { isTop: true } : filter, {
    ...parseCrawlOrder(query),
    after,
    limit: PART,
  });
  const groups = readGroups(context, filter);
  const { total, unfinished, resumable, facets } = countFacets(groups, filter);
  return {
    at: now,
    total,
    unfinished,
    resumable,
    isFolded,
    next: formatPosition(next),
    all: countFacets(filter.target === undefined ? groups : readGroups(context, {}), {}).total,
    facets: FACET_NAMES.map((name) => {
      const selected = new Set((query[name] ?? '').split(','));
      const toData = ({ value, n }: { value: string; n: number }) => ({
        value,
        n,
        label: toShortLine(LABELS[name]?.(value) ?? value),
        isSelected: selected.has(value),
      });
      return {
        name,
        values: facets[name].map(toData),
      };
    }),
    rows: readOwnLines(context, ids, queue),
  };
}

const hasChildren = ({ $client }: Db): boolean =>
  $client.prepare('select 1 from crawls where parent_id is not null limit 1').get() !== undefined;

const LABELS: Readonly<Partial<Record<FacetName, (value: string) => string>>> = {
  state: capitalise,
  reason: (value) => capitalise(describeStopReason(value)),
  priority: capitalise,
  run: (value) => `Run ${value}`,
};

/** In a large store, counting takes some tenths of a second: the counts without conditions are kept for some seconds. */
function readGroups({ db, remember }: ReadContext, { target, jobs, runs }: CrawlFilter): readonly CrawlGroup[] {
  if ((target ?? jobs ?? runs) !== undefined) return groupCrawls(db, { target, jobs, runs });
  const newest = db.$client.prepare<[], number | null>('select max(id) from crawls').pluck().get() ?? 0;
  return remember('crawls by facet', newest > LARGE ? 3 * SECOND : 0, () => groupCrawls(db, {}));
}

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
function parseCrawlOrder(query: AddressQuery): CrawlOrder {
  const [sort] = parseChoices(query, 'sort', CRAWL_SORTS) ?? [];
  return { sort, isReversed: query['reverse'] === '1' };
}

function parseId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('an id must be a whole number');
  return Number(text);
}

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
