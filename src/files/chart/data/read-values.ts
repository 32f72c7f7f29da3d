import type { ChartSpec, Mark, BinPeriod } from '#analysis/queries/chart-spec.ts';
import { UsageError } from '#base/errors.ts';
import { toLabel } from '#files/chart/label-width.ts';
import { inferPeriod, parseIsoTime, type ParsedTime, type TimePrecision } from './periods.ts';

/** The values of a column, one per row. */
type Values = readonly unknown[];

/** The range of numbers that axes can have. Larger ones are refused, smaller ones are zero. */
const MAX_NUMBER = 1e100;
const MIN_NUMBER = 1e-100;

/** Marks with a width along x: times have to be bins, and numbers are integers. */
const BINNED: ReadonlySet<Mark> = new Set(['columns', 'heatmap']);

const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** Names the row of an error, counting from 1. */
const inRow = (i: number): string => `in row ${i + 1}`;

/** Returns a value for a message. */
const quoteValue = (value: unknown): string =>
  Buffer.isBuffer(value) ? 'a blob' : JSON.stringify(toLabel(String(value)).slice(0, 40));

/** Returns a number of SQLite; undefined for other values. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !(Math.abs(number) <= MAX_NUMBER)) return undefined;
  return Math.abs(number) < MIN_NUMBER ? 0 : number;
}

/** Reads numbers; null where there is none. @throws UsageError for other values */
export const readNumbers = (values: Values, column: string): readonly (number | null)[] =>
  values.map((value, i) => {
    if (isMissing(value)) return null;
    const number = toNumber(value);
    if (number !== undefined) return number;
    const isText = typeof value === 'string';
    throw new UsageError(
      `${column} has to be a number: ${inRow(i)}, it is ${isText ? 'the text ' : ''}${quoteValue(value)}`,
      { hint: isText ? `Convert it: cast(${column} as real). Rows without a value have null.` : undefined },
    );
  });

/** Reads 0 and 1; null is 0. @throws UsageError for other values */
export const readFlags = (values: Values, column: string): readonly boolean[] =>
  values.map((value, i) => {
    if (isMissing(value) || Number(value) === 0) return false;
    if (Number(value) === 1) return true;
    throw new UsageError(`${column} has to be 0 or 1: ${inRow(i)}, it is ${quoteValue(value)}`);
  });

export interface Names {
  /** In the order of their first rows. */
  readonly names: readonly string[];
  /** The position of the name of each row. */
  readonly positions: readonly number[];
}

/** Reads names. Different values have different positions, even if they look the same. */
export function readNames(values: Values): Names {
  const found = new Map<string, number>();
  const names: string[] = [];
  const positions = values.map((value) => {
    const key = `${typeof value} ${String(value)}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    found.set(key, names.length);
    return names.push(nameOf(value)) - 1;
  });
  return { names, positions };
}

function nameOf(value: unknown): string {
  if (isMissing(value)) return '(null)';
  return Buffer.isBuffer(value) ? '(blob)' : toLabel(`${value as string | number | bigint}`) || '(empty)';
}

/** The values of x: milliseconds since the epoch, numbers, or positions of categories. */
export interface XValues {
  readonly kind: 'time' | 'number' | 'category';
  readonly values: readonly number[];
  readonly categories: readonly string[];
  /** The width of the bins that the times begin. */
  readonly period: BinPeriod | undefined;
}

/** Reads x as times, numbers or categories. @throws UsageError for null, and for values that the mark cannot show */
export function readX(values: Values, spec: ChartSpec): XValues {
  const { mark, x: column, period } = spec;
  const missing = values.findIndex(isMissing);
  if (missing !== -1) {
    throw new UsageError(`${column} is null ${inRow(missing)}, which has no place in the chart`, {
      hint: `Leave such rows out: where ${column} is not null.`,
    });
  }
  const times = mark === 'bars' ? undefined : readTimes(values, column);
  if (times) return { kind: 'time', categories: [], values: times.values, period: findPeriod(times, spec) };
  if (period !== undefined && mark !== 'bars') {
    const i = values.findIndex((value) => toTime(value, column) === undefined);
    throw new UsageError(`${column} has to be a time: ${inRow(i)}, it is ${quoteValue(values[i])}`, {
      hint: "Times are texts such as '2025-01-31' or '2025-01-31T12:00:00Z'; date(ms / 1000, 'unixepoch') returns one.",
    });
  }
  const numbers = mark === 'bars' ? undefined : readPositions(values, mark);
  if (numbers) return { kind: 'number', values: numbers, categories: [], period: undefined };
  const { names, positions } = readNames(values);
  return { kind: 'category', values: positions, categories: names, period: undefined };
}

interface Times {
  readonly values: readonly number[];
  readonly precision: TimePrecision;
}

/** Returns the times of a column; undefined if it has other values. */
function readTimes(values: Values, column: string): Times | undefined {
  const times = values.map((value) => toTime(value, column));
  if (!times.every((time) => time !== undefined)) return undefined;
  return { values: times.map(({ ms }) => ms), precision: times.at(-1)!.precision };
}

/** A column of integers whose name says that they are milliseconds since the epoch, as those of the tables do. */
const MILLISECONDS_COLUMN = /_(?:at|ms)$/;
/** From 1973 to 2286: other numbers are no times in milliseconds. */
const MILLISECONDS_RANGE = [1e11, 1e13] as const;

/** Whether a value is a time, as text or as an integer of a column of milliseconds. */
export function toTime(value: unknown, column: string): ParsedTime | undefined {
  if (typeof value === 'string') return parseIsoTime(value);
  const ms = MILLISECONDS_COLUMN.test(column) ? toNumber(value) : undefined;
  const [first, last] = MILLISECONDS_RANGE;
  return ms !== undefined && ms >= first && ms < last ? { ms, precision: 'time' } : undefined;
}

function findPeriod({ values, precision }: Times, { mark, x, period, partial }: ChartSpec): BinPeriod | undefined {
  if (period !== undefined || (!BINNED.has(mark) && partial === undefined)) return period;
  const inferred = inferPeriod(values, precision);
  if (inferred !== undefined || !BINNED.has(mark)) return inferred;
  throw new UsageError(`${mark} need bins of time, and ${x} has times that begin no hour, day, week, month or year`, {
    hint: `Group by substr(${x}, 1, 10), for instance, or draw points or a line.`,
  });
}

/** Returns numbers that are places along x; undefined if there are others, or if a mark with a width needs integers. */
function readPositions(values: Values, mark: Mark): readonly number[] | undefined {
  const numbers = values.map(toNumber);
  const isPlace = (value: number | undefined): value is number =>
    value !== undefined && (!BINNED.has(mark) || Number.isSafeInteger(value));
  return numbers.every(isPlace) ? numbers : undefined;
}
