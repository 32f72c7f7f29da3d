import { isDocumentedField } from '#service/contract/documented-fields.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type FillPeriodName, type FillRates, PERIOD_LENGTH, SHOWN_PERIODS } from './fill-rates.ts';

/** The endpoints with field statistics, the one with the most inspected items on its newest day first. */
export const listInspectedEndpoints = ({ $client }: Db): string[] =>
  $client
    .prepare<[], string>(
      'select endpoint from _field_statistics where not is_drift group by endpoint order by max(day) desc, sum(inspected_count) desc, endpoint',
    )
    .pluck()
    .all();

interface Row {
  readonly field: string;
  readonly period: string;
  readonly inspected: number;
  readonly filled: number;
}

/**
 * How often an endpoint sent each field that the spec gives to it, in the latest periods in which it was called: of the first
 * ten items of each type on a page.
 */
export function readSentFields({ $client }: Db, endpoint: string, by: FillPeriodName): FillRates {
  const rows = $client
    .prepare<[{ endpoint: string; length: number; most: number }], Row>(
      `with latest(period) as (
         select distinct substr(day, 1, @length) from _field_statistics where endpoint = @endpoint and not is_drift
         order by 1 desc limit @most)
       select field, substr(day, 1, @length) as period, sum(inspected_count) as inspected, sum(filled_count) as filled
       from _field_statistics where endpoint = @endpoint and not is_drift and substr(day, 1, @length) in latest
       group by field, period order by field, period`,
    )
    .all({ endpoint, length: PERIOD_LENGTH[by], most: SHOWN_PERIODS[by] })
    // Tweets of all endpoints are inspected for the same fields.
    .filter(({ field }) => isDocumentedField(endpoint, field));
  const items = new Map<string, number>();
  const counts = new Map<string, Map<string, number>>();
  for (const { field, period, inspected, filled } of rows) {
    items.set(period, Math.max(items.get(period) ?? 0, inspected));
    const rates = counts.get(field) ?? new Map<string, number>();
    if (inspected > 0) rates.set(period, filled / inspected);
    counts.set(field, rates);
  }
  const periods = [...items]
    .map(([period, n]) => ({ period, items: n }))
    .toSorted((a, b) => compare(a.period, b.period));
  return {
    periods,
    fields: [...counts].map(([field, rates]) => ({
      field,
      rates: periods.map(({ period }) => rates.get(period) ?? null),
    })),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : 1);
