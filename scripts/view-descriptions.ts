import { CRAWL_VIEW_DESCRIPTIONS } from './crawl-view-descriptions.ts';
import { RESEARCH_VIEW_DESCRIPTIONS } from './research-view-descriptions.ts';
import { indexed, type ViewDescription } from './view-description.ts';

const EDGE_INDEX = 'Conditions on either account, by id or handle, use an index.';

const VALIDITY = {
  valid_from: 'When this version was first seen; in the first row, when anything was first seen.',
  valid_to: 'When another version was first seen; null for the current version.',
};
const CHANGE = {
  old_value: 'The value before.',
  new_value: 'The value after.',
  last_seen_at: 'When the old value was last seen.',
  changed_at: 'When the new value was first seen. The change was after `last_seen_at`, and not later than this.',
};

export const VIEW_DESCRIPTIONS: Readonly<Record<string, ViewDescription>> = {
  _unavailability_evidence: {
    summary:
      'Crawls that the service answered with 404 for the id of an account: the evidence of `v_unavailable_accounts`.',
    columns: {
      rest_id: "The service's id of the account; null if it is unknown.",
      noticed_at: 'When the request was sent that was answered with 404; null if no request had the id.',
    },
  },
  _observed_intervals: { summary: 'The source of `v_observed_periods`, without regard to pruned items.' },
  tweets_fts: {
    summary:
      'Full-text search over tweets: `select author, text from v_tweets where id in (select rowid from tweets_fts where tweets_fts match \'word\')`. It has the words of texts; in scripts without spaces, each character is a word (`"東 京 都"`). Triggers update it; never write to it.',
  },
  users_fts: {
    summary:
      "Full-text search over biographies: `select screen_name, description from v_users where id in (select rowid from users_fts where users_fts match 'word')`. Users of a running crawl are included when it is released or ends, which is every 100 pages or 10 seconds. Never write to it.",
  },
  v_users: {
    of: ['users'],
    summary: `Users with ISO times. ${indexed('rest_id', 'screen_name')}`,
    columns: {
      known_by: 'The detail level: `profile`, `summary` (seen in a list), or `reference` (only as an author or owner).',
      last_seen_at: 'When the name and the handle were last seen.',
      last_summary_at: 'When a summary was last seen.',
    },
  },
  v_tweets: {
    of: ['tweets'],
    summary: `Tweets and replies with their authors and ISO times. ${indexed('rest_id', 'author', 'author_rest_id', 'in_reply_to_status_rest_id', 'created_ms')}`,
    columns: {
      created_ms: 'The same in milliseconds, with an index for time ranges and for the latest tweets.',
      engagement: 'The sum of the four counts, with unknown ones as 0; null if all are unknown.',
      media_count: 'The number of stored media.',
      is_reply:
        'Flag: 1 for a reply (it has `in_reply_to_*` fields or was shown below another tweet), 0 for an original (a list of its author showed it without these fields). Null if unknown: only a search, a community, a list or tweet-detail showed it.',
      deletion_state:
        '`suspected` if the list of its author lacks it, `deleted` if the service reports it as deleted: see `v_deleted_tweets`. Null otherwise.',
    },
  },
  v_follows: {
    of: ['follows'],
    summary: `Follow edges, by id and handle. ${EDGE_INDEX}`,
    columns: {},
  },
  v_current_follows: {
    of: ['follows'],
    summary: `Current follow edges, as far as known: \`v_follows\` without ended edges. ${EDGE_INDEX}`,
    columns: {},
  },
  v_follow_changes: {
    summary: `Edges that began or ended, with the earliest and latest time. An edge began if an earlier complete list lacked it, and ended if two complete lists in a row lack it. The times are those of responses; a list of followed accounts may be up to a day older, since the service may respond from a cache. ${EDGE_INDEX}`,
    columns: {
      change: '`came` for an edge that began, `went` for one that ended.',
      earliest_at: 'The change was after this time.',
      latest_at: 'The change was not later than this time.',
      cause:
        'Why the edge ended: `unfollowed` if the account that left the list was seen elsewhere afterwards, `account gone` if the service answered 404 for it, `unknown` otherwise. Null for an edge that began.',
    },
  },
  _unfollow_candidates: {
    summary: 'The edges of `v_unfollow_candidates`, by the numbers of their accounts.',
    columns: {
      side: 'The list that lacks the edge: `followers` or `following`.',
      crawl_id: 'The crawl of the list.',
      follower_id: 'The follower.',
      followee_id: 'The followed account.',
      member_id: 'The account that the list lacks.',
      last_seen_at: 'When the edge was last seen.',
      last_seen_in: 'The list where it was last seen: 0 followers, 1 followed accounts.',
      missed_at: 'When the crawl of the list ended.',
    },
  },
  v_unfollow_candidates: {
    summary:
      'Edges that the latest list lacks, where that list was cut short (`list_cut_short`): it lost more accounts than the count of its account explains, so that they may still be there. `trawl recheck follows` decides them.',
    columns: {
      kind: 'The list that lacks the edge: `followers` or `following`.',
      last_seen_at: 'When the edge was last seen.',
      noticed_at: 'When the crawl of the list ended.',
      crawl_id: 'The crawl of the list.',
    },
  },
  v_user_versions: {
    of: ['users'],
    summary: `Users as of a date, with one row for the time between two changes: \`where rest_id = '…' and '2025-06-01' >= valid_from and (valid_to is null or '2025-06-01' < valid_to)\`. ${indexed('id', 'rest_id')}`,
    columns: { ...VALIDITY },
  },
  v_tweet_versions: {
    of: ['tweets'],
    summary: `Tweets as of a date, like \`v_user_versions\`. ${indexed('id', 'rest_id')}`,
    columns: {
      ...VALIDITY,
    },
  },
  v_user_changes: {
    summary: `Changes of users, with one row for each changed column. ${indexed('id', 'rest_id', 'screen_name')}`,
    columns: {
      screen_name: `The current handle.`,
      field: 'The changed column of `v_users`.',
      ...CHANGE,
    },
  },
  v_tweet_changes: {
    summary: `Changes of tweets, with one row for each changed column. ${indexed('id', 'rest_id', 'author')}`,
    columns: { field: 'The changed column of `v_tweets`.', ...CHANGE },
  },
  v_deleted_tweets: {
    of: ['_deletion_evidence', 'tweets'],
    summary:
      'Tweets that are missing from the list of their author (suspected), and tweets that the service reports as deleted (404). A tweet that is seen again is no longer in this view. No tweet is removed from the store.',
    columns: {
      state: '`suspected` or `deleted`.',
      last_seen_at: 'When it was last seen. A deletion was after this time.',
      suspected_at: 'When it was first missing. A deletion was not later than this time.',
    },
  },
  v_unavailable_accounts: {
    summary:
      'Accounts that the service no longer shows: it answered 404 for their id after they were last seen. An account that is seen again is no longer in this view. The service does not say whether an account was suspended, deleted or deactivated, so `state` is `unavailable` for all. A 404 for a handle alone is no evidence, since the account may be renamed.',
    columns: {
      screen_name: `The handle when it was last seen.`,
      state: '`unavailable`.',
      noticed_at: 'When the service first answered 404 since the account was last seen.',
      last_seen_at: 'When it was last seen. It became unavailable after this time, and not later than `noticed_at`.',
      crawl_id: 'The crawl that got this answer.',
    },
  },
  v_restored: {
    summary:
      'Tweets and accounts that came back: the service answered 404 for their id, and showed them later. They are neither in `v_deleted_tweets` nor in `v_unavailable_accounts`.',
    columns: {
      type: '`tweet` or `account`.',
      rest_id: "The service's id of the tweet or of the account.",
      account_rest_id: 'The id of the account: the author of a tweet, null if unknown, or the account itself.',
      gone_at: 'When the service answered 404 for it: for an account, the last time.',
      last_seen_at: 'When it was last seen. It came back after `gone_at`, and not later than this time.',
    },
  },
  v_panel_members: {
    of: ['panel_members'],
    summary:
      'The accounts of panels, one row per membership: `removed_at is null` selects the current members. `state` says whether the account is renamed, unavailable or unseen.',
    columns: {
      id: "The store's number of the membership, in order of addition.",
      panel: 'The name of the panel.',
      screen_name: `The current handle; null if the account is not stored.`,
      state:
        '`unavailable` if the service no longer shows it (`v_unavailable_accounts`), `renamed` if its handle differs from `handle`, `unseen` if it is not stored. Null otherwise.',
      noticed_at: 'When the service first answered 404, for an unavailable account.',
    },
  },
  v_handle_periods: {
    summary: `Owners of handles over time. A handle that passes from one account to another has two rows. ${indexed('screen_name', 'rest_id')}`,
    columns: {
      screen_name: `The handle.`,
      rest_id: 'The id of the account.',
      valid_from: 'When the account was first seen with the handle.',
      last_seen_at: 'When it was last seen with the handle.',
      valid_to:
        'When the account was first seen with another handle, or another account with this one; null if current.',
    },
  },
  v_mentions: {
    of: ['tweets'],
    summary: `Mentions in tweets, with the account if it is stored: the one that was last seen with the handle. ${indexed('mentioned', 'rest_id', 'author')} Write \`mentioned\` in lower case.`,
    columns: {
      rest_id: 'The id of the tweet.',
      mentioned: 'The handle as written, in lower case and without `@`.',
      mentioned_rest_id: 'The id of the account; null if no account with the handle is stored.',
      mentioned_screen_name: `The handle as the account spells it; null if it is not stored.`,
      mentioned_name: 'The display name of the account; null if it is not stored.',
    },
  },
  v_replies: {
    of: ['tweets'],
    summary: `Replies, with the tweets that they reply to if those are stored: replies with \`in_reply_to_*\` fields, and replies that were shown below a tweet (\`tweet_replies\`). A reply without these fields that was shown below several tweets has a row for each. ${indexed('rest_id', 'author', 'parent_rest_id', 'parent_author', 'parent_author_rest_id')}`,
    columns: {
      rest_id: 'The id of the reply.',
      parent_rest_id: 'The id of the parent tweet, stored or not.',
      parent_author_rest_id: 'The id of its author, stored or not; null if unknown.',
      parent_author: `The handle of its author: the current one if the account is stored, else the one shown with the reply.`,
      parent_text: 'The text of the parent tweet; null if it is not stored.',
      parent_created_at: 'When the parent tweet was written; null if it is not stored.',
      latency_seconds: 'The time from the parent tweet to the reply; null if the parent tweet is not stored.',
    },
  },
  ...RESEARCH_VIEW_DESCRIPTIONS,
  ...CRAWL_VIEW_DESCRIPTIONS,
};
