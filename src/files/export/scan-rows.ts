import { setImmediate } from 'node:timers/promises';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { InvariantError } from '#base/errors.ts';

type Rows = Iterable<readonly SqlValue[]>;

/** Results up to this size are kept in memory: rows, and characters or bytes of their values. */
const KEPT_ROWS = 10_000;
const KEPT_LENGTH = 8 * 1024 * 1024;

/**
 * Visits all rows before they are written. Returns the rows to write: those visited if they are few, so that their
 * statement runs only once; otherwise the same rows, which are then read again.
 */
export async function scanRows(
  rows: Rows,
  visit: (row: readonly SqlValue[]) => void,
  signal?: AbortSignal,
): Promise<Rows> {
  if (isReadOnce(rows)) throw new InvariantError('the rows of this result can be read only once');
  let kept: (readonly SqlValue[])[] | undefined = [];
  let count = 0;
  let length = 0;
  for (const row of rows) {
    visit(row);
    count += 1;
    if (kept) {
      length += measureLength(row);
      if (count > KEPT_ROWS || length > KEPT_LENGTH) kept = undefined;
      else kept.push(row);
    }
    if (count % KEPT_ROWS === 0) {
      await setImmediate();
      signal?.throwIfAborted();
    }
  }
  return kept ?? rows;
}

/** Whether rows are a generator or another iterator, which is its own iterable. */
const isReadOnce = (rows: Rows): boolean => 'next' in rows;

function measureLength(row: readonly SqlValue[]): number {
  let length = 0;
  for (const value of row) if (typeof value === 'string' || Buffer.isBuffer(value)) length += value.length;
  return length;
}
