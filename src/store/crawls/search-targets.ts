import { foldHandle } from '#base/text.ts';
import type { Db } from '#store/sqlite/database.ts';

/**
 * Prepares finding the target of the crawls of a search, by its string without dates of windows; undefined if it was never
 * crawled. A target in another case is another search: it is found only if no crawl has the same spelling. A backfill has the
 * handle in lower case, and is shown with the spelling of the service.
 */
export function prepareSearchTargets({ $client }: Db): (query: string) => string | undefined {
  const find = $client
    .prepare<[{ query: string; folded: string }], string>(
      `select target from crawls
       where kind = 'search' and (target = :query collate nocase or target = :folded)
       order by target = :query desc, target = :folded desc, target limit 1`,
    )
    .pluck();
  return (query) => find.get({ query, folded: foldHandle(query) });
}
