import type { Db } from '../store/database.ts';

/** A field that the service sends in a form that nobody can read. */
export interface UnreadableField {
  readonly endpoint: string;
  readonly field: string;
  readonly lastSeen: number;
  readonly sample: string;
}

/** Fields of the specification whose values could not be read on the newest day of their endpoint. */
export const unreadableFields = ({ $client }: Db): UnreadableField[] =>
  $client
    .prepare<[], UnreadableField>(
      `select endpoint, field, last_seen as lastSeen, coalesce(sample, '') as sample from drift d
       where exists (select 1 from fields_by_day k where k.endpoint = d.endpoint and not k.is_drift
           and substr(k.field, instr(k.field, '.')) = substr(d.field, instr(d.field, '.')))
         and last_seen >= (select max(day) from fields_by_day n where n.endpoint = d.endpoint)
       order by endpoint, field`,
    )
    .all();
