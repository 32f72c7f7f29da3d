import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { toIso } from '#base/units.ts';
import type { ColumnType, ResultColumn, ResultSet } from '#files/export/result-set.ts';

/** A value as text formats and worksheets write it. Times are ISO 8601 text in UTC. */
export type Value = SqlValue | boolean;

/** Columns whose values are written in another form than that of SQLite. */
const CONVERSIONS: Partial<Record<ColumnType, (value: number | bigint) => Value>> = {
  boolean: (value) => Number(value) !== 0,
  timestamp: (value) => toIso(Number(value)),
};

/** Returns the function that converts the rows of these columns. */
export function createRowConverter(columns: readonly ResultColumn[]): (row: readonly SqlValue[]) => readonly Value[] {
  const conversions = columns.map(({ type }) => CONVERSIONS[type]);
  if (conversions.every((convert) => convert === undefined)) return (row) => row;
  return (row) =>
    row.map((value, i) =>
      typeof value === 'bigint' || typeof value === 'number' ? (conversions[i]?.(value) ?? value) : value,
    );
}

/** Converts the rows of a result. */
export function* convertRows({ columns, rows }: ResultSet): Generator<readonly Value[]> {
  const convert = createRowConverter(columns);
  for (const row of rows) yield convert(row);
}

/** Returns a value as text; null is empty. */
export function toText(value: Value): string {
  if (value === null) return '';
  return Buffer.isBuffer(value) ? toHex(value) : String(value);
}

/** Returns the literal of SQLite for a blob. */
export const toHex = (blob: Buffer): string => `x'${blob.toString('hex')}'`;

/** Makes names of columns unique: the second `id` becomes `id_2`. */
export function toUniqueNames(columns: readonly ResultColumn[]): string[] {
  const taken = new Set<string>();
  return columns.map(({ name }) => {
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
    taken.add(free);
    return free;
  });
}
