import { CRAWL_VIEW_WORDS, HANDLE } from './crawl-view-words.ts';

/** What the data dictionary says of views and virtual tables, whose words no schema file holds. */
export interface Words {
  readonly says: string;
  /** A sentence for each column; of a virtual table its columns are named only. */
  readonly columns?: Readonly<Record<string, string>>;
}

const STORE_NUMBER = "The store's own number: what the full-text tables call `rowid`.";

export const OTHER_WORDS: Readonly<Record<string, Words>> = {
  tweets_fts: {
    says: "Full-text search over tweets: `select author, text from v_tweets where id in (select rowid from tweets_fts where tweets_fts match 'word')`. Triggers keep it; never write to it.",
  },
  users_fts: {
    says: "Full-text search over what users say of themselves: `select screen_name, description from v_users where id in (select rowid from users_fts where users_fts match 'word')`. Triggers keep it: users whom a running crawl finds can be found here as soon as it is handed back or ends, which is every 100 pages or 10 seconds. Never write to it.",
  },
  v_users: {
    says: 'Users with ISO times. Asked by `rest_id` or `screen_name`, it reads an index.',
    columns: {
      id: STORE_NUMBER,
      rest_id: "The service's id.",
      screen_name: `The handle, without the sign, ${HANDLE}.`,
      name: 'The name shown.',
      description: 'What they say of themselves.',
      location: 'Where they say they are.',
      url: 'Address of the profile.',
      type: "The service's word for what it is.",
      profile_image_url: 'The picture.',
      cover_image_url: 'The picture on top of the profile.',
      verified: 'Flag, from summaries.',
      is_blue_verified: 'Flag, from profiles.',
      can_dm: 'Flag: takes direct messages.',
      has_custom_timelines: 'Flag.',
      is_translator: 'Flag.',
      followers_count: 'How many followers the service reports; what is stored is in `v_follows`.',
      following_count: 'How many accounts they follow, as reported.',
      favourites_count: 'How many tweets they liked, as reported.',
      media_count: 'How many of their tweets have media, as reported.',
      statuses_count: 'How many tweets they wrote, as reported.',
      created_at: 'When the account was opened.',
      known_by:
        'How fully they are known: `profile`, `summary` (seen in a list), or `reference` (as an author or owner only).',
      first_seen: 'When they were first seen in any form.',
      seen_at: 'When the name and the handle were last seen.',
      changed_at: 'When the observation was made that last said something new of them.',
      summary_at: 'When a summary was last seen.',
      profile_at: 'When the full profile was last seen.',
    },
  },
  v_tweets: {
    says: 'Tweets and replies with their authors and ISO times. Asked by `rest_id`, `author`, `author_rest_id`, `in_reply_to_status_id` or `created_ms`, it reads an index.',
    columns: {
      id: STORE_NUMBER,
      rest_id: "The service's id.",
      author_rest_id: "The author's id; null when the author is not known.",
      author: `The author's handle, ${HANDLE}.`,
      text: 'What it says.',
      created_at: 'When it was written.',
      created_ms: 'The same in milliseconds: to ask for a span of time, or for the latest, by the index.',
      favorite_count: 'Likes, when last seen.',
      retweet_count: 'Retweets, when last seen.',
      reply_count: 'Replies, as reported; those stored are in `v_replies`.',
      quote_count: 'Quotes, when last seen.',
      engagement: 'The sum of the four counts, what is unknown taken as 0; null when all four are unknown.',
      has_media: 'Flag: whether the service says that there is media.',
      media_count: 'How many media of it are stored.',
      is_reply:
        'Flag: 1 for a reply (it carries `in_reply_to_*` fields, or stood below another tweet), 0 for an original (a list of its author showed it without them). Null where nothing says which it is: a tweet that only a search, a community, a list or tweet-detail showed.',
      in_reply_to_status_id: 'The id of the tweet that it answers.',
      in_reply_to_user_id: 'The id of the user whom it answers.',
      in_reply_to_screen_name: `The handle of the user whom it answers, as told with the reply, ${HANDLE}.`,
      first_seen: 'When it was first seen.',
      seen_at: 'When it was last seen.',
    },
  },
  v_follows: {
    says: 'Who follows whom, by id and handle. Asked by either side, by id or handle, it reads an index.',
    columns: {
      follower_rest_id: 'The id of who follows.',
      follower: `The handle of who follows, ${HANDLE}.`,
      followee_rest_id: 'The id of who is followed.',
      followee: `The handle of who is followed, ${HANDLE}.`,
      first_seen: 'When the edge was first seen; when it began is not shown by the service.',
      last_seen: 'When it was last seen.',
      first_missed: 'When a complete list was first found to lack it; null unless it is missing.',
      ended:
        'When it was gone at the latest, known since a second complete list lacked it too; it ended after `last_seen`. Null while it stands.',
    },
  },
  v_follow_changes: {
    says: 'Who came and who went, and between which two times. An edge came when a complete list had lacked it before, and went when two in a row lack it. Asked by either side, by id or handle, it reads an index.',
    columns: {
      change: '`came` or `went`.',
      follower_rest_id: 'The id of who follows.',
      follower: `The handle of who follows, ${HANDLE}.`,
      followee_rest_id: 'The id of who is followed.',
      followee: `The handle of who is followed, ${HANDLE}.`,
      earliest: 'It happened after this.',
      latest: 'It had happened by then.',
    },
  },
  v_user_versions: {
    says: `What users were as of a date, one row from each change to the next: \`where rest_id = '…' and '2025-06-01' >= valid_from and (valid_to is null or '2025-06-01' < valid_to)\`. Asked by \`id\` or \`rest_id\`, it reads an index.`,
    columns: {
      id: STORE_NUMBER,
      rest_id: "The service's id.",
      screen_name: `The handle, ${HANDLE}.`,
      name: 'The name shown.',
      description: 'What they say of themselves.',
      followers_count: 'How many followers the service reported.',
      following_count: 'How many accounts they followed, as reported.',
      statuses_count: 'How many tweets they had written, as reported.',
      valid_from: 'Since when it was seen so; in the first row, since when anything was known of them.',
      valid_to: 'When something of it was first seen to be otherwise; null for what is so now.',
    },
  },
  v_tweet_versions: {
    says: 'The counts of tweets as of a date, as `v_user_versions` has those of users. Asked by `id` or `rest_id`, it reads an index.',
    columns: {
      id: STORE_NUMBER,
      rest_id: "The service's id.",
      favorite_count: 'Likes.',
      retweet_count: 'Retweets.',
      reply_count: 'Replies, as reported.',
      quote_count: 'Quotes.',
      valid_from: 'Since when it was seen so; in the first row, since when anything was known of it.',
      valid_to: 'When one of them was first seen to be otherwise; null for what is so now.',
    },
  },
  v_absent_tweets: {
    says: 'Tweets that are suspected to be gone, since the list of their author lacks them, and those of which the service says so (404). Seen again anywhere, a tweet is not here any more; none is ever removed from the store.',
    columns: {
      id: STORE_NUMBER,
      rest_id: "The service's id.",
      author_rest_id: "The author's id.",
      author: `The author's handle, ${HANDLE}.`,
      text: 'What it said.',
      created_at: 'When it was written.',
      state: '`suspected` or `deleted`.',
      seen_at: 'When it was last seen: it went after this.',
      suspected_at: 'When its absence was first seen: it had gone by then, if it has.',
      confirmed_at: 'When the service said so; null while it is only suspected.',
      crawl_id: 'The crawl that missed it last, or that was told.',
    },
  },
  v_handle_periods: {
    says: 'Who had a handle when: an account that gave one up and another that took it are two rows. Asked by `screen_name` or `rest_id`, it reads an index.',
    columns: {
      screen_name: `The handle, ${HANDLE}.`,
      rest_id: 'The id of the account that had it.',
      valid_from: 'Since when it was seen to have it.',
      last_seen: 'When it was last seen to have it.',
      valid_to: 'When it was first seen with another handle, or another account with this one; null while it has it.',
    },
  },
  v_fields_per_day: {
    says: 'Which fields the service sent on each day (UTC), by the first ten items of a sort on each page, and drift: fields and forms that the specification does not have. A field whose rate falls to 0 has gone missing: `trawl doctor` tells.',
    columns: {
      endpoint: 'The endpoint.',
      day: 'The day, as 2025-01-31.',
      field: 'The sort of item and the field: `tweet.text`.',
      is_drift: 'Flag: not as the specification says. `drift` has a sample.',
      items: 'How many items were looked at; of drift, on how many pages it was.',
      filled: 'How many of them had the field, and not null.',
      fill_rate: 'The share of them, from 0 to 1.',
    },
  },
  v_hashtags_per_day: {
    says: 'How much each hashtag was used on each day (UTC) in the tweets stored. Asked by `tag`, it reads an index.',
    columns: {
      day: 'The day, as 2025-01-31; null for tweets whose time is not known.',
      tag: 'The hashtag in lower case, without the sign.',
      tweets: 'How many tweets have it.',
      authors: 'How many users wrote them.',
    },
  },
  v_rejects_per_day: {
    says: 'Items that could not be read, by endpoint, day (UTC) and reason. `trawl rejects retry` reads them again after an update.',
    columns: {
      endpoint: 'The endpoint.',
      day: 'The day, as 2025-01-31.',
      reason: 'What is wrong with them.',
      items: 'How many were set aside.',
      resolved: 'How many of them were read and stored later.',
      sample: 'The start of one of them.',
    },
  },
  v_replies: {
    says: 'Replies, with the tweets that they answer where those are stored: those that carry `in_reply_to_*` fields, and those that stood below a tweet (`tweet_replies`). A reply that carries no such field and stood below several tweets has a row for each. Asked by `rest_id`, `author`, `parent_rest_id`, `parent_author` or `parent_author_rest_id`, it reads an index.',
    columns: {
      id: STORE_NUMBER,
      rest_id: "The reply's id.",
      author_rest_id: 'The id of who replies.',
      author: `The handle of who replies, ${HANDLE}.`,
      text: 'What the reply says.',
      created_at: 'When it was written.',
      parent_rest_id: 'The id of the tweet that it answers, stored or not.',
      parent_author_rest_id: "The id of that tweet's author, stored or not; null when nothing says it.",
      parent_author: `The handle of that tweet's author, ${HANDLE}: the present one where the account is stored, else the one that the reply carries.`,
      parent_text: 'What that tweet says; null unless it is stored.',
      parent_created_at: 'When that tweet was written; null unless it is stored.',
      latency_seconds: 'How long after that tweet the reply came; null unless the tweet is stored.',
    },
  },
  ...CRAWL_VIEW_WORDS,
};
