import {
  type ExportColumn,
  type ExportTable,
  integerColumn,
  ofTweets,
  textColumn,
  timeColumn,
} from './table-definition.ts';

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
