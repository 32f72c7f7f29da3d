/**
 * What the columns of all tables may hold of a person, and what an erasure does with it. A test compares this table with
 * the tables of a store: a new column is classified here, or the test fails.
 *
 * A row goes with:
 * - `user key`, `tweet key`, `search key`, `crawl key`: the store's key of a row that is erased;
 * - `account id`, `account handle`, `account target`: its id, a handle, or a target of a snowball that is the account;
 * - `list target`: with the column `kind`, a list of the account, or a search that names it;
 * - `query`: a search that names the account.
 *
 * Of other rows, an erasure changes:
 * - `item id`: the id of one of its tweets becomes empty;
 * - `former handle`: one of its handles becomes null;
 * - `reply target`: it becomes `(forgotten)`: the handle, and null: the ids;
 * - `notes`, `json`: texts and JSON of trawl and its users, where its id, handles and names are replaced;
 * - `sample`: a sample of what a page sent, which is replaced.
 *
 * With `--mentions redact` only:
 * - `words`: texts of others, where its handles and names are replaced;
 * - `mention`, `link`: the row goes.
 *
 * `plain`: numbers, times, flags, enumerations, keys of rows that stay, and what identifies no account of the service.
 * `erased crawl`, `erased page`: what is left of crawls and steps of the account (erase-crawls.ts).
 * `facts`: facts that wait to be shipped (erase-facts.ts).
 */
export type ColumnUse =
  | 'plain'
  | `${'user' | 'tweet' | 'search' | 'crawl'} key`
  | `${'account' | 'item'} id`
  | `${'account' | 'former'} handle`
  | `${'account' | 'list' | 'reply'} target`
  | 'query'
  | 'notes'
  | 'json'
  | 'sample'
  | 'words'
  | 'mention'
  | 'link'
  | `erased ${'crawl' | 'page'}`
  | 'facts';

/** The uses of a table's columns. `plain` columns are a list, since they are most. */
export interface TableInventory {
  readonly plain: readonly string[];
  readonly uses: Readonly<Record<string, Exclude<ColumnUse, 'plain'>>>;
}

const table = (plain: string, uses: TableInventory['uses'] = {}): TableInventory => ({
  plain: plain.split(' ').filter((name) => name !== ''),
  uses,
});

const GROUP = table('id rest_id last_seen_at', { name: 'words', description: 'words' });
const REPLY_TARGETS = {
  in_reply_to_status_rest_id: 'reply target',
  in_reply_to_user_rest_id: 'reply target',
  in_reply_to_screen_name: 'reply target',
} as const;
const EDGE = { followee_id: 'user key', follower_id: 'user key' } as const;
const PROFILE_TEXTS = { description: 'words', location: 'words', url: 'words', name: 'words' } as const;

export const INVENTORY: Readonly<Record<string, TableInventory>> = {
  // People and their tweets. A picture has the id of its owner, or none.
  users: table(
    `rest_id screen_name type profile_image_url cover_image_url verified is_blue_verified can_dm has_custom_timelines
    is_translator followers_count following_count favourites_count media_count statuses_count created_at first_seen_at
    profile_at changed_at has_stale_columns`.replaceAll(/\s+/g, ' '),
    { id: 'user key', ...PROFILE_TEXTS },
  ),
  _user_last_seen: table('last_seen_at last_summary_at', { user_id: 'user key' }),
  _user_stale_columns: table('column_name last_seen_at', { user_id: 'user key' }),
  user_history: table(
    `id last_seen_at changed_at screen_name type profile_image_url cover_image_url verified is_blue_verified can_dm
    has_custom_timelines is_translator followers_count following_count favourites_count media_count statuses_count
    created_at`.replaceAll(/\s+/g, ' '),
    { user_id: 'user key', ...PROFILE_TEXTS },
  ),
  tweets: table(
    `rest_id created_at favorite_count retweet_count reply_count quote_count has_media first_seen_at last_seen_at
    has_stale_columns seen_in_lists has_media_seen_at in_reply_to_seen_at`.replaceAll(/\s+/g, ' '),
    { id: 'tweet key', author_id: 'user key', text: 'words', ...REPLY_TARGETS },
  ),
  _tweet_stale_columns: table('column_name last_seen_at', { tweet_id: 'tweet key' }),
  _deletion_evidence: table('suspected_at confirmed_at crawl_id', { tweet_id: 'tweet key' }),
  tweet_replies: table('first_seen_at last_seen_at', { tweet_id: 'tweet key', reply_id: 'tweet key' }),
  tweet_history: table(
    'id last_seen_at changed_at favorite_count retweet_count reply_count quote_count created_at has_media',
    { tweet_id: 'tweet key', author_id: 'user key', text: 'words', ...REPLY_TARGETS },
  ),
  media: table('position type width height', { tweet_id: 'tweet key', url: 'words' }),
  tweet_hashtags: table('', { tweet_id: 'tweet key', tag: 'mention' }),
  tweet_mentions: table('', { tweet_id: 'tweet key', screen_name: 'mention' }),
  tweet_links: table('', { tweet_id: 'tweet key', url: 'link' }),
  follows: table('id first_seen_at last_seen_at ended_at first_missed_at last_seen_in', EDGE),
  follow_history: table('id first_seen_at last_seen_at ended_at last_seen_in', EDGE),
  _follow_decisions: table('crawl_id started_at finished_at cause', EDGE),
  _list_snapshots: table(
    'crawl_id side started_at finished_at item_count owner_count missed_count ended_count body_digest',
    {
      user_id: 'user key',
    },
  ),
  communities: GROUP,
  community_tweets: table('community_id first_seen_at', { tweet_id: 'tweet key' }),
  lists: GROUP,
  list_tweets: table('list_id first_seen_at', { tweet_id: 'tweet key' }),
  searches: table('first_seen_at last_seen_at', { id: 'search key', query: 'query' }),
  search_hits: table('rank first_seen_at last_seen_at', { search_id: 'search key', tweet_id: 'tweet key' }),

  // Crawls and what they record. Rows of the account's crawls stay, since requests and runs refer to them.
  panels: table('id name created_at', { description: 'notes' }),
  panel_members: table('id panel_id added_at removed_at', {
    rest_id: 'account id',
    handle: 'former handle',
    note: 'notes',
  }),
  crawls: table(
    `id kind priority parent_id root_id state reason ending pages requests consecutive_failures lease_token locked_by
    lock_expires_at resume_at created_at started_at updated_at finished_at planned_requests_min planned_requests_expected
    planned_requests_max run_id in_flight_requests unknown_requests target_limit_run_id`.replaceAll(/\s+/g, ' '),
    {
      target: 'erased crawl',
      handle: 'erased crawl',
      target_rest_id: 'erased crawl',
      items: 'erased crawl',
      new_items: 'erased crawl',
      rejected_items: 'erased crawl',
      changes: 'erased crawl',
      last_page_items: 'erased crawl',
      erased_items: 'erased crawl',
      options: 'json',
      checkpoint: 'json',
      error: 'notes',
      cursor: 'notes',
    },
  ),
  crawl_sources: table('crawl_id trawl_version service_host key_label first_used_at last_used_at'),
  runs: table('id job_name created_at max_requests max_requests_per_day target_count', { error: 'notes' }),
  _run_usage_by_day: table('day run_id requests unknown_requests'),
  _run_targets: table('run_id', { target: 'account target' }),
  _crawl_tree: table('root_id descendant_id'),
  coverage: table('id kind newest_at oldest_at list_end crawl_id pages items created_at updated_at', {
    target: 'list target',
    newest_rest_id: 'item id',
    oldest_rest_id: 'item id',
  }),
  gaps: table('id kind coverage_id newer_at older_at reason crawl_id updated_at', {
    target: 'list target',
    newer_rest_id: 'item id',
    older_rest_id: 'item id',
  }),
  _search_windows: table('id from_at to_at searched_at crawl_id', { query: 'query' }),
  pruned_ranges: table('id kind oldest_at newest_at items pruned_at prune_id', { target: 'list target' }),
  _prunes: table('id scope job_name is_retention older_than removed body_bytes started_at finished_at'),
  _scheduled_jobs: table('name schedule scheduled_at last_slot_at last_run_at last_run_added last_run_joined', {
    definition: 'json',
    last_run_error: 'notes',
  }),
  _job_accounts: table('job_name bound_at', { rest_id: 'account id', handle: 'account handle' }),
  _alerts: table('alert subject is_firing changed_at attempts next_attempt_at', { details: 'json' }),
  raw_pages: table('id crawl_id endpoint status fetched_at encoding', {
    parameters: 'erased page',
    hash: 'erased page',
    body: 'erased page',
    headers: 'erased page',
  }),
  requests: table('id crawl_id endpoint sent_at status duration_ms response_bytes', { error: 'notes' }),
  _steps: table('id crawl_id committed_at response_roles last_request_id', {
    first_raw_page_id: 'erased page',
    withheld: 'erased page',
    outcome: 'json',
  }),
  _raw_page_times: table('oldest_tweet_at', { raw_page_id: 'erased page' }),
  rejects: table('id raw_page_id endpoint path reason rejected_at resolved_at', {
    crawl_id: 'crawl key',
    sample: 'sample',
  }),
  _dropped_fields: table('endpoint field reason occurrences first_seen_at last_seen_at', {
    crawl_id: 'crawl key',
    sample: 'sample',
  }),

  // The service and the store.
  _endpoint_capabilities: table('endpoint cursor_support cursor_seen_at largest_page_items largest_page_seen_at'),
  _endpoint_findings: table('endpoint finding account outcome seen_at'),
  _quota_samples: table('id sampled_at request_limit remaining reset_at key_hash'),
  _drift: table('endpoint field first_seen_at last_seen_at occurrences', { sample: 'sample' }),
  _field_statistics: table('endpoint day field is_drift inspected_count filled_count'),
  _settings: table('key value'),
  _erasures: table('id erased_at mentions removed finished_at'),
  _tombstones: table('hash erasure_id'),
  _ship_targets: table(
    'id address added_at max_backlog_bytes shipped_entry shipped_at shipped_digest shipped_bytes bodies_since',
  ),
  _ship_outbox: table('id recorded_at crawl_id total_bytes', { facts: 'facts' }),
  _ship_bodies: table('entry number encoding', { body: 'facts' }),
  __drizzle_migrations: table('id hash created_at'),
};

/** Full-text indexes. Triggers remove what they index; merged segments hold nothing else. */
export const FULL_TEXT_INDEXES = ['tweets_fts', 'users_fts'];
