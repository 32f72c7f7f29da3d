import {
  type ExportColumn,
  type ExportTable,
  flagColumn,
  integerColumn,
  ofTweets,
  realColumn,
  textColumn,
  timeColumn,
} from './table-definition.ts';

/** The author and the text of a tweet with an alias. */
const postColumns = (alias: string): ExportColumn[] => [
  textColumn(`${alias}.rest_id`, "The service's id."),
  textColumn('a.rest_id', 'The id of the author; null if unknown.', 'author_rest_id'),
  textColumn('a.screen_name', 'The handle of the author.', 'author'),
  textColumn(`${alias}.text`, 'The text.'),
  timeColumn(`${alias}.created_at`, 'When it was written.'),
];

export const tweetsTable: ExportTable = {
  name: 'tweets',
  title: 'Tweets and replies',
  columns: [
    ...postColumns('t'),
    integerColumn('t.favorite_count', 'Likes, when last seen.'),
    integerColumn('t.retweet_count', 'Retweets, when last seen.'),
    integerColumn('t.reply_count', 'The reported number of replies.'),
    integerColumn('t.quote_count', 'Quotes, when last seen.'),
    flagColumn('t.has_media', 'Whether the service reports media.'),
    flagColumn(
      `case
    when coalesce(t.in_reply_to_status_rest_id, t.in_reply_to_user_rest_id, t.in_reply_to_screen_name) is not null then 1
    when exists (select 1 from tweet_replies n where n.reply_id = t.id) then 1
    when t.seen_in_lists <> 0 then 0
  end`,
      'Whether it is a reply; null if unknown: only a search, a community, a list or tweet-detail showed it.',
      'is_reply',
    ),
    textColumn(
      't.in_reply_to_status_rest_id',
      'The id of the tweet that it replies to. `replies` also has what tweet-detail showed.',
    ),
    textColumn('t.in_reply_to_user_rest_id', 'The id of the account that it replies to.'),
    textColumn('t.in_reply_to_screen_name', 'The handle of the account that it replies to, as shown with the reply.'),
    timeColumn('t.first_seen_at', 'When it was first seen.'),
    timeColumn('t.last_seen_at', 'When it was last seen.'),
    textColumn(
      `case when d.suspected_at > t.last_seen_at then case when d.confirmed_at is null then 'suspected' else 'deleted' end end`,
      '`suspected` if the list of its author lacks it, `deleted` if the service reports it as deleted. Null otherwise.',
      'deletion_state',
    ),
  ],
  from: `tweets t
  left join users a on a.id = t.author_id
  left join _deletion_evidence d on d.tweet_id = t.id`,
  orderBy: 't.id',
  key: ['t.id'],
  sampleKey: 't.rest_id',
  ...ofTweets('t.id'),
};

/**
 * Replies as `v_replies` has them, in one scan: the parent by `in_reply_to_*`, or by its position in tweet-detail (`n`)
 * where the reply names no tweet. A parent whose author has no known handle is described by the fields of the reply.
 */
export const repliesTable: ExportTable = {
  name: 'replies',
  title: 'Replies, with the tweets that they reply to',
  columns: [
    ...postColumns('r'),
    textColumn(
      'coalesce(r.in_reply_to_status_rest_id, p.rest_id)',
      'The id of the parent tweet, stored or not; null if unknown.',
      'parent_rest_id',
    ),
    textColumn(
      'case when n.tweet_id is not null or pa.screen_name is not null then pa.rest_id else r.in_reply_to_user_rest_id end',
      'The id of its author, stored or not; null if unknown.',
      'parent_author_rest_id',
    ),
    textColumn(
      `case when n.tweet_id is not null or pa.screen_name is not null then pa.screen_name
    else coalesce(u.screen_name, r.in_reply_to_screen_name) end`,
      'The handle of its author: the current one if the account is stored, else the one shown with the reply.',
      'parent_author',
    ),
    timeColumn('p.created_at', 'When the parent tweet was written; null if it is not stored.', 'parent_created_at'),
    realColumn(
      '(r.created_at - p.created_at) / 1000.0',
      'The time from the parent tweet to the reply; null if the parent tweet is not stored.',
      'latency_seconds',
    ),
  ],
  from: `tweets r
  left join tweet_replies n on r.in_reply_to_status_rest_id is null and n.reply_id = r.id
  left join tweets p on p.id = coalesce(n.tweet_id, (select q.id from tweets q where q.rest_id = r.in_reply_to_status_rest_id))
  left join users pa on pa.id = p.author_id
  left join users u on u.rest_id = r.in_reply_to_user_rest_id
  left join users a on a.id = r.author_id`,
  condition: `(r.in_reply_to_status_rest_id is not null or r.in_reply_to_user_rest_id is not null
    or r.in_reply_to_screen_name is not null or n.tweet_id is not null)`,
  orderBy: 'r.id, n.tweet_id',
  key: ['r.id', 'coalesce(n.tweet_id, 0)'],
  sampleKey: `r.rest_id || ' ' || coalesce(r.in_reply_to_status_rest_id, p.rest_id, '')`,
  ...ofTweets('r.id', 'r'),
};

/** What differs between the tables of the parts of tweets. */
interface TweetPart {
  readonly name: string;
  readonly title: string;
  /** The table, with the alias `x`. */
  readonly table: string;
  /** The column that identifies a part within its tweet. */
  readonly part: string;
  readonly columns: readonly ExportColumn[];
  /** Joins after those of the tweet and its author. */
  readonly joins?: string;
}

const tweetPartTable = ({ name, title, table, part, columns, joins = '' }: TweetPart): ExportTable => ({
  name,
  title,
  columns: [
    textColumn('t.rest_id', 'The id of the tweet.', 'tweet_rest_id'),
    textColumn('a.rest_id', 'The id of its author; null if unknown.', 'author_rest_id'),
    textColumn('a.screen_name', 'The handle of its author.', 'author'),
    timeColumn('t.created_at', 'When the tweet was written.'),
    ...columns,
  ],
  from: `${table} x
  cross join tweets t on t.id = x.tweet_id
  left join users a on a.id = t.author_id${joins}`,
  orderBy: `x.tweet_id, x.${part}`,
  key: ['x.tweet_id', `x.${part}`],
  sampleKey: `t.rest_id || ' ' || x.${part}`,
  ...ofTweets('x.tweet_id'),
});

export const mentionsTable = tweetPartTable({
  name: 'mentions',
  title: 'Mentions in tweets',
  table: 'tweet_mentions',
  part: 'screen_name',
  columns: [
    textColumn('x.screen_name', 'The handle as written, in lower case and without `@`.', 'mentioned'),
    textColumn(
      'm.rest_id',
      'The id of the stored account that was last seen with the handle; null if there is none.',
      'mentioned_rest_id',
    ),
  ],
  joins: `
  left join users m on m.id = (
    select o.id from users o left join _user_last_seen s on s.user_id = o.id
    where o.screen_name = x.screen_name collate nocase
    order by s.last_seen_at desc, o.id desc limit 1
  )`,
});

export const hashtagsTable = tweetPartTable({
  name: 'hashtags',
  title: 'Hashtags in tweets',
  table: 'tweet_hashtags',
  part: 'tag',
  columns: [textColumn('x.tag', 'The hashtag in lower case, without `#`.')],
});

export const linksTable = tweetPartTable({
  name: 'links',
  title: 'Links in tweets',
  table: 'tweet_links',
  part: 'url',
  columns: [textColumn('x.url', 'The address.')],
});

export const mediaTable = tweetPartTable({
  name: 'media',
  title: 'Photos and other media of tweets',
  table: 'media',
  part: 'position',
  columns: [
    integerColumn('x.position', 'The position in the tweet, from 0.'),
    textColumn('x.type', 'The type as the service names it.'),
    textColumn('x.url', 'The address of the file.'),
    integerColumn('x.width', 'In pixels.'),
    integerColumn('x.height', 'In pixels.'),
  ],
});
