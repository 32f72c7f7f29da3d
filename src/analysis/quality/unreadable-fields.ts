import type { Db } from '../../store/sqlite/database.ts';

/** A field that the service sends in an unreadable form. */
export interface UnreadableField {
  readonly endpoint: string;
  readonly field: string;
  readonly lastSeen: number;
  readonly sample: string;
}

/** Fields of the specification whose values could not be read on the newest day of their endpoint. */
export const findUnreadableFields = ({ $client }: Db): UnreadableField[] =>
  $client
    .prepare<[], UnreadableField>(
      `select endpoint, field, max(last_seen_at) as lastSeen, sample from _dropped_fields d
       where last_seen_at >= (select unixepoch(max(day)) * 1000 from _field_statistics n where n.endpoint = d.endpoint)
       group by endpoint, field order by endpoint, field`,
    )
    .all();
