import { capitalise } from '../../base/text.ts';
import type { TableBlock, Text } from './report-content.ts';

/** The maximum number of rows of a table of a page; the sidecar has all. */
const MAX_ROWS = 500;

/** A value of a row. */
type Value = string | number | bigint | null | undefined;

interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

export interface ShownColumns {
  /** The columns that are shown, with their labels; by default, all. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** What null means in a column; by default, nothing is shown. */
  readonly nulls?: Readonly<Record<string, string>>;
}

/** Returns a result as a table: ISO times are shortened, numbers are on the right, flags (`is_…`) are yes or empty. */
export function describeRows(result: Rows, caption: string, { columns, nulls = {} }: ShownColumns = {}): TableBlock {
  const names = columns ? Object.keys(columns) : result.columns;
  const indexes = names.map((name) => result.columns.indexOf(name));
  const shown = result.rows.slice(0, MAX_ROWS).map((row) => indexes.map((i) => row[i]));
  const isFlag = names.map((name) => /^(is|has)_/.test(name));
  return {
    type: 'table',
    caption,
    columns: names.map((name, i) => ({
      label: columns?.[name] ?? describeColumn(name),
      isNumber: !isFlag[i] && shown.every((row) => row[i] === null || isNumeric(row[i])),
    })),
    rows: shown.map((row) =>
      row.map((value, i) => (isFlag[i] ? (value ? 'yes' : '') : formatCell(value, nulls[names[i]!] ?? ''))),
    ),
    note:
      result.rows.length > shown.length
        ? [{ count: shown.length }, ' of ', { count: result.rows.length }, ' rows; the sidecar has all.']
        : undefined,
  };
}

const isNumeric = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** `created_at` is `Created`, `rest_id` is `Id`, `hour_utc` is `Hour (UTC)`. */
const describeColumn = (name: string): string =>
  capitalise(
    name
      .replace(/_at$/, '')
      .replace(/^(is|has)_/, '')
      .replace(/rest_id$/, 'id')
      .replace(/_utc$/, ' (UTC)')
      .replaceAll('_', ' '),
  );

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

function formatCell(value: Value, empty: string): Text {
  if (value === null || value === undefined) return empty;
  if (isNumeric(value)) return { count: Number(value) };
  if (!TIME.test(value)) return { name: value };
  return /T00:00:00(\.0+)?Z$/.test(value) ? { day: value } : { time: value };
}
