import type { SqlValue } from '../../../../analysis/sql/sql-query.ts';
import type { ColumnType, ResultSet } from '../../result-set.ts';
import { scanRows } from '../../scan-rows.ts';

/** The type of a column whose values have one type. */
export type ExactType = Exclude<ColumnType, 'any'>;

/** Kinds of values, as bits: a column is the sum of those that it contains. */
const INTEGER = 1;
/** An integer beyond 2^53, which a real number would round. */
const LONG_INTEGER = 2;
const REAL = 4;
const TEXT = 8;
const BLOB = 16;

const MAX_SAFE_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Determines the types of columns of type `any` by reading all rows in advance. Integers and reals are `real` if no integer
 * would lose a digit. All other mixed columns are `text`.
 */
export async function resolveColumnTypes(
  { columns, rows }: ResultSet,
  signal?: AbortSignal,
): Promise<{ types: ExactType[]; rows: ResultSet['rows'] }> {
  const kinds = columns.map(() => 0);
  const open = columns.flatMap(({ type }, i) => (type === 'any' ? [i] : []));
  const visit = (row: readonly SqlValue[]): void => {
    for (const i of open) kinds[i]! |= kindOf(row[i]!);
  };
  return {
    rows: open.length === 0 ? rows : await scanRows(rows, visit, signal),
    types: columns.map(({ type }, i) => (type === 'any' ? typeOf(kinds[i]!) : type)),
  };
}

function kindOf(value: SqlValue): number {
  if (value === null) return 0;
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number') return REAL;
  if (typeof value !== 'bigint') return BLOB;
  return value > MAX_SAFE_INTEGER || value < -MAX_SAFE_INTEGER ? LONG_INTEGER : INTEGER;
}

function typeOf(kinds: number): ExactType {
  const consistsOf = (some: number): boolean => kinds !== 0 && (kinds & ~some) === 0;
  if (consistsOf(INTEGER | LONG_INTEGER)) return 'integer';
  if (consistsOf(INTEGER | REAL)) return 'real';
  return consistsOf(BLOB) ? 'blob' : 'text';
}
