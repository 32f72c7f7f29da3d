import type { ChartData, ChartOptions, ChartSpec, Mark } from '#analysis/queries/chart-spec.ts';
import { UsageError } from '#base/errors.ts';
import { findColumn, readRows } from './read-points.ts';
import { toNumber, toTime } from './read-values.ts';

/** The column that says whether a bin was observed in part, if there is one of this name. */
const PARTIAL_COLUMN = 'is_partial';
/** The columns of several numbers that became rows. */
const SERIES_COLUMN = 'column name';
const VALUE_COLUMN = 'column value';

interface CompleteChart {
  readonly data: ChartData;
  readonly spec: ChartSpec;
}

/**
 * Completes what a user says about a chart: x is the first column, y all columns of numbers, and the mark is a line over
 * time, bars of categories, or points.
 * @throws UsageError if a column is missing or none has numbers
 */
export function completeSpec(source: ChartData, options: ChartOptions): CompleteChart {
  const data = { columns: source.columns, rows: readRows(source) };
  const x = options.x ?? data.columns[0]!;
  const partial = options.partial ?? data.columns.find((name) => name === PARTIAL_COLUMN);
  const mark = options.mark ?? chooseMark(data, x);
  const common = { ...options, mark, x, partial };
  if (mark === 'heatmap') return { data, spec: completeHeatmap(data, common) };
  const ys =
    typeof options.y === 'string' ? [options.y] : (options.y ?? findNumbers(data, [x, options.series, partial]));
  for (const name of ys) findColumn(data, name);
  const [y] = ys;
  if (y === undefined) {
    throw new UsageError('there is no column of numbers', { hint: `Columns: ${data.columns.join(', ')}.` });
  }
  if (ys.length === 1) return { data, spec: { ...common, y } };
  if (options.series !== undefined) {
    throw new UsageError(`there are several columns of numbers: ${ys.join(', ')}`, {
      hint: 'With series, name one of them as y.',
    });
  }
  return {
    data: toSeries(data, x, ys, partial),
    spec: { ...common, yLabel: common.yLabel ?? '', y: VALUE_COLUMN, series: SERIES_COLUMN },
  };
}

function chooseMark(data: CompleteData, x: string): Mark {
  const values = valuesOf(data, x).filter((value) => value !== null);
  if (values.every((value) => toTime(value, x) !== undefined)) return 'line';
  return values.every((value) => toNumber(value) !== undefined) ? 'points' : 'bars';
}

interface CompleteData extends ChartData {
  readonly rows: readonly (readonly unknown[])[];
}

function valuesOf(data: CompleteData, name: string): unknown[] {
  const position = findColumn(data, name);
  return data.rows.map((row) => row[position]);
}

/** The columns that have numbers, and nothing else. */
const findNumbers = (data: CompleteData, others: readonly (string | undefined)[]): string[] =>
  data.columns
    .filter((name) => !others.includes(name))
    .filter((name) => {
      const values = valuesOf(data, name).filter((value) => value !== null);
      return values.length > 0 && values.every((value) => toNumber(value) !== undefined);
    });

/** The rows of cells are the second column, the shades the first column of numbers that is left. */
function completeHeatmap(data: CompleteData, options: ChartOptions & Pick<ChartSpec, 'mark' | 'x'>): ChartSpec {
  const { x, partial } = options;
  const y = typeof options.y === 'string' ? options.y : (options.y?.[0] ?? data.columns.find((name) => name !== x));
  if (y === undefined)
    throw new UsageError('a heatmap needs a column for its rows of cells', { hint: 'Name it as y.' });
  return { ...options, y, value: options.value ?? findNumbers(data, [x, y, partial])[0] };
}

/** Makes a row per column of numbers. */
function toSeries(data: CompleteData, x: string, ys: readonly string[], partial: string | undefined): ChartData {
  const positions = { x: findColumn(data, x), partial: partial === undefined ? undefined : findColumn(data, partial) };
  const places = ys.map((name) => ({ name, position: findColumn(data, name) }));
  return {
    columns: [x, SERIES_COLUMN, VALUE_COLUMN, ...(partial === undefined ? [] : [partial])],
    rows: data.rows.flatMap((row) =>
      places.map(({ name, position }) => [
        row[positions.x],
        name,
        row[position],
        ...(positions.partial === undefined ? [] : [row[positions.partial]]),
      ]),
    ),
  };
}
