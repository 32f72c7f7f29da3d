import { getTableColumns } from 'drizzle-orm';
import { DAY } from '#base/clock.ts';
import { formatDay } from '#base/units.ts';
import { tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type FillPeriodName, type FillRates, SHOWN_PERIODS } from './fill-rates.ts';

const TABLES = { users, tweets } as const;
export type InspectedTable = keyof typeof TABLES;

/** Times of observations, which say nothing about the service's fields. */
const TIMES = new Set(['changed_at', 'has_media_seen_at', 'in_reply_to_seen_at']);

/** More rows than this are not read: a share of all rows is then exact to about one percentage point. */
export const SAMPLED_ROWS = 10_000;

/** The place of the row in its range, from 0 to 1: no regular distance, which a regular order of rows could share. */
const PLACE = '((i * 2654435761) % 4294967296) / 4294967296.0';

export interface StoredColumns extends FillRates {
  /** The number of rows in these periods, and of those that were read. A difference of ids: too large after deletions. */
  readonly rows: number;
  readonly sampled: number;
}

/**
 * How many stored rows have a value in each column that may be empty, by the day or month in which they were seen first. Of
 * each of `SAMPLED_ROWS` equal ranges of ids one row is read, so that the time does not depend on their number.
 */
export function readStoredColumns(
  { $client }: Db,
  table: InspectedTable,
  by: FillPeriodName,
  now: number,
): StoredColumns {
  const columns = Object.values(getTableColumns(TABLES[table]))
    .filter(({ name, notNull }) => !notNull && !TIMES.has(name))
    .map(({ name }) => name);
  const since = findStart(by, now);
  const seenAt = $client.prepare<[number], { id: number; at: number }>(
    `select id, first_seen_at as at from ${table} where id >= ? order by id limit 1`,
  );
  const last = $client.prepare<[], number | null>(`select max(id) from ${table}`).pluck().get() ?? 0;
  const first = findFirstId((id) => seenAt.get(id), last, since);
  const rows = Math.max(0, last - first + 1);
  const step = Math.max(1, rows / SAMPLED_ROWS);
  const length = by === 'day' ? '%Y-%m-%d' : '%Y-%m';
  const found = $client
    .prepare<[object], readonly [period: string, n: number, ...filled: number[]]>(
      `with recursive turns(i) as (select 0 where @turns > 0 union all select i + 1 from turns where i + 1 < @turns)
       select strftime('${length}', first_seen_at / 1000, 'unixepoch') as period, count(*), ${columns.map((name) => `count(${name})`).join(', ')}
       from turns cross join ${table} on id = @first + cast((i + ${PLACE}) * @step as integer)
       where first_seen_at >= @since group by period order by period`,
    )
    .raw()
    .all({ turns: Math.floor(rows / step), first, step, since });
  return {
    rows,
    sampled: found.reduce((sum, [, n]) => sum + n, 0),
    periods: found.map(([period, items]) => ({
      period,
      items,
    })),
    fields: columns.map((field, i) => ({
      field,
      rates: found.map(([, n, ...filled]) => filled[i]! / n),
    })),
  };
}

/** The first moment of the latest periods. */
function findStart(by: FillPeriodName, now: number): number {
  if (by === 'day') return Date.parse(formatDay(now - (SHOWN_PERIODS.day - 1) * DAY));
  const today = new Date(now);
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - SHOWN_PERIODS.month + 1, 1);
}

/** Finds the first row since a time by bisection: ids are assigned about in the order in which rows are first seen. */
function findFirstId(
  read: (id: number) => { readonly id: number; readonly at: number } | undefined,
  last: number,
  since: number,
): number {
  let [low, high] = [1, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = read(middle);
    if (row && row.at < since) low = row.id + 1;
    else high = middle;
  }
  return low;
}
