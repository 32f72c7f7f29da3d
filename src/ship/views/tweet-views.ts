import { FACT_TABLES, type FactType } from '../facts/fact-tables.ts';
import type { Dialect } from './dialect.ts';
import { showValue } from './user-views.ts';
import type { Views } from './views.ts';

const COLUMNS = Object.entries(FACT_TABLES.tweet_sightings.columns) as [string, FactType][];
/** The observed columns of a tweet, with their types. */
export const TWEET_FIELDS = COLUMNS.slice(
  2,
  COLUMNS.findIndex(([name]) => name === 'seen_in_lists'),
);

/** Returns columns of a table with their names: ClickHouse names a column of a join `t.rest_id`. */
export const nameColumns = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column} as ${column}`).join(', ');

/** Returns the views of tweets, of their replies, and of those that are gone. */
export function createTweetViews(dialect: Dialect): Views {
  const { milliseconds, isoTime, latest, jsonLength } = dialect;
  const seen = milliseconds('seen_at');
  const values = TWEET_FIELDS.map(([field, type]) => {
    const value = latest(type === 'timestamp' ? milliseconds(field) : field, type, seen);
    return type === 'timestamp'
      ? `${value} as ${field.replace(/_at$/, '_ms')}`
      : `${showValue(dialect, type, value)} as ${field}`;
  });
  const has = (flag: number): string => `max(case when seen_in_lists in (${flag}, 3) then ${flag} else 0 end)`;
  return {
    _tweets: `select rest_id,
    ${values.join(',\n    ')},
    ${has(1)} + ${has(2)} as seen_in_lists, coalesce(max(${jsonLength('media')}), 0) as media_count,
    min(${seen}) as first_seen, max(${seen}) as last_seen
  from tweet_sightings group by rest_id`,
    ...createDeletionViews(dialect),
    v_tweets: `select ${nameColumns('t', ['rest_id', 'author_rest_id'])}, u.screen_name as author, t.text as text, ${isoTime('t.created_ms')} as created_at,
    ${nameColumns('t', ['created_ms', 'favorite_count', 'retweet_count', 'reply_count', 'quote_count'])},
    case when coalesce(t.favorite_count, t.retweet_count, t.reply_count, t.quote_count) is not null then
      coalesce(t.favorite_count, 0) + coalesce(t.retweet_count, 0) + coalesce(t.reply_count, 0) + coalesce(t.quote_count, 0)
    end as engagement,
    ${nameColumns('t', ['has_media', 'media_count'])},
    case
      when coalesce(t.in_reply_to_status_rest_id, t.in_reply_to_user_rest_id, t.in_reply_to_screen_name) is not null then 1
      when r.reply_rest_id is not null then 1
      when t.seen_in_lists <> 0 then 0 end as is_reply,
    ${nameColumns('t', ['in_reply_to_status_rest_id', 'in_reply_to_user_rest_id', 'in_reply_to_screen_name'])},
    ${isoTime('t.first_seen')} as first_seen_at, ${isoTime('t.last_seen')} as last_seen_at,
    case when d.confirmed is not null then 'deleted' when d.suspected is not null then 'suspected' end as deletion_state
  from _tweets t
  left join (select distinct reply_rest_id from reply_sightings) r on r.reply_rest_id = t.rest_id
  left join _tweet_deletions d on d.rest_id = t.rest_id
  left join v_users u on u.rest_id = t.author_rest_id`,
    v_deleted_tweets: `select ${nameColumns('t', ['rest_id', 'author_rest_id'])}, u.screen_name as author, t.text as text, ${isoTime('t.created_ms')} as created_at,
    case when d.confirmed is not null then 'deleted' else 'suspected' end as state, ${isoTime('t.last_seen')} as last_seen_at,
    ${isoTime('d.suspected')} as suspected_at, ${isoTime('d.confirmed')} as confirmed_at
  from _tweet_deletions d join _tweets t on t.rest_id = d.rest_id
  left join v_users u on u.rest_id = t.author_rest_id`,
    v_replies: createReplies(dialect),
  };
}

/** Evidence of a deletion is later than all sightings of the tweet (invariant 7). */
function createDeletionViews({ milliseconds }: Dialect): Views {
  return {
    _tweet_deletions: `select rest_id, min(noticed) as suspected, min(confirmed) as confirmed
  from (
    select t.rest_id as rest_id, ${milliseconds('d.noticed_at')} as noticed, case when d.is_confirmed then ${milliseconds('d.noticed_at')} end as confirmed
    from deletion_evidence d join _tweets t on t.rest_id = d.tweet_rest_id
    where ${milliseconds('d.noticed_at')} > t.last_seen
    union all
    select t.rest_id, ${milliseconds('l.reread_at')}, null
    from list_rereads l join _tweets t on t.author_rest_id = l.author_rest_id
    where ${milliseconds('l.started_at')} > t.last_seen and t.created_ms > ${milliseconds('l.after_at')} and t.created_ms < ${milliseconds('l.before_at')}
      and t.seen_in_lists in (case l.kind when 'timeline' then 1 else 2 end, 3)
  ) d
  group by rest_id`,
  };
}

/** Replies by their own columns, and replies without them by the tweets below which they were shown. */
function createReplies({ isoTime }: Dialect): string {
  const select = (
    parent: string,
    author: string,
    handle: string,
  ): string => `select ${nameColumns('r', ['rest_id', 'author_rest_id'])}, a.screen_name as author, r.text as text, ${isoTime('r.created_ms')} as created_at,
    ${parent} as parent_rest_id, ${author} as parent_author_rest_id, ${handle} as parent_author, p.text as parent_text,
    ${isoTime('p.created_ms')} as parent_created_at, (r.created_ms - p.created_ms) / 1000.0 as latency_seconds`;
  return `${select(
    'r.in_reply_to_status_rest_id',
    'case when pa.screen_name is not null then pa.rest_id else r.in_reply_to_user_rest_id end',
    'coalesce(pa.screen_name, ra.screen_name, r.in_reply_to_screen_name)',
  )}
  from _tweets r
  left join _tweets p on p.rest_id = r.in_reply_to_status_rest_id
  left join v_users pa on pa.rest_id = p.author_rest_id
  left join v_users ra on ra.rest_id = r.in_reply_to_user_rest_id
  left join v_users a on a.rest_id = r.author_rest_id
  left join (select distinct reply_rest_id from reply_sightings) n on n.reply_rest_id = r.rest_id
  where r.in_reply_to_status_rest_id is not null
    or n.reply_rest_id is null and (r.in_reply_to_user_rest_id is not null or r.in_reply_to_screen_name is not null)
  union all
  ${select('p.rest_id', 'p.author_rest_id', 'pa.screen_name')}
  from (select distinct tweet_rest_id, reply_rest_id from reply_sightings) n
  join _tweets r on r.rest_id = n.reply_rest_id
  join _tweets p on p.rest_id = n.tweet_rest_id
  left join v_users a on a.rest_id = r.author_rest_id
  left join v_users pa on pa.rest_id = p.author_rest_id
  where r.in_reply_to_status_rest_id is null`;
}
