import { prepareSearchTargets } from '#store/crawls/search-targets.ts';
import type { Db } from '#store/sqlite/database.ts';

/** The dates that the search of a window adds to its query: `crawl/search/date-windows.ts`. */
const DATES = / since:\d{4}-\d\d-\d\d until:\d{4}-\d\d-\d\d$/;

/** Returns a function from the string of a search to the target of its crawls, which has no dates of windows. */
export function findSearchTarget(db: Db): (query: string) => string {
  const find = prepareSearchTargets(db);
  const known = new Map<string, string>();
  return (query) => {
    const withoutDates = query.replace(DATES, '');
    const target = known.get(query) ?? find(query) ?? find(withoutDates) ?? withoutDates;
    known.set(query, target);
    return target;
  };
}
