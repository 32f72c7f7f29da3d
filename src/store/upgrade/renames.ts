/** What the upgrade from the tables of trawl 0.1 renames. */

/** A table: its name before, its name now, and its columns: the name before and the name now. */
export interface TableRename {
  readonly from: string;
  readonly to: string;
  readonly columns: Readonly<Record<string, string>>;
}

const rename = (from: string, to: string, columns: Readonly<Record<string, string>> = {}): TableRename => ({
  ...{ from, to, columns },
});

const REPLY = {
  in_reply_to_status_id: 'in_reply_to_status_rest_id',
  in_reply_to_user_id: 'in_reply_to_user_rest_id',
};
const FIRST_SEEN = { first_seen: 'first_seen_at' };
const SEEN = { ...FIRST_SEEN, last_seen: 'last_seen_at' };
const STALE = { column: 'column_name', seen_at: 'last_seen_at' };

/** Tables that keep their rows as they are. */
export const TABLE_RENAMES: readonly TableRename[] = [
  rename('users', 'users', { ...FIRST_SEEN, behind: 'has_stale_columns' }),
  rename('users_seen', '_user_last_seen', { seen_at: 'last_seen_at', summary_at: 'last_summary_at' }),
  rename('users_behind', '_user_stale_columns', STALE),
  rename('user_history', 'user_history', { last_seen: 'last_seen_at' }),
  rename('tweets', 'tweets', {
    ...{ ...REPLY, ...FIRST_SEEN, seen_at: 'last_seen_at', behind: 'has_stale_columns', listed: 'seen_in_lists' },
    ...{ has_media_at: 'has_media_seen_at', in_reply_to_at: 'in_reply_to_seen_at' },
  }),
  rename('tweets_behind', '_tweet_stale_columns', STALE),
  rename('absences', '_deletion_evidence'),
  rename('tweet_history', 'tweet_history', { last_seen: 'last_seen_at', ...REPLY }),
  rename('follows', 'follows', {
    ...{ ...SEEN, ended: 'ended_at', first_missed: 'first_missed_at', seen_in: 'last_seen_in' },
  }),
  rename('follow_history', 'follow_history', { ...SEEN, ended: 'ended_at' }),
  rename('complete_lists', '_list_snapshots', {
    ...{ missed: 'missed_count', ended: 'ended_count', digest: 'body_digest' },
  }),
  rename('communities', 'communities', { seen_at: 'last_seen_at' }),
  rename('lists', 'lists', { seen_at: 'last_seen_at' }),
  rename('community_tweets', 'community_tweets', FIRST_SEEN),
  rename('list_tweets', 'list_tweets', FIRST_SEEN),
  rename('searches', 'searches', { ...FIRST_SEEN, seen_at: 'last_seen_at' }),
  rename('search_hits', 'search_hits', SEEN),
  rename('crawls', 'crawls', {
    ...{ class: 'priority', target_id: 'target_rest_id', guard: 'checkpoint', last_items: 'last_page_items' },
    ...{ rejected: 'rejected_items', limit_run_id: 'target_limit_run_id', planned_least: 'planned_requests_min' },
    ...{ planned: 'planned_requests_expected', planned_most: 'planned_requests_max', lease: 'lease_token' },
    ...{ failures: 'consecutive_failures', claimed_by: 'locked_by', claimed_until: 'lock_expires_at' },
    in_flight: 'in_flight_requests',
  }),
  rename('runs', 'runs', {
    ...{ job: 'job_name', made_at: 'created_at', per_run: 'max_requests', per_day: 'max_requests_per_day' },
    targets: 'target_count',
  }),
  rename('run_targets', '_run_targets'),
  rename('crawl_family', '_crawl_tree', { crawl_id: 'descendant_id' }),
  rename('scheduled_jobs', '_scheduled_jobs', {
    ...{ job: 'definition', made_at: 'scheduled_at', slot: 'last_slot_at', ran_at: 'last_run_at' },
    ...{ added: 'last_run_added', joined: 'last_run_joined', problem: 'last_run_error' },
  }),
  rename('job_accounts', '_job_accounts', { job: 'job_name' }),
  rename('coverage', 'coverage', {
    ...{ newest_id: 'newest_rest_id', oldest_id: 'oldest_rest_id', bottom: 'list_end' },
  }),
  rename('gaps', 'gaps', { newer_id: 'newer_rest_id', older_id: 'older_rest_id' }),
  rename('steps', '_steps', {
    ...{ at: 'committed_at', answers: 'response_roles', raw_page_id: 'first_raw_page_id' },
    ...{ request_id: 'last_request_id', course: 'outcome' },
  }),
  rename('searched', '_search_windows', { seen_at: 'searched_at' }),
  rename('requests', 'requests', { at: 'sent_at', ms: 'duration_ms', bytes: 'response_bytes' }),
  rename('quota_samples', '_quota_samples', { at: 'sampled_at', app_limit: 'request_limit' }),
  rename('drift', '_drift', { ...SEEN, count: 'occurrences' }),
  rename('rejects', 'rejects', { at: 'rejected_at' }),
  rename('dropped_fields', '_dropped_fields', { count: 'occurrences' }),
  rename('settings', '_settings'),
];

/** The former names of indexes that are named after what was renamed. */
export const FORMER_INDEX_NAMES: Readonly<Record<string, string>> = {
  _deletion_evidence_crawl: 'absences_crawl',
  _list_snapshots_user: 'complete_lists_user',
  _search_windows_window: 'searched_window',
  crawls_in_flight_requests: 'crawls_in_flight',
  crawls_locked_by: 'crawls_claimed',
};

/** Tables that are made again, as few rows as they have: the statements that fill the new ones. */
export const REMADE_TABLES: Readonly<Record<string, readonly string[]>> = {
  _run_usage_by_day: [
    `insert into _run_usage_by_day select date(day * 86400, 'unixepoch'), run_id, requests, unknown from run_days`,
    'drop table run_days',
  ],
  _field_statistics: [
    `insert into _field_statistics select endpoint, date(day / 1000, 'unixepoch'), field, is_drift, items, filled from fields_by_day`,
    'drop table fields_by_day',
  ],
  _endpoint_capabilities: [
    `insert into _endpoint_capabilities (endpoint, cursor_support, cursor_seen_at) select endpoint, cursor, seen_at from endpoint_facts`,
    `insert into _endpoint_capabilities (endpoint, largest_page_items, largest_page_seen_at)
     select endpoint, entries, seen_at from longest_pages where true on conflict (endpoint)
     do update set largest_page_items = excluded.largest_page_items, largest_page_seen_at = excluded.largest_page_seen_at`,
    'drop table endpoint_facts',
    'drop table longest_pages',
  ],
};

/** Values that are names of columns. */
export const VALUE_RENAMES: readonly string[] = Object.entries(REPLY).map(
  ([from, to]) => `update _tweet_stale_columns set column_name = '${to}' where column_name = '${from}'`,
);
