import type { Db } from '../../store/sqlite/database.ts';

/** A field or form that the interface specification does not have, as an endpoint sent it. */
export interface DriftedField {
  readonly endpoint: string;
  readonly field: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The number of pages with it. */
  readonly pages: number;
  readonly sample: string | null;
}

/** Everything that endpoints sent beside the specification, seen last first. */
export const readDrift = ({ $client }: Db): DriftedField[] =>
  $client
    .prepare<[], DriftedField>(
      `select endpoint, field, first_seen_at as firstAt, last_seen_at as lastAt, occurrences as pages, sample
       from _drift order by last_seen_at desc, endpoint, field`,
    )
    .all();

/** A number of pages on a day (UTC). */
export interface DriftDay {
  readonly day: string;
  /** A page counts once for each field. */
  readonly pages: number;
}

/** The drift of each day with one, oldest first. */
export const countDriftByDay = ({ $client }: Db): DriftDay[] =>
  $client
    .prepare<[], DriftDay>(
      'select day, sum(filled_count) as pages from _field_statistics where is_drift group by day order by day',
    )
    .all();
