import type { Db } from '../../store/sqlite/database.ts';

/** An unusual form of cursors of an endpoint, by its name in `_drift`. */
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
      `select endpoint, field, occurrences as pages, last_seen_at as lastSeen, coalesce(sample, '') as sample from _drift d
       where field like 'cursor (%'
         and last_seen_at >= (select unixepoch(max(day)) * 1000 from _field_statistics n where n.endpoint = d.endpoint)
       order by endpoint, field`,
    )
    .all();
