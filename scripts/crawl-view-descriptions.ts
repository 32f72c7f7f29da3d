import type { ViewDescription } from './view-description.ts';

/** The data dictionary's text for views of crawls and of their results. */
export const CRAWL_VIEW_DESCRIPTIONS: Readonly<Record<string, ViewDescription>> = {
  v_crawls: {
    of: ['crawls'],
    summary: 'Crawls with ISO times and their cost: all columns of `crawls`, and their latest source.',
    columns: {
      id: 'The number that commands take.',
      ending: 'The end of the list: see `crawls`.',
      requests_per_new_item: 'Requests per new item; null without new items.',
      seconds: 'From its start to its end or its latest page, including waiting times.',
      trawl_version: 'The version of trawl that crawled it last; null if unknown.',
      service_host: 'The service that it was last crawled from: host, port and path prefix.',
      key_label: 'The label of the API key that it was last crawled with.',
      source_count: 'Combinations of version, service and key that crawled it: `crawl_sources` has them.',
    },
  },
  v_coverage: {
    of: ['coverage'],
    summary:
      'Covered intervals of time-ordered lists, with ISO times. An interval covers the items strictly between its bounds.',
    columns: {},
  },
  v_pruned_ranges: {
    of: ['pruned_ranges'],
    summary:
      'Parts of lists whose items were removed by `trawl prune`, or by the retention of a job: a row for each list. Pruned items are neither missing nor complete. Between the two times, items of other prunes and scopes may still be stored. A crawl that reads a part again shortens it.',
    columns: {
      account: `The handle of the account; null for other lists.`,
      scope: 'The scope of the last prune: bodies, tweets or job.',
      job_name: 'The job whose rows were pruned last; null for those of all.',
      is_retention: 'Flag: the retention of the job removed them, not a command.',
    },
  },
  v_gaps: {
    of: ['gaps'],
    summary:
      'Gaps of time-ordered lists, with ISO times: one below each interval that does not reach the end of its list.',
    columns: {},
  },
  v_rejects_per_day: {
    summary:
      'Items that could not be read, by endpoint, day (UTC) and reason. `trawl rebuild --rejects` parses them again after an update.',
    columns: {
      reason: 'Why they could not be read.',
      items: 'The number of rejected items.',
      resolved: 'The number of these items that were stored later.',
      sample: 'The start of one of them.',
    },
  },
  v_search_windows: {
    of: ['_search_windows'],
    summary: 'Time ranges that backfills searched, with ISO times. They are no evidence of completeness.',
    columns: {
      is_saturated: 'Flag: a day of the range has more tweets than a page shows. See `v_gaps`.',
    },
  },
  v_completeness: {
    summary:
      "Whether each list is complete, by evidence, with its newest crawl (the one that ended last). A timeline is complete if one interval of `coverage` reaches from its newest item to a served end; a list of followers or followed accounts if the newest crawl that reached its end has a row in `_list_snapshots`; a profile, a tweet or an empty timeline if the service's response says so. A list with pruned items is not complete. Other lists (searches, replies, communities, lists) are never proven complete. The score is a separate figure, since the counts of the service may be stale, and lists need not show all counted items.",
    columns: {
      kind: 'The kind of the crawl.',
      target_rest_id: "The service's id of the target; the target as requested if there is no id.",
      target: `The handle of the account; the target as requested if there is no handle.`,
      crawl_id: 'The crawl of the list that ended last.',
      state: 'The end state of that crawl: complete, capped, partial, failed or cancelled.',
      reason: 'Why that crawl is not complete.',
      ending: 'The end of that crawl: see `crawls`.',
      is_complete:
        'Flag: there is evidence that the whole list of the time `complete_as_of` is stored, by any crawls. A later crawl that stops early does not change it, unless it leaves a gap in a timeline.',
      complete_as_of:
        'The start of the crawl that is the evidence; null unless `is_complete`. A list of followed accounts may be up to a day older, since the service may respond from a cache.',
      stored: 'The number of stored items that the list showed, to any crawl; null if the service reports no count.',
      reported:
        'The count on the profile; null if the profile was never seen, and for a timeline, since the number of tweets may include replies.',
      score: 'Stored divided by reported items, 1.0 for all, more if more is stored than counted; null if unknown.',
      intervals: 'Covered intervals: one is best.',
      gaps: 'Gaps between and below them: see `v_gaps`.',
      items: 'Items on the pages of that crawl.',
      new_items: 'New items of that crawl.',
      requests: 'Requests of that crawl.',
      finished_at: 'When that crawl ended.',
      erased:
        'Items of the list that are not stored, since their accounts are forgotten (`trawl forget`): with any, the list is not complete.',
      pruned: 'The number of items that `trawl prune` or a retention has removed: see `v_pruned_ranges`.',
      pruned_at: 'When items were removed last; null if none were.',
    },
  },
};
