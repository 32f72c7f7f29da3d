import { HANDLE, type ViewDescription } from './view-description.ts';

/** The data dictionary's text for views of crawls and of their results. */
export const CRAWL_VIEW_DESCRIPTIONS: Readonly<Record<string, ViewDescription>> = {
  v_crawls: {
    summary: 'Crawls with ISO times and their cost: all columns of `crawls`, and what they were crawled with last.',
    columns: {
      id: 'The number that commands take.',
      kind: 'What is crawled: profile, timeline, followers and so on.',
      target: 'The account, tweet, community, list or query.',
      handle: 'The handle of the target as typed, or as the service spells it.',
      target_rest_id: "The service's id of the target; null until it is known.",
      options: 'Limits and other options, as JSON.',
      priority: 'interactive, scheduled or backfill.',
      parent_id: 'The crawl that created this one.',
      root_id: 'The top of the crawl tree.',
      run_id: 'The run of a job or command that this crawl belongs to.',
      target_limit_run_id: 'For a snowball with a limit of accounts: the run whose snowballs share the limit.',
      state:
        'queued, running, paused, complete (there is evidence that all is stored), capped (all that the service shows is stored; more may exist), partial, failed or cancelled.',
      reason: 'Why it is paused, capped, partial or failed.',
      ending:
        'What ended the list: `served` (no next cursor), `one_page` (the service shows only one page), `inferred` (empty pages), `since`, `joined` (the rest is already covered down to a served end or to `--since`), `joined_inferred` (the same, down to an inferred end), or `halved` (a search that was split into two windows).',
      error: 'The message of the last error.',
      pages: 'Stored pages.',
      items: 'Items on these pages.',
      last_page_items: 'Items on the last page.',
      new_items: 'Items that were not in the store before.',
      changes: 'Changed users and tweets, ended edges and deleted tweets that it found.',
      rejected_items: 'Items that could not be read: see `rejects`.',
      erased_items: 'Items that are not stored, since they belong to forgotten accounts.',
      requests: 'Requests sent, including failed ones.',
      requests_per_new_item: 'Requests per new item; null without new items.',
      in_flight_requests: 'The maximum of requests that its worker has sent and not yet recorded.',
      unknown_requests: 'The maximum of requests that killed workers have sent without a record.',
      planned_requests_min: 'The estimate of requests at its creation: minimum.',
      planned_requests_expected: 'The same: expected value.',
      planned_requests_max: 'The same: maximum.',
      consecutive_failures: 'Consecutive failures since the last page.',
      cursor: 'The cursor of the next page.',
      checkpoint: 'Other state that is kept from page to page, as JSON.',
      lease_token: 'The fencing token: only the worker with the newest one may commit.',
      locked_by: 'The `trawl crawl` run with a soft lock on this crawl.',
      seconds: 'From its start to its end or its latest page, including waiting times.',
      created_at: 'When it was created.',
      started_at: 'When a worker first took it.',
      updated_at: 'When it last changed.',
      resume_at: 'The end of a pause.',
      lock_expires_at: 'The end of the soft lock.',
      finished_at: 'When it ended; null while it is unfinished.',
      trawl_version: 'The version of trawl that crawled it last; null for crawls of versions that did not record it.',
      service_host: 'The service that it was last crawled from: host, port and path prefix.',
      key_label: 'The label of the API key that it was last crawled with.',
      source_count:
        'The number of combinations of version, service and key that crawled it: `crawl_sources` has all of them.',
    },
  },
  v_coverage: {
    summary:
      'Covered intervals of time-ordered lists, with ISO times. An interval covers the items strictly between its bounds.',
    columns: {
      kind: 'timeline, replies or community.',
      target: 'The id of the account or community.',
      account: `The handle of the account, ${HANDLE}.`,
      oldest_at: 'The time of its oldest item. Other items of the same instant may be missing.',
      newest_at: 'The time of its newest item. Other items of the same instant may be missing.',
      oldest_rest_id: 'The id of its oldest item.',
      newest_rest_id: 'The id of its newest item.',
      list_end:
        'The end of the list: `served` (by the service) or `inferred` (from empty pages); no older item is missing. Null if a gap follows.',
      pages: 'Pages of the interval, including pages that are only partly in it.',
      items: 'Items on these pages.',
      crawl_id: 'The crawl that extended it last.',
      updated_at: 'When it was last extended.',
    },
  },
  v_gaps: {
    summary:
      'Gaps of time-ordered lists, with ISO times: one below each interval that does not reach the end of its list.',
    columns: {
      kind: 'timeline, replies or community; search for a day with more tweets than a page shows.',
      target: 'The id of the account or community; the search string.',
      account: `The handle of the account, ${HANDLE}.`,
      older_at: 'The newest time of the interval below; null if there is none.',
      newer_at: 'The oldest time of the interval above.',
      older_rest_id: 'The newest item of the interval below.',
      newer_rest_id: 'The oldest item of the interval above.',
      reason:
        '`open` (its crawl has not ended), `interrupted` (cancelled or failed), `max_pages`, `since`, `one_page`, `rejected_items`, `out_of_order`, `saturated`, `cursor_refused` and other errors of a cursor.',
      crawl_id: 'The crawl that stopped here.',
      updated_at: 'When the gap last changed.',
    },
  },
  v_search_windows: {
    summary: 'Time ranges that backfills searched, with ISO times. They are no evidence of completeness.',
    columns: {
      query: 'The search string, without dates.',
      from_at: 'The begin of the range.',
      to_at: 'The end of the range, exclusive.',
      is_saturated: 'Flag: a day of the range has more tweets than a page shows. See `v_gaps`.',
      searched_at: 'When it was searched.',
      crawl_id: 'The crawl that searched it.',
    },
  },
  v_completeness: {
    summary:
      "Whether each list is complete, by evidence, with its newest ended crawl. A timeline is complete if one interval of `coverage` reaches from its newest item to a served end; a list of followers or followed accounts if the newest crawl that reached its end has a row in `_list_snapshots`; a profile, a tweet or an empty timeline if the service's response says so. Other lists (searches, replies, communities, lists) are never proven complete. The score is a separate figure, since the counts of the service may be stale, and lists need not show all counted items.",
    columns: {
      kind: 'What was crawled.',
      target_rest_id: "The service's id of the target; the target as requested if there is no id.",
      target: `The handle of the account, ${HANDLE}; the target as requested if there is no handle.`,
      crawl_id: 'The newest ended crawl of the list.',
      state: 'The end state of that crawl: complete, capped, partial, failed or cancelled.',
      reason: 'Why that crawl is not complete.',
      ending: 'What ended that crawl: see `v_crawls`.',
      is_complete:
        'Flag: there is evidence that the whole list of the time `complete_as_of` is stored, by any crawls. A later crawl that stops early does not change it, unless it leaves a gap in a timeline.',
      complete_as_of:
        'The start of the crawl that is the evidence; null unless `is_complete`. A list of followed accounts may be up to a day older, since the service may respond from a cache.',
      stored: 'The number of stored items, from any crawl; null if the service reports no count.',
      reported: 'The count on the profile; null if the profile was never seen.',
      score: 'Stored divided by reported items, 1.0 for all; null if unknown.',
      intervals: 'Covered intervals: one is best.',
      gaps: 'Gaps between and below them: see `v_gaps`.',
      items: 'Items on the pages of that crawl.',
      new_items: 'New items of that crawl.',
      requests: 'Requests of that crawl.',
      finished_at: 'When that crawl ended.',
      erased:
        'Items of the list that are not stored, since their accounts are forgotten (`trawl forget`): with any, the list is not complete.',
    },
  },
};
