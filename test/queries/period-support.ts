import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { runSavedQuery } from '#analysis/queries/run-saved-query.ts';
import type { Db, OpenDb } from '#store/sqlite/database.ts';
import { emptyStore } from '../world/worlds.ts';

/** A second computation of periods and of observed time, in plain TypeScript. */

export type Row = Readonly<Record<string, unknown>>;
export type PeriodName = 'day' | 'week' | 'month';

/** A range in milliseconds UTC, without its end. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const DAY = 86_400_000;
export const iso = (ms: number): string => new Date(ms).toISOString();

/** The start of the period with a time: weeks begin on Monday. */
export function startOfPeriod(at: number, period: PeriodName): number {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (period === 'month') return Date.UTC(year, month, 1);
  return Date.UTC(year, month, day) - (period === 'week' ? ((date.getUTCDay() + 6) % 7) * DAY : 0);
}

/** All periods that have a part of a range. */
export function listPeriods({ from, to }: Range, period: PeriodName): Range[] {
  const periods: Range[] = [];
  for (let at = startOfPeriod(from, period); at < to;) {
    // The longest month has 31 days, and the shortest more than 27.
    const next = startOfPeriod(at + { day: 1, week: 7, month: 31 }[period] * DAY, period);
    periods.push({ from: at, to: next });
    at = next;
  }
  return periods;
}

export const dayOf = ({ from }: Range): string => iso(from).slice(0, 10);
export const isIn = ({ from, to }: Range, at: number): boolean => at >= from && at < to;

/** How much of a range some others observe: every elementary part of it is in one of them, or in none. */
export function howObserved(range: Range, observed: readonly Range[]): 'whole' | 'part' | 'not' {
  const inside = observed.flatMap(({ from, to }) => [from, to]).filter((at) => at > range.from && at < range.to);
  const bounds = [range.from, ...new Set(inside), range.to].toSorted((a, b) => a - b);
  const seen = bounds.slice(1).map((to, i) => observed.some((one) => isIn(one, (bounds[i]! + to) / 2)));
  return seen.every(Boolean) ? 'whole' : seen.some(Boolean) ? 'part' : 'not';
}

export const clip = (ranges: readonly Range[], within: Range): Range[] =>
  ranges
    .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
    .filter(({ from, to }) => from < to);

/** Adds rows to a table. */
export function insert({ $client }: Db, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    $client
      .prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
      .run(...Object.values(row));
  }
}

/** The account of the tests: `id:100`. */
export const ACCOUNT = 'id:100';

export const user = (id: number, more: Row = {}): Row => ({
  id,
  rest_id: `${id}00`,
  screen_name: `Name${id}`,
  first_seen_at: 1,
  ...more,
});

export const crawl = (id: number, more: Row = {}): Row => ({
  id,
  kind: 'timeline',
  target: ACCOUNT,
  options: `{"n":${id}}`,
  priority: 'interactive',
  state: 'complete',
  target_rest_id: '100',
  created_at: 1,
  updated_at: 1,
  finished_at: 1,
  pages: 1,
  ...more,
});

/** A store with rows. */
export function createStore(tables: Readonly<Record<string, readonly Row[]>>): OpenDb {
  const db = emptyStore();
  db.$client.pragma('foreign_keys = off');
  for (const [table, rows] of Object.entries(tables)) insert(db, table, rows);
  return db;
}

/** The rows of a saved query as objects. */
export function answer(db: Db, name: string, values: Row): Record<string, unknown>[] {
  const { columns, rows } = runSavedQuery(db, readCatalogue().read(name), values);
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}
