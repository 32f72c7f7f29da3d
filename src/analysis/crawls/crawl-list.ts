import { and, type SQL, sql } from 'drizzle-orm';
import { isAmongIds } from '../../store/crawls/crawl-conditions.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { crawls } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { countRows } from '../count-rows.ts';
import { type CrawlFilter, toCrawlCondition } from './crawl-filter.ts';
import type { CrawlSort } from './crawl-sorts.ts';

/** The value that crawls are sorted by, and whether the largest comes first. The id decides between equal ones. */
const SORTS = {
  id: { key: sql`${crawls.id}`, isDescending: true },
  started: { key: sql`coalesce(${crawls.startedAt}, 0)`, isDescending: true },
  duration: {
    key: sql`coalesce(coalesce(${crawls.finishedAt}, ${crawls.updatedAt}) - ${crawls.startedAt}, 0)`,
    isDescending: true,
  },
  pages: { key: sql`${crawls.pages}`, isDescending: true },
  requests: { key: sql`${crawls.requests}`, isDescending: true },
  target: { key: sql`${crawls.target}`, isDescending: false },
} as const satisfies Record<CrawlSort, { key: SQL; isDescending: boolean }>;

export interface CrawlOrder {
  readonly sort?: CrawlSort | undefined;
  /** The opposite of the usual direction. */
  readonly isReversed?: boolean | undefined;
}

/** The place of a crawl in an order: its value and its id. The next page begins after it, however many rows precede it. */
export type CrawlPosition = readonly [key: number | string, id: number];

export interface CrawlIds {
  readonly ids: readonly number[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: CrawlPosition | undefined;
}

/** A page of the ids of matching crawls, in order. */
export function listCrawlIds(
  db: Db,
  filter: CrawlFilter,
  { sort = 'id', isReversed = false, after, limit }: CrawlOrder & { after?: CrawlPosition | undefined; limit: number },
): CrawlIds {
  const { key, isDescending } = SORTS[sort];
  const direction = sql.raw(isDescending === isReversed ? 'asc' : 'desc');
  const comparison = sql.raw(isDescending === isReversed ? '>' : '<');
  const isAfter =
    after &&
    (sort === 'id'
      ? sql`${crawls.id} ${comparison} ${after[1]}`
      : sql`(${key}, ${crawls.id}) ${comparison} (${after[0]}, ${after[1]})`);
  const condition = toCrawlCondition(filter);
  // With `+`, ids are sorted: a rare value is found in `crawls_state`, instead of by reading all rows in the order of ids.
  const byId = condition && !filter.isTop ? sql`+${crawls.id} ${direction}` : sql`${crawls.id} ${direction}`;
  const rows = db
    .select({ id: crawls.id, key: sql<number | string>`${key}` })
    .from(crawls)
    .where(and(condition, isAfter))
    .orderBy(sort === 'id' ? byId : sql`${key} ${direction}, ${crawls.id} ${direction}`)
    .limit(limit)
    .all();
  const last = rows.at(-1);
  return {
    ids: rows.map(({ id }) => id),
    next: last === undefined || rows.length < limit ? undefined : [last.key, last.id],
  };
}

/** The first matching crawls, by default the newest first, and the number of all matching crawls. */
export function listCrawls(
  db: Db,
  { limit, sort, isReversed, ...filter }: CrawlFilter & CrawlOrder & { readonly limit: number },
): { crawls: CrawlRow[]; total: number } {
  const { ids } = listCrawlIds(db, filter, { sort, isReversed, limit });
  return { crawls: readCrawls(db, ids), total: countRows(db, crawls, toCrawlCondition(filter)) };
}

/** Reads crawls in the order of their ids in a list, without those that the store does not have. */
export function readCrawls(db: Db, ids: readonly number[]): CrawlRow[] {
  const rows = db.select().from(crawls).where(isAmongIds(crawls.id, ids)).all();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
