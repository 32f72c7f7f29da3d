import {
  countFacets,
  type CrawlGroup,
  FACET_NAMES,
  type FacetName,
  groupCrawls,
} from '../../../../analysis/crawls/crawl-facets.ts';
import type { CrawlFilter } from '../../../../analysis/crawls/crawl-filter.ts';
import { type CrawlPosition, listCrawlIds } from '../../../../analysis/crawls/crawl-list.ts';
import { describeStopReason } from '../../../../analysis/crawls/crawl-reasons.ts';
import { SECOND } from '../../../../base/clock.ts';
import { capitalise } from '../../../../base/text.ts';
import type { Db } from '../../../../store/sqlite/database.ts';
import type { CrawlListData } from '../../api/crawls.ts';
import { formatPosition, parsePosition } from '../../reader/query-values.ts';
import type { ReadContext, ReadRequest } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';
import { parseCrawlFilter, parseCrawlOrder } from './crawl-query.ts';
import { readOwnLines } from './crawl-rows.ts';

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
