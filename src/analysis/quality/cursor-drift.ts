import type { Db } from '../../store/sqlite/database.ts';

/** An unusual form of cursors of an endpoint, by its name in `drift`. */
export interface CursorDriftRow {
  readonly endpoint: string;
  readonly field: string;
  readonly pages: number;
  readonly lastSeen: number;
  readonly sample: string;
}

/** The unusual forms of cursors on the newest day of each endpoint. */
export const readCursorDrift = ({ $client }: Db): CursorDriftRow[] =>
  $client
    .prepare<[], CursorDriftRow>(
      `select endpoint, field, count as pages, last_seen as lastSeen, coalesce(sample, '') as sample from drift d
       where field like 'cursor (%'
         and last_seen >= (select max(day) from fields_by_day n where n.endpoint = d.endpoint)
       order by endpoint, field`,
    )
    .all();
