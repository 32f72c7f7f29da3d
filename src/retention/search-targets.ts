import type { Db } from '../store/sqlite/database.ts';

/** The dates that the search of a window adds to its query: `engine/search/date-windows.ts`. */
const DATES = / since:\d{4}-\d\d-\d\d until:\d{4}-\d\d-\d\d$/;

/**
 * Returns a function from the string of a search to the target of its crawls, which has no dates of windows. A target in
 * another case is another search: it counts only if no crawl has the same spelling.
 */
export function findSearchTarget({ $client }: Db): (query: string) => string {
  const find = $client
    .prepare<[{ query: string }], string>(
      "select target from crawls where kind = 'search' and target = :query collate nocase order by target = :query desc limit 1",
    )
    .pluck();
  const known = new Map<string, string>();
  return (query) => {
    const withoutDates = query.replace(DATES, '');
    const target = known.get(query) ?? find.get({ query }) ?? find.get({ query: withoutDates }) ?? withoutDates;
    known.set(query, target);
    return target;
  };
}
