/**
 * The form of a chart. `columns` are vertical, over time or categories; `bars` are horizontal, one per category, in the order
 * of the rows.
 */
export const MARKS = ['line', 'columns', 'bars', 'points', 'heatmap'] as const;
export type Mark = (typeof MARKS)[number];

/** The width of a time bin. Weeks begin on Monday. All times are UTC. */
export const PERIODS = ['hour', 'day', 'week', 'month', 'year'] as const;
export type BinPeriod = (typeof PERIODS)[number];

/** What is drawn from the columns of a result. */
export interface ChartSpec {
  readonly mark: Mark;
  /** The column of times, numbers or categories. For `bars`, the column of the categories. */
  readonly x: string;
  /** The column of the numbers; null is a gap. For a heatmap, the column of the rows of cells. */
  readonly y: string;
  /** The column of the series: a line, or a colour, per value. */
  readonly series?: string | undefined;
  /** For a heatmap, the column of the numbers that are shown by shades. */
  readonly value?: string | undefined;
  /** The width of the bins that x begins. By default, that of the values, if the mark has bins. */
  readonly period?: BinPeriod | undefined;
  /** The column that is 1 for bins that were not observed from start to end. */
  readonly partial?: string | undefined;
  readonly title?: string | undefined;
  /** What the title leaves open, such as whom the chart is about. */
  readonly subtitle?: string | undefined;
  /** Labels with units. By default, the names of the columns. */
  readonly xLabel?: string | undefined;
  readonly yLabel?: string | undefined;
}

/** The rows of a result. Values are those of SQLite: bigint, number, string or null. */
export interface ChartData {
  readonly columns: readonly string[];
  readonly rows: Iterable<readonly unknown[]>;
}

/** What a user says about a chart; the rest follows from the columns. Several columns of numbers become series. */
export interface ChartOptions extends Omit<ChartSpec, 'mark' | 'x' | 'y'> {
  readonly mark?: Mark | undefined;
  readonly x?: string | undefined;
  readonly y?: string | readonly string[] | undefined;
}
