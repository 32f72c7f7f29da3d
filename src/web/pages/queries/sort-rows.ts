import type { QueryCell } from '../../../dashboard/api/queries.ts';

export type ResultRow = Readonly<Record<string, QueryCell>>;

/** The columns of a result, with what their cells look like. */
export interface CellColumn {
  readonly name: string;
  /** Whether all values are numbers or missing. */
  readonly isNumber: boolean;
  /** The length of a long value, in characters. */
  readonly width: number;
}

/** Columns are measured by this many rows. */
const MEASURED_ROWS = 300;
const MAX_WIDTH = 44;
const MIN_WIDTH = 5;

export function listColumns(rows: readonly ResultRow[]): CellColumn[] {
  const sample = rows.slice(0, MEASURED_ROWS);
  return Object.keys(rows[0] ?? {}).map((name) => {
    const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null);
    const lengths = sample.map((row) => String(row[name] ?? '').length).toSorted((a, b) => a - b);
    // One long value does not make a column wide.
    const width = Math.max(name.length + 2, lengths[Math.floor(lengths.length * 0.95)] ?? 0, MIN_WIDTH);
    return {
      name,
      width: Math.min(width, MAX_WIDTH),
      isNumber: values.length > 0 && values.every((value) => typeof value === 'number'),
    };
  });
}

const texts = new Intl.Collator('en');

/** Returns the rows in the order of a column (`name` or `-name`); in their own order without one. Missing values are last. */
export function sortRows(rows: readonly ResultRow[], sort: string): readonly ResultRow[] {
  const isReversed = sort.startsWith('-');
  const name = isReversed ? sort.slice(1) : sort;
  if (name === '' || !Object.hasOwn(rows[0] ?? {}, name)) return rows;
  return rows.toSorted((a, b) => {
    const [first, second] = [a[name] ?? null, b[name] ?? null];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    const order =
      typeof first === 'number' && typeof second === 'number'
        ? first - second
        : texts.compare(String(first), String(second));
    return isReversed ? -order : order;
  });
}
