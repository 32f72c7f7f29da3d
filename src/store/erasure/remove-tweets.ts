import type { Db } from '../sqlite/database.ts';
import { INVENTORY } from './inventory.ts';

/** The columns that name a tweet, by table. Each is found by an index. */
const TWEET_ROWS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(INVENTORY)
    .map(([table, { uses }]) => [table, Object.keys(uses).filter((column) => uses[column] === 'tweet key')] as const)
    .filter(([, columns]) => columns.length > 0),
);

/** Numbers of rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/**
 * Prepares the removal of tweets by their keys, inside the caller's transaction: their rows, parts, history, evidence, hits of
 * searches and, by triggers, full-text entries. Returns the numbers of removed rows.
 */
export function prepareTweetRemoval({ $client }: Db): (ids: readonly number[]) => RowCounts {
  const statements = Object.keys(TWEET_ROWS).map(
    (table) =>
      [
        table,
        $client.prepare<[object]>(`delete from ${table} where ${isOf(table, 'select value from json_each(:ids)')}`),
      ] as const,
  );
  return (ids) => {
    const bound = { ids: JSON.stringify(ids) };
    return toRowCounts(statements.map(([table, statement]) => [table, statement.run(bound).changes]));
  };
}

/** Counts the rows that the removal of tweets removes. @param select a SELECT of the keys of the tweets */
export const countTweetRows = ({ $client }: Db, select: string): RowCounts =>
  toRowCounts(
    Object.keys(TWEET_ROWS).map((table) => [
      table,
      $client
        .prepare<[], number>(`select count(*) from ${table} where ${isOf(table, select)}`)
        .pluck()
        .get()!,
    ]),
  );

/** The condition of the rows of a table that belong to selected tweets. */
const isOf = (table: string, select: string): string =>
  TWEET_ROWS[table]!.map((column) => `${column} in (${select})`).join(' or ');

const toRowCounts = (rows: readonly (readonly [table: string, rows: number])[]): RowCounts =>
  Object.fromEntries(rows.filter(([, count]) => count > 0));

/** Adds up numbers of rows. */
export function addRowCounts(a: RowCounts, b: RowCounts): RowCounts {
  const sum: Record<string, number> = { ...a };
  for (const [table, rows] of Object.entries(b)) sum[table] = (sum[table] ?? 0) + rows;
  return sum;
}
