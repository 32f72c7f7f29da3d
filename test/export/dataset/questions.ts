/** A saved query, and a statement over the tables of a dataset with the same answer in any engine. */
interface Question {
  readonly query: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The columns of the query that the statement returns. */
  readonly columns: readonly string[];
  /** It returns the rows in the same order. */
  readonly sql: string;
}

const account = 'HarbourNews';
const idOf = (handle: string): string => `(select rest_id from users where screen_name = '${handle}')`;
const ID = idOf(account);
const followersOf = (handle: string): string =>
  `select follower_rest_id as id from follows where followee_rest_id = ${idOf(handle)} and ended_at is null`;
const percent = (part: string, whole: string): string => `round(100.0 * ${part} / nullif(${whole}, 0), 1)`;

export const QUESTIONS: readonly Question[] = [
  {
    query: 'top-followers',
    values: { account },
    columns: ['follower', 'name', 'followers', 'follower_rest_id'],
    sql: `select u.screen_name as follower, u.name, u.followers_count as followers, f.follower_rest_id
      from follows f join users u on u.rest_id = f.follower_rest_id
      where f.followee_rest_id = ${ID} and f.ended_at is null
      order by u.followers_count desc nulls last, u.rest_id limit 10`,
  },
  {
    query: 'mutual-follows',
    values: { account },
    columns: ['friend', 'followers', 'friend_rest_id'],
    sql: `select f.followee as friend, u.followers_count as followers, f.followee_rest_id as friend_rest_id
      from follows f join follows b on b.follower_rest_id = f.followee_rest_id and b.followee_rest_id = f.follower_rest_id
      join users u on u.rest_id = f.followee_rest_id
      where f.follower_rest_id = ${ID} and f.ended_at is null and b.ended_at is null
      order by lower(f.followee), f.followee_rest_id`,
  },
  {
    query: 'audience-overlap',
    values: { account, other: 'nightsky_now' },
    columns: [
      'followers',
      'followers_of_other',
      'followers_of_both',
      'percent_of_all',
      'percent_of_followers',
      'percent_of_followers_of_other',
    ],
    sql: `with a as (${followersOf(account)}), b as (${followersOf('nightsky_now')}), n as (
        select (select count(*) from a) as followers, (select count(*) from b) as followers_of_other,
          (select count(*) from a join b on a.id = b.id) as followers_of_both
      )
      select followers, followers_of_other, followers_of_both,
        ${percent('followers_of_both', 'followers + followers_of_other - followers_of_both')} as percent_of_all,
        ${percent('followers_of_both', 'followers')} as percent_of_followers,
        ${percent('followers_of_both', 'followers_of_other')} as percent_of_followers_of_other from n`,
  },
  {
    query: 'top-tweets',
    values: { account },
    columns: ['likes', 'retweets', 'replies', 'quotes', 'text', 'rest_id', 'deletion_state'],
    sql: `select favorite_count as likes, retweet_count as retweets, reply_count as replies, quote_count as quotes, text, rest_id,
        deletion_state
      from tweets where author_rest_id = ${ID} and favorite_count is not null
      order by favorite_count desc, created_at desc, rest_id limit 10`,
  },
  {
    query: 'originals-and-replies',
    values: { limit: 20 },
    columns: ['author', 'originals', 'replies', 'not_known', 'author_rest_id'],
    sql: `select author, count(case when not is_reply then 1 end) as originals, count(case when is_reply then 1 end) as replies,
        count(case when is_reply is null then 1 end) as not_known, author_rest_id
      from tweets where author_rest_id is not null
      group by author, author_rest_id order by count(*) desc, author_rest_id limit 20`,
  },
  {
    query: 'mentioned-accounts',
    values: { account },
    columns: ['mentioned', 'mentioned_rest_id', 'tweets'],
    sql: `select mentioned, mentioned_rest_id, count(*) as tweets from mentions where author_rest_id = ${ID}
      group by mentioned, mentioned_rest_id order by tweets desc, mentioned limit 10`,
  },
  {
    query: 'who-mentions-an-account',
    values: { account, limit: 20 },
    columns: ['author', 'tweets', 'author_rest_id'],
    sql: `select author, count(*) as tweets, author_rest_id from mentions
      where mentioned = lower('${account}') and author_rest_id is not null
      group by author, author_rest_id order by tweets desc, author_rest_id limit 20`,
  },
  {
    query: 'replied-accounts',
    values: { account },
    columns: ['parent_author', 'replies', 'to_stored_tweets'],
    sql: `select parent_author, count(*) as replies, count(parent_created_at) as to_stored_tweets from replies
      where author_rest_id = ${ID} and parent_author is not null
      group by parent_author order by replies desc, lower(parent_author) limit 10`,
  },
  {
    query: 'most-frequent-repliers',
    values: { account },
    columns: ['author', 'replies', 'fastest_minutes', 'author_rest_id'],
    sql: `select author, count(*) as replies, round(min(latency_seconds) / 60) as fastest_minutes, author_rest_id from replies
      where parent_author_rest_id = ${ID}
      group by author, author_rest_id order by replies desc, fastest_minutes nulls first, author_rest_id limit 10`,
  },
  {
    query: 'cohashtags',
    values: { tag: 'nowplaying' },
    columns: ['other_tag', 'tweets', 'authors', 'percent_of_tweets'],
    sql: `select o.tag as other_tag, count(*) as tweets, count(distinct o.author_rest_id) as authors,
        ${percent('count(*)', "(select count(*) from hashtags where tag = 'nowplaying')")} as percent_of_tweets
      from hashtags h join hashtags o on o.tweet_rest_id = h.tweet_rest_id and o.tag <> h.tag
      where h.tag = 'nowplaying' group by o.tag order by tweets desc, o.tag limit 10`,
  },
];
