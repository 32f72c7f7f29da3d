import type { Db } from '#store/sqlite/database.ts';

/** A field that the service has stopped sending. */
export interface MissingField {
  readonly endpoint: string;
  readonly field: string;
  /** The first day without it, in milliseconds UTC, and the share of items that had it before. */
  readonly since: number;
  readonly was: number;
}

/** The minimum number of inspected items for a day to count. */
const ENOUGH = 20;
/** A field counts as missing when its rate falls from at least HIGH to at most NONE. */
const HIGH = 0.5;
const NONE = 0.02;
/** Days before the endpoint's newest day that are compared. */
const LOOK_BACK_DAYS = 60;

interface DayRow {
  readonly endpoint: string;
  readonly field: string;
  readonly day: string;
  readonly rate: number;
}

/** Whether field statistics exist. */
export const hasFieldStatistics = ({ $client }: Db): boolean =>
  $client.prepare('select 1 from _field_statistics limit 1').get() !== undefined;

/** Fields whose fill rate fell from high to about zero, and is still there on the newest day with enough items. */
export function findMissingFields({ $client }: Db): MissingField[] {
  const rows = $client
    .prepare<[], DayRow>(
      // The newest days are computed once, not for each row.
      `with compared(endpoint, since) as materialized (
         select endpoint, date(max(day), '-${LOOK_BACK_DAYS} days') from _field_statistics group by endpoint)
       select f.endpoint, field, day, 1.0 * filled_count / inspected_count as rate
       from compared cross join _field_statistics f on f.endpoint = compared.endpoint
       where not is_drift and inspected_count >= ${ENOUGH} and day > since
       order by f.endpoint, field, day`,
    )
    .all();
  const byField = new Map<string, DayRow[]>();
  for (const row of rows) {
    const key = `${row.endpoint} ${row.field}`;
    byField.set(key, [...(byField.get(key) ?? []), row]);
  }
  return [...byField.values()].flatMap((days): MissingField[] => {
    const lastHigh = days.findLastIndex(({ rate }) => rate >= HIGH);
    const first = days[lastHigh + 1];
    if (lastHigh < 0 || !first || days.at(-1)!.rate > NONE) return [];
    const gone = days.slice(lastHigh + 1).find(({ rate }) => rate <= NONE) ?? first;
    return [{ endpoint: gone.endpoint, field: gone.field, since: Date.parse(gone.day), was: days[lastHigh]!.rate }];
  });
}
