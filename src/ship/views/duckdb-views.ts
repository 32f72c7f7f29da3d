import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CACHE_VALIDITY } from '../../store/evidence/edge-periods.ts';
import {
  COMMON_COLUMNS,
  FACT_TABLE_NAMES,
  FACT_TABLES,
  type FactTableName,
  type FactType,
} from '../facts/fact-tables.ts';

/** The types of DuckDB. */
const TYPES: Readonly<Record<FactType, string>> = {
  ...{ text: 'varchar', integer: 'bigint', boolean: 'boolean', timestamp: 'timestamptz' },
};

/** The columns of facts that are ids of accounts: facts of forgotten accounts are hidden. */
const ACCOUNTS: Partial<Readonly<Record<FactTableName, readonly string[]>>> = {
  user_sightings: ['rest_id'],
  tweet_sightings: ['author_rest_id'],
  edge_sightings: ['owner_rest_id', 'member_rest_id'],
  list_snapshots: ['owner_rest_id'],
  crawls: ['target_rest_id'],
};

/**
 * Returns statements of DuckDB that create a view of each fact table of a lake, without the facts of forgotten accounts, and
 * views that derive from them what the views of a store of the same name show (decisions 13, 15 and 62).
 */
export const createDuckDbViews = (lake: string): string =>
  [
    // Erasures come first: they hide facts of all other tables.
    ...['erasures' as const, ...FACT_TABLE_NAMES.filter((table) => table !== 'erasures')].map((table) =>
      createFactView(lake, table),
    ),
    `create or replace macro iso_time(ms) as strftime(make_timestamp(ms * 1000), '%Y-%m-%dT%H:%M:%S.%gZ')`,
    USERS,
    TWEETS,
    FOLLOW_PERIODS,
    CURRENT_FOLLOWS,
  ]
    .map((statement) => `${statement};\n`)
    .join('\n');

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function createFactView(lake: string, table: FactTableName): string {
  const columns = Object.entries({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
  const folder = join(resolve(lake), table);
  // Without a file, a table has no facts.
  if (!existsSync(folder)) {
    const empty = columns.map(([name, type]) => `null::${TYPES[type]} as ${name}`);
    return `create or replace view ${table} as select ${empty.join(', ')} where false`;
  }
  const hidden = (ACCOUNTS[table] ?? []).map(
    (column) => `not exists (select 1 from erasures e where e.hash = sha256(e.key || 'account:' || f.${column}))`,
  );
  const where = hidden.length > 0 ? ` where ${hidden.join(' and ')}` : '';
  const names = columns.map(([name]) => name).join(', ');
  return `create or replace view ${table} as
  select ${names} from read_parquet(${quote(join(folder, '*', '*.parquet'))}, union_by_name = true) f${where}`;
}

/** The latest value that a response showed; of two at one time, the greater one. */
const latest = (column: string, type: FactType, time = 'epoch_ms(seen_at)'): string => {
  const value = `(max({t: ${time}, v: ${column}}) filter (where ${column} is not null)).v`;
  if (type === 'boolean') return `${value}::integer`;
  return type === 'timestamp' ? `iso_time(epoch_ms(${value}))` : value;
};

const columnsOf = (table: FactTableName, from: string, to: string): string => {
  const columns = Object.entries(FACT_TABLES[table].columns);
  const names = columns.map(([name]) => name);
  return columns
    .slice(names.indexOf(from), names.indexOf(to) + 1)
    .map(([name, type]) => {
      // A picture that a reference shows counts only if no other one is known.
      const time =
        name === 'profile_image_url'
          ? "case detail_level when 'reference' then 0 else epoch_ms(seen_at) end"
          : undefined;
      return `${latest(name, type, time)} as ${name}`;
    })
    .join(',\n    ');
};

const USERS = `create or replace view v_users as
  select rest_id,
    ${columnsOf('user_sightings', 'screen_name', 'created_at')},
    case max(case detail_level when 'profile' then 2 when 'summary' then 1 else 0 end)
      when 2 then 'profile' when 1 then 'summary' else 'reference' end as known_by,
    iso_time(epoch_ms(min(seen_at))) as first_seen_at, iso_time(epoch_ms(max(seen_at))) as last_seen_at,
    iso_time(epoch_ms(max(seen_at) filter (where detail_level = 'summary'))) as last_summary_at,
    iso_time(epoch_ms(max(seen_at) filter (where detail_level = 'profile'))) as profile_at
  from user_sightings group by rest_id`;

const TWEETS = `create or replace view v_tweets as
  with seen as (
    select rest_id,
      ${columnsOf('tweet_sightings', 'author_rest_id', 'in_reply_to_screen_name')},
      bit_or(coalesce(seen_in_lists, 0)) as lists, min(seen_at) as first_seen, max(seen_at) as last_seen
    from tweet_sightings group by rest_id
  ), gone as (
    select s.rest_id, bool_or(d.is_confirmed) as is_confirmed
    from deletion_evidence d join seen s on s.rest_id = d.tweet_rest_id and d.noticed_at > s.last_seen group by all
  )
  select s.* exclude (lists, first_seen, last_seen), u.screen_name as author,
    case when coalesce(favorite_count, retweet_count, reply_count, quote_count) is not null then
      coalesce(favorite_count, 0) + coalesce(retweet_count, 0) + coalesce(reply_count, 0) + coalesce(quote_count, 0) end as engagement,
    case
      when coalesce(in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name) is not null then 1
      when s.rest_id in (select reply_rest_id from reply_sightings) then 1
      when lists <> 0 then 0 end as is_reply,
    iso_time(epoch_ms(first_seen)) as first_seen_at, iso_time(epoch_ms(last_seen)) as last_seen_at,
    case when g.is_confirmed then 'deleted' when g.rest_id is not null then 'suspected' end as deletion_state
  from seen s left join gone g on g.rest_id = s.rest_id left join v_users u on u.rest_id = s.author_rest_id`;

/**
 * The periods of edges, in milliseconds: between two sightings an edge ended if two complete lists, one after the other, lack it.
 * The rule is that of store/evidence/edge-periods.ts.
 */
const FOLLOW_PERIODS = `create or replace view follow_periods as
  with points as (
    select case side when 'followers' then member_rest_id else owner_rest_id end as follower_rest_id,
      case side when 'followers' then owner_rest_id else member_rest_id end as followee_rest_id,
      epoch_ms(seen_at) as seen, max(epoch_ms(coalesce(seen_until_at, seen_at))) as until,
      max(case side when 'followers' then 0 else 1 end) as seen_in
    from edge_sightings group by 1, 2, 3
  ), stretches as (
    select *, max(until) over (partition by follower_rest_id, followee_rest_id order by seen) as last_seen,
      lead(seen) over (partition by follower_rest_id, followee_rest_id order by seen) as next_seen
    from points
  ), lists as (
    select distinct side, owner_rest_id, epoch_ms(started_at) as started, epoch_ms(finished_at) as finished, body_digest
    from list_snapshots
  ), lacking as (
    select s.follower_rest_id, s.followee_rest_id, s.seen, l.*
    from stretches s join lists l on l.finished < coalesce(s.next_seen, 9e15::bigint)
      and case l.side when 'followers' then l.owner_rest_id = s.followee_rest_id and l.started > s.last_seen
        else l.owner_rest_id = s.follower_rest_id and l.started > s.last_seen + case s.seen_in when 0 then ${CACHE_VALIDITY} else 0 end end
  ), missed as (
    select follower_rest_id, followee_rest_id, seen, min(finished) as first_missed from lacking group by all
  ), ended as (
    select distinct m.follower_rest_id, m.followee_rest_id, m.seen
    from missed m join lacking l on l.follower_rest_id = m.follower_rest_id and l.followee_rest_id = m.followee_rest_id
      and l.seen = m.seen and l.started > m.first_missed
    where not exists (
      select 1 from lists c where c.side = 'following' and l.side = 'following' and c.owner_rest_id = l.owner_rest_id
        and c.finished = m.first_missed and c.started > l.started - ${CACHE_VALIDITY}
        and coalesce(c.body_digest = l.body_digest, true))
  ), marked as (
    select s.*, m.first_missed, e.seen is not null as has_ended,
      coalesce(sum(case when e.seen is not null then 1 else 0 end) over (
        partition by s.follower_rest_id, s.followee_rest_id order by s.seen rows between unbounded preceding and 1 preceding), 0) as period
    from stretches s
    left join missed m on m.follower_rest_id = s.follower_rest_id and m.followee_rest_id = s.followee_rest_id and m.seen = s.seen
    left join ended e on e.follower_rest_id = s.follower_rest_id and e.followee_rest_id = s.followee_rest_id and e.seen = s.seen
  )
  select follower_rest_id, followee_rest_id, min(seen) as first_seen_ms, max(last_seen) as last_seen_ms,
    arg_max(first_missed, seen) filter (where has_ended or next_seen is null) as first_missed_ms,
    arg_max(first_missed, seen) filter (where has_ended) as ended_ms,
    arg_max(seen_in, seen) as last_seen_in, bool_or(next_seen is null) as is_latest
  from marked group by follower_rest_id, followee_rest_id, period`;

const CURRENT_FOLLOWS = `create or replace view v_current_follows as
  select p.follower_rest_id, r.screen_name as follower, p.followee_rest_id, e.screen_name as followee,
    iso_time(first_seen_ms) as first_seen_at, iso_time(last_seen_ms) as last_seen_at, iso_time(first_missed_ms) as first_missed_at
  from follow_periods p left join v_users r on r.rest_id = p.follower_rest_id left join v_users e on e.rest_id = p.followee_rest_id
  where is_latest and ended_ms is null`;
