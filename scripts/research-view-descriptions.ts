import { HANDLE, indexed, type ViewDescription } from './view-description.ts';

const TWEET = {
  id: "The store's number of the tweet.",
  rest_id: 'The id of the tweet.',
  author_rest_id: 'The id of the author; null if unknown.',
  author: `The handle of the author, ${HANDLE}.`,
  text: 'The text.',
  created_at: 'When it was written.',
};

const ACCOUNT = {
  account_rest_id: 'The id of the account.',
  account: `The handle of the account, ${HANDLE}.`,
};

export const RESEARCH_VIEW_DESCRIPTIONS: Readonly<Record<string, ViewDescription>> = {
  v_fields_per_day: {
    summary:
      'The fields that the service sent on each day (UTC), from the first ten items of each type on a page; and drift, which are fields and forms that the specification does not define. A field whose rate drops to 0 is missing: `trawl doctor` reports it.',
    columns: {
      endpoint: 'The endpoint.',
      day: 'The day, such as 2025-01-31.',
      field: 'The item type and the field: `tweet.text`.',
      is_drift: 'Flag: drift. `_drift` has a sample.',
      inspected_count: 'The number of inspected items; for drift, of pages with it.',
      filled_count: 'The number of these items with a value other than null.',
      fill_rate: 'The share of these items, from 0 to 1.',
    },
  },
  v_hashtags_per_day: {
    summary: `The use of each hashtag on each day (UTC) in the stored tweets. ${indexed('tag')}`,
    columns: {
      day: 'The day, such as 2025-01-31; null for tweets without a known time.',
      tag: 'The hashtag in lower case, without `#`.',
      tweets: 'The number of tweets with the hashtag.',
      authors: 'The number of their authors.',
    },
  },
  v_links: {
    summary: `Links in tweets. ${indexed('rest_id', 'author', 'author_rest_id')}`,
    columns: {
      ...TWEET,
      url: 'The address.',
      host: 'The host of the address, in lower case, without the port: `www.example.org`.',
    },
  },
  v_media: {
    summary: `Photos and other media of tweets, in order. ${indexed('rest_id', 'author', 'author_rest_id')}`,
    columns: {
      ...TWEET,
      position: 'The position in the tweet, from 0.',
      type: 'The type as the service names it, such as `photo`.',
      url: 'The address of the file at the service. trawl does not store the file.',
      width: 'The width in pixels.',
      height: 'The height in pixels.',
    },
  },
  v_cohashtags: {
    summary: `Pairs of hashtags that are used in the same tweets. Each pair has two rows, one for each direction. ${indexed('tag')}`,
    columns: {
      tag: 'A hashtag, in lower case and without `#`.',
      other_tag: 'Another hashtag of the same tweets.',
      tweets: 'The number of stored tweets with both.',
      authors: 'The number of their authors.',
      earliest_at: 'When the oldest of these tweets was written.',
      latest_at: 'When the newest of these tweets was written.',
    },
  },
  v_conversations: {
    summary: `Tweets and replies with the first tweet of their conversation. The way up goes by \`in_reply_to_status_rest_id\`, or, without it, by the newest tweet that the reply was shown below (\`tweet_replies\`). It ends at the first tweet, and at a tweet that is not stored or whose parent is unknown. ${indexed('rest_id', 'author', 'author_rest_id')} Conditions on \`root_rest_id\` and \`depth\` read all tweets: \`trawl query run conversation\` reads a conversation from its first tweet.`,
    columns: {
      ...TWEET,
      parent_rest_id: 'The id of the tweet that it replies to, stored or not; null if it is no reply, or if unknown.',
      root_rest_id:
        'The id of the first tweet of the conversation as far as known, stored or not; that of the tweet itself if nothing is known above it.',
      depth: 'The number of steps up to that tweet: 0 for itself, 1 for a reply to it. At most 1000.',
    },
  },
  v_posting_activity: {
    summary: `The number of stored tweets and replies of each account by day of the week and hour (UTC). Hours without tweets have no row. ${indexed('author_rest_id')}`,
    columns: {
      author_rest_id: 'The id of the account.',
      author: `The handle of the account, ${HANDLE}.`,
      weekday: 'The day of the week, from 1 (Monday) to 7 (Sunday).',
      hour: 'The hour of the day, from 0 to 23.',
      tweets: 'The number of tweets and replies.',
    },
  },
  v_observed_periods: {
    summary: `Times for which the tweets of an account are known without a gap, by evidence: no tweet of such a time is missing from the list. They are the intervals of \`coverage\`; the newest also has the time up to the start of the crawl that found nothing newer, and an empty list the time before it was read, unless the account has tweets: then the list may be closed. Pruned times are left out. The periods of a list do not overlap. ${indexed('account_rest_id')}`,
    columns: {
      kind: 'timeline (original tweets) or replies (original tweets and replies).',
      ...ACCOUNT,
      from_at: 'The start of the period; null if it begins with the account.',
      to_at: 'The end of the period, exclusive.',
      from_ms: 'The start in milliseconds.',
      to_ms: 'The end in milliseconds.',
    },
  },
  v_complete_lists: {
    summary: `Complete lists of followers and followed accounts: the crawls that are evidence about edges they lack. A change of edges lies between two of them. ${indexed('account_rest_id', 'account')}`,
    columns: {
      kind: 'followers or following.',
      ...ACCOUNT,
      started_at: 'When the crawl sent its first request.',
      finished_at: 'When it received the last page.',
      missed: 'The number of stored edges that it lacked for the first time.',
      ended: 'The number of edges that ended, since two lists in a row lacked them.',
      crawl_id: 'The crawl.',
    },
  },
};
