import type { Db } from '../store/sqlite/database.ts';

/** Pages of a crawl that are not on record, or whose bodies are gone. */
export interface MissingPages {
  readonly crawlId: number;
  readonly kind: string;
  readonly target: string;
  readonly pages: number;
  /** The newest of them. */
  readonly until: number;
}

/**
 * What a rebuild would have to do without, by crawl: bodies that were not kept or that expired, and pages of versions
 * before steps were kept.
 */
export const findMissingPages = ({ $client }: Db, schema: 'main' | 'old' = 'old'): MissingPages[] =>
  $client
    .prepare<[], MissingPages>(
      `with gone as (
        select crawl_id, count(*) as pages, max(at) as until from ${schema}.steps s
        where answers <> '' and (raw_page_id is null or length(answers) > (
          select count(*) from ${schema}.raw_pages r
          where r.id between s.raw_page_id and s.raw_page_id + length(answers) - 1 and r.crawl_id = s.crawl_id))
        group by crawl_id),
      counted as (
        select crawl_id, sum(case when course is null then 1 else json_extract(course, '$.pages') end) as pages
        from ${schema}.steps group by crawl_id)
      select c.id as crawlId, c.kind, c.target, coalesce(g.pages, 0) + max(0, c.pages - coalesce(k.pages, 0)) as pages,
        coalesce(g.until, c.updated_at) as until
      from ${schema}.crawls c left join gone g on g.crawl_id = c.id left join counted k on k.crawl_id = c.id
      where g.pages > 0 or c.pages > coalesce(k.pages, 0) order by c.id`,
    )
    .all();

/** Things that are stored and that a rebuild did not lead to, by table: a world, or rows that somebody put there. */
export function findLostRows({ $client }: Db): { readonly table: string; readonly rows: number }[] {
  const countMissingIds = (table: string): number =>
    $client
      .prepare<[], number>(`select count(*) from old.${table} where rest_id not in (select rest_id from main.${table})`)
      .pluck()
      .get()!;
  const countMissingRows = (table: string): number =>
    $client
      .prepare<[], number>(`select (select count(*) from old.${table}) - (select count(*) from main.${table})`)
      .pluck()
      .get()!;
  return [
    ...['users', 'tweets', 'communities', 'lists'].map((table) => ({ table, rows: countMissingIds(table) })),
    ...['follows', 'tweet_replies', 'searches', 'search_hits'].map((table) => ({
      table,
      rows: countMissingRows(table),
    })),
  ].filter(({ rows }) => rows > 0);
}
