import type { FactTableName, FactType } from '../facts/fact-tables.ts';
import type { Dialect } from './dialect.ts';
import { TWEET_FIELDS } from './tweet-views.ts';
import { USER_FIELDS } from './user-views.ts';
import type { Views } from './views.ts';

type Fields = readonly (readonly [field: string, type: FactType])[];

interface Entity {
  /** The name of its views: `v_<name>_changes`. */
  readonly name: string;
  readonly sightings: FactTableName;
  readonly fields: Fields;
  /** Sightings whose value of a field counts. */
  readonly where: string;
  /** The columns of the view of changes between the id and the field, and where they are from. */
  readonly holder: string;
  readonly from: string;
  /** The view of current rows. */
  readonly current: string;
}

const USER: Entity = {
  name: 'user',
  sightings: 'user_sightings',
  fields: USER_FIELDS,
  current: 'v_users',
  where: " and not (f.field = 'profile_image_url' and s.detail_level = 'reference')",
  holder: 'u.screen_name as screen_name',
  from: 'left join v_users u on u.rest_id = c.rest_id',
};

const TWEET: Entity = {
  name: 'tweet',
  sightings: 'tweet_sightings',
  fields: TWEET_FIELDS,
  current: 'v_tweets',
  where: '',
  holder: 'u.screen_name as author',
  from: 'left join _tweets t on t.rest_id = c.rest_id left join v_users u on u.rest_id = t.author_rest_id',
};

/** Returns the views of earlier values of accounts and tweets. */
export const createHistoryViews = (dialect: Dialect): Views => ({
  ...createEntityViews(dialect, USER),
  ...createEntityViews(dialect, TWEET),
});

function createEntityViews(dialect: Dialect, entity: Entity): Views {
  const { milliseconds, isoTime, bytewise, latest } = dialect;
  const { name, sightings, fields, where, holder, from, current } = entity;
  const texts = fields.map(([field, type]) => `when '${field}' then ${asText(dialect, type, `s.${field}`)}`);
  const numbers = fields.flatMap(([field, type]) =>
    type === 'text' ? [] : `when '${field}' then ${asNumber(dialect, type, `s.${field}`)}`,
  );
  const before = 'over (partition by rest_id, field order by seen rows between 1 preceding and 1 preceding)';
  const versions = fields.map(([field, type]) => {
    const old = latest(`case when c.field = '${field}' then c.old_value end`, 'text', '-c.changed');
    return `coalesce(${fromText(type, old)}, min(l.${field})) as ${field}`;
  });
  return {
    // One row for each value that a sighting shows.
    [`_${name}_values`]: `select rest_id, field, seen, value
  from (
    select v.*, row_number() over (partition by rest_id, field, seen order by number desc, ${bytewise('value')} desc) as place
    from (
      select s.rest_id as rest_id, f.field as field, ${milliseconds('s.seen_at')} as seen,
        case f.field
          ${texts.join('\n          ')} end as value,
        case f.field
          ${numbers.join('\n          ')} end as number
      from ${sightings} s cross join (${fields.map(([field]) => `select '${field}' as field`).join(' union all ')}) f
      where true${where}
    ) v
    where value is not null
  ) v
  where place = 1`,
    [`_${name}_changes`]: `select rest_id, field, old_value, value as new_value, last_seen, seen as changed
  from (
    select v.*, min(value) ${before} as old_value, min(seen) ${before} as last_seen from _${name}_values v
  ) v
  where old_value <> value`,
    [`v_${name}_changes`]: `select c.rest_id as rest_id, ${holder}, c.field as field, c.old_value as old_value, c.new_value as new_value,
    ${isoTime('c.last_seen')} as last_seen_at, ${isoTime('c.changed')} as changed_at
  from _${name}_changes c ${from}`,
    [`_${name}_version_times`]: `select rest_id, valid_from,
    min(valid_from) over (partition by rest_id order by valid_from rows between 1 following and 1 following) as valid_to
  from (
    select rest_id, min(${milliseconds('seen_at')}) as valid_from from ${sightings} group by rest_id
    union distinct select rest_id, changed from _${name}_changes
  ) t`,
    // A value that is known only later counts as that of before.
    [`v_${name}_versions`]: `select t.rest_id as rest_id,
    ${versions.join(',\n    ')},
    ${isoTime('t.valid_from')} as valid_from, ${isoTime('t.valid_to')} as valid_to
  from _${name}_version_times t
  left join _${name}_changes c on c.rest_id = t.rest_id and c.changed > t.valid_from
  left join ${current} l on l.rest_id = t.rest_id
  group by t.rest_id, t.valid_from, t.valid_to`,
  };
}

/** Flags as 0 and 1, and times as views show them. */
const asText = ({ milliseconds, isoTime, types }: Dialect, type: FactType, value: string): string =>
  type === 'text'
    ? value
    : type === 'timestamp'
      ? isoTime(milliseconds(value))
      : `cast(${type === 'boolean' ? `cast(${value} as integer)` : value} as ${types.text})`;

const asNumber = ({ milliseconds }: Dialect, type: FactType, value: string): string =>
  type === 'timestamp' ? milliseconds(value) : type === 'boolean' ? `cast(${value} as integer)` : value;

const fromText = (type: FactType, value: string): string =>
  type === 'integer' || type === 'boolean' ? `cast(${value} as bigint)` : value;
