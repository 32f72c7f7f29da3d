import { joinTargets } from '#files/export/tables/join-targets.ts';
import {
  atTime,
  type ExportTable,
  flagColumn,
  integerColumn,
  ofAccounts,
  realColumn,
  textColumn,
  timeColumn,
} from '#files/export/tables/table-definition.ts';
import { KIND_NAMES } from '#service/kinds/kinds.ts';

/** Milliseconds of a time in ISO 8601, as views have it. SQLite before 3.42 has no `subsec`, and others run the statement, too. */
const toMilliseconds = (time: string): string => `cast(round((julianday(${time}) - 2440587.5) * 86400000) as integer)`;

/** The list of a crawl, by the alias of the crawl. */
const listColumns = (alias: string) => [
  textColumn(`${alias}.kind`, 'What was crawled: `timeline`, `followers` and so on.'),
  textColumn(
    `${alias}.target_rest_id`,
    "The service's id of the account, tweet, community or list; the search string of a search.",
  ),
];
/** How a crawl ended. */
const endColumns = (alias: string) => [
  textColumn(
    `${alias}.state`,
    'complete (there is evidence that all is stored), capped (all that the service shows is stored; more may exist), partial, failed or cancelled.',
  ),
  textColumn(`${alias}.reason`, 'Why it is not complete.'),
  textColumn(
    `${alias}.ending`,
    'What ended the list: `served` (no next cursor), `one_page`, `inferred` (empty pages), `since`, `joined`, `joined_inferred` (the rest was covered) or `halved` (a search that was split).',
  ),
];

/** The rows of an account `u` or a tweet `t`. Most crawls are of no tweet, and no tweet has the id 0. */
const OF_TARGETS = { ...ofAccounts('u.id', 't.author_id'), tweetId: 'coalesce(t.id, 0)', kinds: KIND_NAMES };

/** Whether each list is complete: `v_completeness`. */
export const completenessTable: ExportTable = {
  name: 'completeness',
  title: 'Whether each crawled list is complete, by evidence',
  columns: [
    ...listColumns('v'),
    textColumn('v.target', 'The handle of the account; the target as requested if there is no handle.'),
    flagColumn(
      'v.is_complete',
      'Whether there is evidence that the whole list of the time `complete_as_of` is stored.',
    ),
    timeColumn(
      toMilliseconds('v.complete_as_of'),
      'The start of the crawl that is the evidence; null without evidence.',
      'complete_as_of',
    ),
    integerColumn(
      'v.stored',
      'The number of stored items that the list showed, to any crawl; null if the service reports no count.',
    ),
    integerColumn(
      'v.reported',
      'The count on the profile; null if the profile was never seen, and for a timeline: the number of tweets may include replies.',
    ),
    realColumn(
      'v.score',
      'Stored divided by reported items. Counts of the service may be stale, and lists need not show all counted items.',
    ),
    integerColumn('v.intervals', 'The number of stored intervals: one is best.'),
    integerColumn('v.gaps', 'The number of gaps between and below them.'),
    integerColumn('v.pruned', 'The number of items that were removed from it after they were collected.'),
    timeColumn(toMilliseconds('v.pruned_at'), 'When the last of them was removed; null if none were.', 'pruned_at'),
    integerColumn('v.crawl_id', 'The crawl of the list that ended last.'),
    ...endColumns('v'),
    timeColumn(toMilliseconds('v.finished_at'), 'When that crawl ended.', 'finished_at'),
  ],
  from: `v_completeness v
  ${joinTargets('v.kind', 'v.target_rest_id')}`,
  orderBy: 'v.kind, v.target_rest_id',
  key: ['v.kind', 'v.target_rest_id'],
  time: atTime(toMilliseconds('v.finished_at')),
  ...OF_TARGETS,
};

/** A column of the version, service and key that crawled a crawl last. */
const latestSource = (column: string): string =>
  `(select s.${column} from crawl_sources s where s.crawl_id = c.id order by s.last_used_at desc, s.first_used_at desc limit 1)`;

/** Every crawl: how the data was collected. */
export const crawlsTable: ExportTable = {
  name: 'crawls',
  title: 'Crawls: requests for a list or an object, with their ends',
  columns: [
    integerColumn('c.id', 'The number of the crawl in the store.'),
    ...listColumns('c'),
    textColumn('c.target', 'The account, tweet, community, list or query as requested.'),
    textColumn('c.options', 'Limits and other options, as JSON.'),
    textColumn('j.job_name', 'The scheduled job; null for a command.', 'job'),
    integerColumn('c.parent_id', 'The crawl that created this one.'),
    ...endColumns('c'),
    integerColumn('c.pages', 'Stored pages.'),
    integerColumn('c.items', 'Items on these pages.'),
    integerColumn('c.new_items', 'Items that were not in the store before.'),
    integerColumn('c.changes', 'Changed users and tweets, ended edges and deleted tweets that it found.'),
    integerColumn('c.rejected_items', 'Items that could not be read, and are not stored.'),
    integerColumn('c.requests', 'Requests sent, including failed ones.'),
    textColumn(
      latestSource('trawl_version'),
      'The version of trawl that crawled it last; null if it was not recorded.',
      'trawl_version',
    ),
    textColumn(latestSource('service_host'), 'The service that it was last crawled from.', 'service_host'),
    timeColumn('c.created_at', 'When it was created.'),
    timeColumn('c.started_at', 'When a worker first took it.'),
    timeColumn('c.finished_at', 'When it ended; null while it is unfinished.'),
  ],
  from: `crawls c
  left join runs j on j.id = c.run_id
  ${joinTargets('c.kind', 'coalesce(c.target_rest_id, c.target)')}`,
  orderBy: 'c.id',
  key: ['c.id'],
  time: { first: 'c.created_at', last: 'coalesce(c.finished_at, c.updated_at)' },
  ...OF_TARGETS,
};
