import type { Db } from '../../store/sqlite/database.ts';

/** A field of an endpoint in a form that the specification does not have. */
export interface UnusualField {
  readonly endpoint: string;
  readonly field: string;
  readonly lastSeen: number;
  readonly sample: string;
}

/** The condition of fields seen on the newest day of their endpoint. */
const IS_CURRENT =
  'last_seen_at >= (select unixepoch(max(day)) * 1000 from _field_statistics n where n.endpoint = d.endpoint)';

/** Fields of the specification whose current values cannot be read. */
export const findUnreadableFields = ({ $client }: Db): UnusualField[] =>
  $client
    .prepare<[], UnusualField>(
      `select endpoint, field, max(last_seen_at) as lastSeen, sample from _dropped_fields d where ${IS_CURRENT}
       group by endpoint, field order by endpoint, field`,
    )
    .all();

/** The current unusual forms of cursors, by their names in `_drift`. */
export const findUnusualCursors = ({ $client }: Db): UnusualField[] =>
  $client
    .prepare<[], UnusualField>(
      `select endpoint, field, last_seen_at as lastSeen, coalesce(sample, '') as sample from _drift d
       where field like 'cursor (%' and ${IS_CURRENT} order by endpoint, field`,
    )
    .all();
