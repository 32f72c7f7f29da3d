import type { ChartData, ChartSpec, Mark, BinPeriod } from '#analysis/queries/chart-spec.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { formatCount, suggestNames } from '#base/text.ts';
import { toIso } from '#base/units.ts';
import { SERIES_COUNT } from '#files/chart/chart-theme.ts';
import { addPeriods } from './periods.ts';
import { readFlags, readNames, readNumbers, readX, type XValues } from './read-values.ts';

/** A value to draw. */
export interface Point {
  /** Milliseconds since the epoch, a number, or the position of a category. */
  readonly x: number;
  /** Null is a gap: there is no value. */
  readonly y: number | null;
  /** The position of its series. */
  readonly series: number;
  /** Whether its bin was not observed from start to end: in part, or, without a value, not at all. */
  readonly isPartial: boolean;
}

/** The points of a chart, checked. */
export interface PointSet {
  readonly xKind: XValues['kind'];
  /** The names of x, for categories. */
  readonly categories: readonly string[];
  /** The names of the series; of a heatmap, those of its rows of cells. One without a name if there are no series. */
  readonly series: readonly string[];
  /** The width of the bins, if x is the start of one. */
  readonly period: BinPeriod | undefined;
  /** In the order of x. */
  readonly points: readonly Point[];
}

/** The maximum of rows. A picture has fewer pixels across. */
const MAX_ROWS = 10_000;
const MAX_BARS = 60;
const MAX_CATEGORIES = 60;
const MAX_HEATMAP_ROWS = 60;

/** Marks that have one value per x and series. */
const UNIQUE: ReadonlySet<Mark> = new Set(['line', 'columns', 'bars', 'heatmap']);

/**
 * Reads the points of a chart. A heatmap has its rows of cells as series.
 * @throws UsageError if a column is missing or has other values than the chart needs, or if there are too many of them;
 * TrawlError if there is nothing to draw
 */
export function readPoints(data: ChartData, spec: ChartSpec): PointSet {
  const columns = findColumns(data, spec);
  const rows = readRows(data);
  const valuesOf = (position: number): readonly unknown[] => rows.map((row) => row[position]);
  const { kind, values, categories, period } = readX(valuesOf(columns.x), spec);
  const numbers = readNumbers(valuesOf(columns.y), data.columns[columns.y]!);
  if (numbers.every((number) => number === null)) {
    throw new TrawlError(`there is nothing to draw: ${data.columns[columns.y]!} is null in all rows`);
  }
  const series = columns.series === undefined ? undefined : readNames(valuesOf(columns.series));
  const flags = columns.partial === undefined ? undefined : readFlags(valuesOf(columns.partial), spec.partial!);
  const points = values.map((x, i) => ({
    x,
    y: numbers[i]!,
    series: series?.positions[i] ?? 0,
    isPartial: flags?.[i] ?? false,
  }));
  const set: PointSet = {
    xKind: kind,
    categories,
    period,
    series: series?.names ?? [''],
    points: points.toSorted((a, b) => a.x - b.x),
  };
  checkSizes(set, spec.mark);
  if (UNIQUE.has(spec.mark)) checkPlaces(set, spec);
  if (period !== undefined) checkBins(set, period);
  return spec.mark === 'heatmap' ? sortSeries(set) : set;
}

interface ColumnPositions {
  readonly x: number;
  readonly y: number;
  readonly series: number | undefined;
  readonly partial: number | undefined;
}

function findColumns(data: ChartData, { mark, x, y, series, value, partial }: ChartSpec): ColumnPositions {
  const find = (name: string): number => findColumn(data, name);
  const findOptional = (name: string | undefined): number | undefined => (name === undefined ? undefined : find(name));
  const others = { x: find(x), partial: findOptional(partial) };
  if (mark !== 'heatmap') return { ...others, y: find(y), series: findOptional(series) };
  if (value === undefined) {
    throw new UsageError('a heatmap needs a column of numbers, which its shades show', { hint: 'Name its value.' });
  }
  return { ...others, y: find(value), series: find(y) };
}

/** Returns the position of a column. @throws UsageError that lists the columns */
export function findColumn({ columns }: Pick<ChartData, 'columns'>, name: string): number {
  const position = columns.indexOf(name);
  if (position !== -1) return position;
  const [near] = suggestNames(name, columns);
  const question = near === undefined ? '' : `Did you mean ${near}? `;
  throw new UsageError(`there is no column ${name}`, { hint: `${question}Columns: ${columns.join(', ')}.` });
}

/** @throws TrawlError if there are no rows, UsageError if there are too many */
export function readRows({ rows: source }: ChartData): readonly (readonly unknown[])[] {
  const rows: (readonly unknown[])[] = [];
  for (const row of source) {
    if (rows.push(row) <= MAX_ROWS) continue;
    throw new UsageError(`there are more than ${formatCount(MAX_ROWS)} rows, which no chart can show`, {
      hint: 'Group them, for instance by day or week, or select a part.',
    });
  }
  if (rows.length === 0) throw new TrawlError('there is nothing to draw: there are no rows');
  return rows;
}

function checkSizes({ series, categories, xKind }: PointSet, mark: Mark): void {
  const check = (count: number, limit: number, what: string, hint: string): void => {
    if (count > limit) throw new UsageError(`there are ${count} ${what}, and a chart shows at most ${limit}`, { hint });
  };
  const [most, what] = mark === 'heatmap' ? [MAX_HEATMAP_ROWS, 'rows of cells'] : [SERIES_COUNT, 'series'];
  check(series.length, most, what, 'Select some of them, or give the others one name.');
  if (xKind !== 'category') return;
  if (mark === 'bars') check(categories.length, MAX_BARS, 'bars', 'Limit the rows, such as by limit 20.');
  else check(categories.length, MAX_CATEGORIES, 'categories', 'Select some of them, or group them.');
}

/** @throws UsageError if two rows have the same place */
function checkPlaces({ points, series, categories, xKind }: PointSet, spec: ChartSpec): void {
  const taken = new Set<string>();
  for (const { x, series: position } of points) {
    const place = `${x} ${position}`;
    if (!taken.has(place)) {
      taken.add(place);
      continue;
    }
    const at = xKind === 'category' ? categories[x] : xKind === 'time' ? toIso(x) : x;
    const of = series[position] === '' ? '' : ` of ${series[position]}`;
    throw new UsageError(`two rows have the same place: ${spec.x} ${at}${of}`, {
      hint:
        series[0] === ''
          ? `Name the column that tells them apart as the series, or group the rows by ${spec.x}.`
          : 'Group the rows, so that each place has one.',
    });
  }
}

/** @throws UsageError if bins overlap */
function checkBins({ points }: PointSet, period: BinPeriod): void {
  for (const [i, { x }] of points.entries()) {
    const next = points[i + 1]?.x ?? x;
    if (next === x || next >= addPeriods(x, period)) continue;
    const names = [x, next].map((ms) => toIso(ms)).join(' and ');
    throw new UsageError(`${names} begin less than a ${period} apart`, {
      hint: 'Group the rows by the period, or name the period that they have.',
    });
  }
}

/** Puts the rows of a heatmap in order: numbers from low to high, names as they come. */
function sortSeries(set: PointSet): PointSet {
  if (!set.series.every((name) => /^-?\d+(\.\d+)?$/.test(name))) return set;
  const order = set.series
    .map((name, position) => ({ name, position }))
    .toSorted((a, b) => Number(a.name) - Number(b.name));
  const rank = new Map(order.map(({ position }, i) => [position, i]));
  return {
    ...set,
    series: order.map(({ name }) => name),
    points: set.points.map((point) => ({ ...point, series: rank.get(point.series)! })),
  };
}
