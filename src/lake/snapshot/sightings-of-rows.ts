import { ENTITIES } from '../../store/merge/merge-tweet-parts.ts';
import { FACT_TABLES } from '../../store/outbox/fact-tables.ts';

/** Users and tweets as sightings: a row has values of several observations, each with its time (decision 15). */

const USER_NAMES = ['screen_name', 'name'];
const USER_SUMMARY = ['description', 'profile_image_url', 'followers_count', 'following_count'];
const USER_COLUMNS = Object.keys(FACT_TABLES.user_sightings.columns).slice(3);
const USER_PROFILE = USER_COLUMNS.slice(USER_COLUMNS.indexOf('verified') + 1);

/** A select of one sighting: the values of some columns, and null for the others. */
const select = (
  columns: readonly string[],
  head: string,
  valueOf: (column: string) => string | undefined,
  from: string,
) => `select null, ${head}, ${columns.map((column) => valueOf(column) ?? 'null').join(', ')} from ${from}`;

const among = (columns: readonly string[], value: (column: string) => string) => (column: string) =>
  columns.includes(column) ? value(column) : undefined;

/** The value of a column, unless it is older than its group. */
const current = (table: 'user' | 'tweet') => (column: string) =>
  `case when r.has_stale_columns = 1 and exists (select 1 from _${table}_stale_columns b
    where b.${table}_id = r.id and b.column_name = '${column === 'author_rest_id' ? 'author_id' : column}') then null
    else ${column === 'author_rest_id' ? 'a.rest_id' : `r.${column}`} end`;

const USERS = `(select users.*, s.last_seen_at, coalesce(s.last_summary_at, 0) as summary_at, coalesce(profile_at, 0) as full_at
  from users left join _user_last_seen s on s.user_id = users.id) r`;
/** A detail level that does not change when a user was last seen in a summary or a profile. */
const levelAt = (at: string): string =>
  `case when ${at} = 0 then 'reference' when ${at} <= r.summary_at then 'summary' when ${at} <= r.full_at then 'profile' else 'reference' end`;
const user = (head: string, valueOf: (column: string) => string | undefined, where: string, join = ''): string =>
  select(USER_COLUMNS, head, valueOf, `${USERS} ${join} where ${where}`);
const currentUser = current('user');

export const USERS_AS_SIGHTINGS = [
  user("r.first_seen_at, r.rest_id, 'reference'", () => undefined, 'true'),
  user("r.last_seen_at, r.rest_id, 'reference'", among(USER_NAMES, currentUser), 'r.last_seen_at is not null'),
  user(
    "r.summary_at, r.rest_id, 'summary'",
    (column) =>
      column === 'verified'
        ? currentUser(column)
        : among(USER_SUMMARY, (name) => `case when r.summary_at >= r.full_at then ${currentUser(name)} end`)(column),
    'r.summary_at > 0',
  ),
  user(
    "r.full_at, r.rest_id, 'profile'",
    (column) =>
      among(USER_PROFILE, currentUser)(column) ??
      among(USER_SUMMARY, (name) => `case when r.full_at > r.summary_at then ${currentUser(name)} end`)(column),
    'r.full_at > 0',
  ),
  user(
    `case when b.last_seen_at = 0 then r.first_seen_at else b.last_seen_at end, r.rest_id, ${levelAt('b.last_seen_at')}`,
    (column) => `case when b.column_name = '${column}' then r.${column} end`,
    'true',
    'join _user_stale_columns b on b.user_id = r.id',
  ),
  user(
    `h.last_seen_at, r.rest_id, ${levelAt('h.last_seen_at')}`,
    (column) => `h.${column}`,
    'true',
    'join user_history h on h.user_id = r.id',
  ),
].join('\nunion all ');

const TWEET_COLUMNS = Object.keys(FACT_TABLES.tweet_sightings.columns).slice(2);
const CONTENT = [
  'author_rest_id',
  'text',
  'created_at',
  'favorite_count',
  'retweet_count',
  'reply_count',
  'quote_count',
];
const REPLY = ['in_reply_to_status_rest_id', 'in_reply_to_user_rest_id', 'in_reply_to_screen_name'];
const OBSERVED = [...CONTENT, 'has_media', ...REPLY];
const PARTS: Readonly<Record<string, string>> = {
  seen_in_lists: 'r.seen_in_lists',
  media: `(select json_group_array(json_object('type', m.type, 'url', m.url, 'width', m.width, 'height', m.height))
    from (select * from media where tweet_id = r.id order by position) m having count(*) > 0)`,
  ...Object.fromEntries(
    Object.entries(ENTITIES).map(([name, [table, column]]) => [
      name,
      `(select json_group_array(${column}) from ${table} where tweet_id = r.id having count(*) > 0)`,
    ]),
  ),
};
const tweet = (at: string, valueOf: (column: string) => string | undefined, where: string, join = ''): string =>
  select(
    TWEET_COLUMNS,
    `${at}, r.rest_id`,
    valueOf,
    `tweets r left join users a on a.id = r.author_id ${join} where ${where}`,
  );
const currentTweet = current('tweet');

export const TWEETS_AS_SIGHTINGS = [
  tweet('r.first_seen_at', () => undefined, 'r.first_seen_at < r.last_seen_at'),
  tweet('r.last_seen_at', (column) => among(CONTENT, currentTweet)(column) ?? PARTS[column], 'true'),
  tweet('r.has_media_seen_at', among(['has_media'], currentTweet), 'r.has_media_seen_at is not null'),
  tweet('r.in_reply_to_seen_at', among(REPLY, currentTweet), 'r.in_reply_to_seen_at is not null'),
  tweet(
    'b.last_seen_at',
    among(OBSERVED, (column) => {
      const name = column === 'author_rest_id' ? 'author_id' : column;
      return `case when b.column_name = '${name}' then ${column === 'author_rest_id' ? 'a.rest_id' : `r.${column}`} end`;
    }),
    'true',
    'join _tweet_stale_columns b on b.tweet_id = r.id',
  ),
  tweet(
    'h.last_seen_at',
    among(OBSERVED, (column) => (column === 'author_rest_id' ? 'o.rest_id' : `h.${column}`)),
    'true',
    'join tweet_history h on h.tweet_id = r.id left join users o on o.id = h.author_id',
  ),
].join('\nunion all ');
