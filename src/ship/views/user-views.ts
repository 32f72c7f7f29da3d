import { FACT_TABLES, type FactType } from '../facts/fact-tables.ts';
import type { Dialect } from './dialect.ts';
import type { Views } from './views.ts';

/** The observed columns of an account, with their types. */
export const USER_FIELDS = Object.entries(FACT_TABLES.user_sightings.columns).slice(3) as [string, FactType][];

/** Returns a value as a view shows it: flags are 0 and 1, times are texts. @param value of the type; times in milliseconds */
export const showValue = ({ isoTime }: Dialect, type: FactType, value: string): string => {
  if (type === 'boolean') return `cast(${value} as integer)`;
  return type === 'timestamp' ? isoTime(value) : value;
};

/** Returns the views of accounts: each column has its latest value, of two at one time the greater one (decision 15). */
export function createUserViews(dialect: Dialect): Views {
  const { milliseconds, isoTime, latest } = dialect;
  const seen = milliseconds('seen_at');
  // A picture that a reference shows counts only if no other one is known.
  const timeOf = (field: string): string =>
    field === 'profile_image_url' ? `case detail_level when 'reference' then 0 else ${seen} end` : seen;
  const values = USER_FIELDS.map(([field, type]) => {
    const value = type === 'timestamp' ? milliseconds(field) : field;
    return `${showValue(dialect, type, latest(value, type, timeOf(field)))} as ${field}`;
  });
  return {
    v_users: `select rest_id,
    ${values.join(',\n    ')},
    case max(case detail_level when 'profile' then 2 when 'summary' then 1 else 0 end)
      when 2 then 'profile' when 1 then 'summary' else 'reference' end as known_by,
    ${isoTime(`min(${seen})`)} as first_seen_at, ${isoTime(`max(${seen})`)} as last_seen_at,
    ${isoTime(`max(case detail_level when 'summary' then ${seen} end)`)} as last_summary_at,
    ${isoTime(`max(case detail_level when 'profile' then ${seen} end)`)} as profile_at
  from user_sightings group by rest_id`,
  };
}
