import type { Db } from '#store/sqlite/database.ts';

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
