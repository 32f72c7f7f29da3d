export const HANDLE = 'compared without regard to case';

/** What the data dictionary says of views over crawls and of what they prove. */
export const CRAWL_VIEW_WORDS = {
  v_crawls: {
    says: 'Crawls with ISO times and what they cost.',
    columns: {
      id: 'The number that commands take.',
      kind: 'What is crawled: profile, timeline, followers and so on.',
      target: 'Of whom or what.',
      target_id: "The service's id of the target, once it is known.",
      options: 'Limits and the like, as JSON.',
      class: 'interactive, scheduled or backfill.',
      parent_id: 'The crawl that this one came of.',
      root_id: 'The crawl that all of its family came of.',
      state:
        'queued, running, paused, complete (by evidence, all is stored), capped (all that the service shows is stored; more may exist), partial, failed or cancelled.',
      reason: 'Why it is paused, capped, partial or failed.',
      ending:
        'What ended a list: `served` (no next cursor), `one_page` (the service shows one page of it), `inferred` (empty pages), `since`, `joined` (the rest was known down to an end that the service gave, or to `--since`), `joined_inferred` (the same, down to an inferred end), or `halved` (a search that was asked again in parts).',
      error: 'The last error in words.',
      pages: 'Pages stored.',
      items: 'Items on them.',
      new_items: 'Items that the store did not have before.',
      changes: 'Users and tweets that it found changed, edges that it found ended and tweets that it found deleted.',
      rejected: 'Items set aside: see `rejects`.',
      requests: 'Requests sent, failed ones too.',
      requests_per_new_item: 'What a new item cost; null when nothing was new.',
      seconds: 'From its start to its end, or to its latest page; waiting for quota counts.',
      created_at: 'When it was asked for.',
      started_at: 'When a worker first took it.',
      updated_at: 'When it last moved.',
      resume_at: 'Until when it is paused.',
      finished_at: 'When it ended; null while it is unfinished.',
    },
  },
  v_coverage: {
    says: 'What is known complete of lists in order of time, with ISO times: an interval claims what is strictly between its bounds.',
    columns: {
      kind: 'timeline, replies or community.',
      target_id: "The account's or the community's id.",
      account: `The account's handle, ${HANDLE}.`,
      oldest_at: 'When its oldest item was written. Others of that very instant may be missing.',
      newest_at: 'When its newest item was written. Others of that very instant may be missing.',
      oldest_id: 'The id of its oldest item.',
      newest_id: 'The id of its newest item.',
      bottom:
        '`served` where the service said that the list ends here, `inferred` where empty pages did: then nothing older is missing. Null where a gap is below.',
      pages: 'Pages that were walked for it; a page in which it only began is one of them.',
      items: 'Items on them.',
      crawl_id: 'The crawl that extended it last.',
      updated_at: 'When that was.',
    },
  },
  v_gaps: {
    says: 'What is not known of lists in order of time, with ISO times: one gap below each interval that does not reach the end of its list.',
    columns: {
      kind: 'timeline, replies or community; search where a day hides more than a page shows.',
      target_id: "The account's or the community's id; the search string.",
      account: `The account's handle, ${HANDLE}.`,
      older_at: 'Where the next interval begins; null when nothing below is known.',
      newer_at: 'Where the interval above ends.',
      older_id: 'The newest item of the interval below.',
      newer_id: 'The oldest item of the interval above.',
      reason:
        'Why: `open` (its crawl has not ended), `interrupted` (cancelled or failed), `max_pages`, `since`, `one_page`, `rejected_items`, `out_of_order`, `saturated`, `cursor_refused` and other faults of a cursor.',
      crawl_id: 'The crawl that stopped here.',
      updated_at: 'When that was.',
    },
  },
  v_searched: {
    says: 'What searches were asked about by backfills, with ISO times. It was seen, and nothing of it is proven complete.',
    columns: {
      query: 'The search string, without dates.',
      from_at: 'The first moment asked about.',
      to_at: 'The end, left out.',
      is_saturated: '1 where a day of it hides more than a page shows: see `v_gaps`.',
      seen_at: 'When it was asked.',
      crawl_id: 'The crawl that asked.',
    },
  },
  v_completeness: {
    says: "Whether each list is complete, by evidence, beside its newest crawl that ended. A timeline is complete when one interval of `coverage` reaches from its newest item to an end that the service gave; a list of followers or followed accounts when the newest crawl that came to its end left a row in `complete_lists`; a profile, a tweet or an empty timeline when the service's own answer says so. Of other lists (searches, replies, communities, lists) nothing proves that there is no more. The score is a separate figure: the service's counts may be stale, and lists need not show all that is counted.",
    columns: {
      kind: 'What was crawled.',
      target_id: "The service's id of the target; what was asked for where there is none.",
      target: `The account's handle, ${HANDLE}; else what was asked for.`,
      crawl_id: 'The newest crawl of it that ended.',
      state: 'How that crawl ended: complete, capped, partial, failed or cancelled.',
      reason: 'Why that crawl is not complete.',
      ending: 'What ended that crawl: as in `v_crawls`.',
      is_complete:
        'Flag: there is evidence that the whole list is stored as it was at `complete_as_of`, whichever crawls stored it. A later crawl that stops early changes nothing, unless it leaves a gap in a timeline.',
      complete_as_of:
        'When the crawl began that proves it; null unless `is_complete`. A list of followed accounts may be up to a day older, since the service may answer from a cache.',
      stored: 'How many of the items are stored, whoever found them; null where the service reports no count.',
      reported: "The profile's own count; null when it was never seen.",
      score: 'Stored by reported, 1.0 for all; null when unknown.',
      intervals: 'Intervals known complete: one is best.',
      gaps: 'Gaps in it or below: see `v_gaps`.',
      items: 'Items on the pages of that crawl.',
      new_items: 'Those that the store did not have.',
      requests: 'What it cost.',
      finished_at: 'When it ended.',
    },
  },
};
