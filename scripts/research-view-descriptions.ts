import { indexed, type ViewDescription } from './view-description.ts';

export const RESEARCH_VIEW_DESCRIPTIONS: Readonly<Record<string, ViewDescription>> = {
  v_fields_per_day: {
    of: ['_field_statistics'],
    summary:
      'The fields that the service sent on each day (UTC), from the first ten items of each type on a page; and drift, which are fields and forms that the specification does not define. A field whose rate drops to 0 is missing: `trawl doctor` reports it.',
    columns: {
      fill_rate: 'The share of these items, from 0 to 1.',
    },
  },
  v_hashtags_per_day: {
    summary: `The use of each hashtag on each day (UTC) in the stored tweets. ${indexed('tag')}`,
    columns: {
      day: 'The day, such as 2025-01-31; null for tweets without a known time.',
      tweets: 'The number of tweets with the hashtag.',
    },
  },
  v_links: {
    of: ['tweets'],
    summary: `Links in tweets. ${indexed('rest_id', 'author', 'author_rest_id')}`,
    columns: {
      url: 'The address.',
      host: 'The host of the address, in lower case, without the port: `www.example.org`.',
    },
  },
  v_media: {
    of: ['tweets', 'media'],
    summary: `Photos and other media of tweets, in order. ${indexed('rest_id', 'author', 'author_rest_id')}`,
    columns: {},
  },
  v_cohashtags: {
    summary: `Pairs of hashtags that are used in the same tweets. Each pair has two rows, one for each direction. ${indexed('tag')}`,
    columns: {
      other_tag: 'Another hashtag of the same tweets.',
      tweets: 'The number of stored tweets with both.',
      earliest_at: 'When the oldest of these tweets was written.',
      latest_at: 'When the newest of these tweets was written.',
    },
  },
  v_conversations: {
    of: ['tweets'],
    summary: `Tweets and replies with the first tweet of their conversation. The way up goes by \`in_reply_to_status_rest_id\`, or, without it, by the newest tweet that the reply was shown below (\`tweet_replies\`). It ends at the first tweet, and at a tweet that is not stored or whose parent is unknown. ${indexed('rest_id', 'author', 'author_rest_id')} Conditions on \`root_rest_id\` and \`depth\` read all tweets: \`trawl query run conversation\` reads a conversation from its first tweet.`,
    columns: {
      parent_rest_id: 'The id of the tweet that it replies to, stored or not; null if it is no reply, or if unknown.',
      root_rest_id:
        'The id of the first tweet of the conversation as far as known, stored or not; that of the tweet itself if nothing is known above it.',
      depth: 'The number of steps up to that tweet: 0 for itself, 1 for a reply to it. At most 1000.',
    },
  },
  v_posting_activity: {
    summary: `The number of stored tweets and replies of each account by day of the week and hour (UTC). Hours without tweets have no row. ${indexed('author_rest_id')}`,
    columns: {
      weekday: 'The day of the week, from 1 (Monday) to 7 (Sunday).',
      hour: 'The hour of the day, from 0 to 23.',
      tweets: 'The number of tweets and replies.',
    },
  },
  v_observed_periods: {
    summary: `Times for which the tweets of an account are known without a gap, by evidence: no tweet of such a time is missing from the list. They are the intervals of \`coverage\`; the newest also has the time up to the start of the crawl that found nothing newer, and an empty list the time before it was read, unless the account has tweets: then the list may be closed. Pruned times are left out. The periods of a list do not overlap. ${indexed('account_rest_id')}`,
    columns: {
      kind: 'timeline (original tweets) or replies (original tweets and replies).',
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
      started_at: 'When the crawl sent its first request.',
      finished_at: 'When it received the last page.',
      missed: 'The number of stored edges that it lacked for the first time.',
      ended: 'The number of edges that ended, since two lists in a row lacked them.',
    },
  },
};
