import { KIND_NAMES } from '#service/kinds/kinds.ts';
import { ACCOUNTS } from './join-targets.ts';
import { type ExportTable, integerColumn, ofAccounts, textColumn, timeColumn } from './table-definition.ts';

/** Everything that is known about the completeness of lists, with a row for each part of a list. */
export const coverageTable: ExportTable = {
  name: 'coverage',
  title: 'Parts of lists that are stored without a gap, and the gaps',
  columns: [
    textColumn('c.kind', 'The kind of the list: `timeline`, `followers` and so on.'),
    textColumn('c.target', 'The id of the account or community, or the search string.'),
    textColumn('u.screen_name', 'The handle of the account; null for other lists.', 'account'),
    textColumn(
      'c.part',
      '`interval`: all items are stored. `gap`: items may be missing. `snapshot`: a complete list of followers or followed accounts. `searched`: a search covered the range, which is no evidence of completeness. `pruned`: items of the range were removed from the store, so that it is not complete, whatever the intervals say.',
    ),
    timeColumn('c.from_at', 'The oldest time of the part; null for the beginning of the list, and for snapshots.'),
    timeColumn('c.to_at', 'The newest time of the part; the start of the crawl for snapshots.'),
    textColumn('c.oldest_rest_id', 'The id of the item at its older end.'),
    textColumn('c.newest_rest_id', 'The id of the item at its newer end.'),
    textColumn(
      'c.list_end',
      'For an interval at the end of the list: `served` by the service, or `inferred` from empty pages.',
    ),
    textColumn('c.reason', 'Why there is a gap: `max_pages`, `since`, `interrupted` and so on.'),
    integerColumn('c.pages', 'The number of its pages.'),
    integerColumn('c.items', 'The number of its items; for `pruned`, of the removed ones.'),
    integerColumn('c.crawl_id', 'The latest crawl that changed it.'),
    timeColumn('c.updated_at', 'When it was last changed.'),
  ],
  from: `(
    select kind, target, 'interval' as part, oldest_at as from_at, newest_at as to_at, oldest_rest_id, newest_rest_id,
      list_end, null as reason, pages, items, crawl_id, updated_at from coverage
    union all
    select kind, target, 'gap', older_at, newer_at, older_rest_id, newer_rest_id, null, reason, null, null, crawl_id,
      updated_at from gaps
    union all
    select p.side, o.rest_id, 'snapshot', null, p.started_at, null, null, null, null, null, null, p.crawl_id, p.finished_at
      from _list_snapshots p join users o on o.id = p.user_id
    union all
    select kind, target, 'pruned', oldest_at, newest_at, null, null, null, null, null, items, null, pruned_at from pruned_ranges
    union all
    select 'search', query, 'searched', from_at, to_at, null, null, null, null, null, null, crawl_id, searched_at
      from _search_windows
  ) c
  left join users u on u.rest_id = c.target and c.kind in ${ACCOUNTS}`,
  orderBy: 'c.kind, c.target, c.to_at, c.part, c.from_at, c.crawl_id',
  key: [],
  time: { first: 'coalesce(c.from_at, 0)', last: 'c.to_at' },
  ...ofAccounts('u.id'),
  kinds: KIND_NAMES,
};
