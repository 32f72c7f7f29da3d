import { TWEET_LISTS } from '../relations/list-relations.ts';
import type { Db } from '../sqlite/database.ts';

/** Pages of a crawl whose step or body is missing. */
export interface MissingPages {
  readonly crawlId: number;
  readonly kind: string;
  readonly target: string;
  readonly pages: number;
  /** Those among them that were removed on purpose. */
  readonly withheld: number;
  /** The time of the newest one, in milliseconds UTC. */
  readonly until: number;
}

/**
 * Returns the pages that a rebuild lacks, by crawl: bodies that were not kept, have expired or were removed, and pages from
 * before the journal.
 */
export const findMissingPages = ({ $client }: Pick<Db, '$client'>): MissingPages[] =>
  $client
    .prepare<[], MissingPages>(
      `with gone as (
        select crawl_id, count(*) as pages, count(withheld) as withheld, max(committed_at) as until from old._steps s
        where response_roles <> '' and (first_raw_page_id is null or length(response_roles) > (
          select count(*) from old.raw_pages r
          where r.id between s.first_raw_page_id and s.first_raw_page_id + length(response_roles) - 1 and r.crawl_id = s.crawl_id))
        group by crawl_id),
      counted as (
        select crawl_id, sum(case when outcome is null then 1 else json_extract(outcome, '$.pages') end) as pages
        from old._steps group by crawl_id)
      select c.id as crawlId, c.kind, c.target, coalesce(g.pages, 0) + max(0, c.pages - coalesce(k.pages, 0)) as pages,
        coalesce(g.withheld, 0) as withheld, coalesce(g.until, c.updated_at) as until
      from old.crawls c left join gone g on g.crawl_id = c.id left join counted k on k.crawl_id = c.id
      where g.pages > 0 or c.pages > coalesce(k.pages, 0) order by c.id`,
    )
    .all();

/**
 * Returns the number of rows by table that a rebuild does not produce, such as rows of a synthetic world or of another
 * program.
 */
export function findLostRows({ $client }: Db): { readonly table: string; readonly rows: number }[] {
  const count = (query: string): number => $client.prepare<[], number>(`select ${query}`).pluck().get()!;
  const byId = ['users', 'tweets', 'communities', 'lists'].map((table) => ({
    table,
    rows: count(`count(*) from old.${table} where rest_id not in (select rest_id from main.${table})`),
  }));
  const byNumber = ['follows', 'searches', ...TWEET_LISTS.map(([, { table }]) => table)].map((table) => ({
    table,
    rows: count(`(select count(*) from old.${table}) - (select count(*) from main.${table})`),
  }));
  return [...byId, ...byNumber].filter(({ rows }) => rows > 0);
}
