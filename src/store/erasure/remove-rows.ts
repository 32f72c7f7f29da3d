import type { Db } from '#store/sqlite/database.ts';
import { columnsWith } from './inventory.ts';

/** Numbers of rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/**
 * Prepares the removal of tweets or accounts by their keys, inside the caller's transaction: all rows that name them, such as
 * parts, histories, evidence and rows of lists, and, by triggers, full-text entries. Each is found by an index, except the
 * author of an earlier version of a tweet. Returns the numbers of removed rows.
 */
export function prepareRemoval({ $client }: Db, key: 'tweet key' | 'user key'): (ids: readonly number[]) => RowCounts {
  const statements = columnsWith(key).map(([table, columns]) => ({
    table,
    remove: $client.prepare<[object]>(
      `delete from ${table} where ${isOf(columns, 'select value from json_each(:ids)')}`,
    ),
  }));
  return (ids) => {
    const bound = { ids: JSON.stringify(ids) };
    return toRowCounts(statements.map(({ table, remove }) => [table, remove.run(bound).changes]));
  };
}

/** Counts the rows that the removal of tweets removes. @param select a SELECT of the keys of the tweets */
export const countTweetRows = ({ $client }: Db, select: string): RowCounts =>
  toRowCounts(
    columnsWith('tweet key').map(([table, columns]) => [
      table,
      $client
        .prepare<[], number>(`select count(*) from ${table} where ${isOf(columns, select)}`)
        .pluck()
        .get()!,
    ]),
  );

/** The condition of the rows that belong to the selection. */
const isOf = (columns: readonly string[], select: string): string =>
  columns.map((column) => `${column} in (${select})`).join(' or ');

const toRowCounts = (rows: readonly (readonly [table: string, rows: number])[]): RowCounts =>
  Object.fromEntries(rows.filter(([, count]) => count > 0));

/** Adds up numbers of rows. */
export function addRowCounts(a: RowCounts, b: RowCounts): RowCounts {
  const sum: Record<string, number> = { ...a };
  for (const [table, rows] of Object.entries(b)) sum[table] = (sum[table] ?? 0) + rows;
  return sum;
}
