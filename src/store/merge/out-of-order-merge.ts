import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { tweetHistory, tweets, tweetsBehind, userHistory, users, usersBehind } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement } from '../sqlite/statement.ts';
import { placeholders } from './merge-rules.ts';
import { type ValueTimeline, addObservation, type PastValue, type ColumnValue } from './value-timeline.ts';

/** What a row is, and where its history and what is behind are kept. */
const TABLES = {
  users: { table: users, history: userHistory, behind: usersBehind, key: 'userId' },
  tweets: { table: tweets, history: tweetHistory, behind: tweetsBehind, key: 'tweetId' },
} as const;

/** An observation of a row that is in the store, and the row as it is. */
export interface OutOfOrderMerge {
  readonly id: number;
  /** The row's columns by their properties. */
  readonly row: Readonly<Record<string, ColumnValue | null>>;
  /** When anything was first known of it, this observation left out. */
  readonly since: number;
  /** When it was made; and what it shows, each with the time that counts. */
  readonly at: number;
  readonly shown: readonly (readonly [column: string, value: ColumnValue, at: number])[];
  /** The time of the newest observation of the column's kind: so far, and with this one. */
  readonly before: (column: string) => number;
  readonly after: (column: string) => number;
}

/** The row as it is from now on. */
export interface MergedRow {
  readonly row: Readonly<Record<string, ColumnValue | null>>;
  readonly behind: boolean;
  /** When the last of the changes in its history was; undefined where there is none. */
  readonly changedAt: number | undefined;
}

/**
 * Prepares the merging of what comes late, lacks what is known, or meets a row of which something is behind: the seldom
 * cases, column by column and each by its own time, so that the order of arrival makes no difference (law 6). All else of
 * a row has the time of its kind, and no time of its own need be kept (decision 15).
 *
 * `update` writes the row; its history and what is behind are written after it. The result says whether the observation
 * belongs into the history: whether it shows another value of any column than was known of its time.
 */
export function prepareOutOfOrderMerge(
  db: Db,
  entity: keyof typeof TABLES,
  columns: readonly string[],
): (merge: OutOfOrderMerge, update: (merged: MergedRow) => void) => boolean {
  const { table, history, behind, key } = TABLES[entity];
  const columnsByProperty = getTableColumns(table) as unknown as Record<string, SQLiteColumn>;
  const keyOf = (target: typeof history | typeof behind) =>
    (getTableColumns(target) as unknown as Record<string, SQLiteColumn>)[key]!;
  const id = sql.placeholder('id');
  const findBehind = db
    .select()
    .from(behind)
    .where(eq(keyOf(behind), id))
    .prepare();
  const past = getTableColumns(history) as unknown as Record<string, SQLiteColumn>;
  const findHistory = compileStatement(
    db,
    db
      .select(Object.fromEntries(['lastSeen', 'changedAt', ...columns].map((name) => [name, past[name]!])))
      .from(history)
      .where(eq(keyOf(history), id))
      .orderBy(history.changedAt, history.id),
  );
  const deleteBehind = compileStatement(db, db.delete(behind).where(eq(keyOf(behind), id)));
  const deleteHistory = compileStatement(db, db.delete(history).where(eq(keyOf(history), id)));
  const insertBehind = compileStatement(
    db,
    db
      .insert(behind)
      .values({ [key]: id, column: sql.placeholder('column'), seenAt: sql.placeholder('seenAt') } as never),
  );
  const insertHistory = compileStatement(
    db,
    db
      .insert(history)
      .values({ [key]: id, ...placeholders(history, ['lastSeen', 'changedAt', ...columns] as never) } as never),
  );

  return ({ id: row, ...merge }, update) => {
    const rows = findHistory.all({ id: row }) as readonly (readonly (ColumnValue | null)[])[];
    const staleTimes = new Map(
      (findBehind.all({ id: row }) as { column: string; seenAt: number }[]).map((stale) => [
        stale.column,
        stale.seenAt,
      ]),
    );
    const timelines = new Map(
      columns.map((column, index): [string, ValueTimeline] => [
        column,
        {
          current: merge.row[column] ?? null,
          seenAt: staleTimes.get(columnsByProperty[column]!.name) ?? merge.before(column),
          past: pastValuesOf(rows, index),
        },
      ]),
    );
    let hasChanged = false;
    let isReplaced = false;
    for (const [column, value, at] of merge.shown) {
      const timeline = timelines.get(column)!;
      const next = addObservation(timeline, value, at, merge.since);
      if (next.past !== timeline.past) hasChanged = true;
      if (timeline.current !== null && next.current !== timeline.current) isReplaced = true;
      timelines.set(column, next);
    }
    const staleColumns = columns.filter((column) => {
      const { current, seenAt } = timelines.get(column)!;
      return current !== null && seenAt !== merge.after(column);
    });
    const changes = columns.flatMap((column) => timelines.get(column)!.past.at(-1)?.changedAt ?? []);
    update({
      row: Object.fromEntries(columns.map((column) => [column, timelines.get(column)!.current])),
      behind: staleColumns.length > 0,
      changedAt: changes.length === 0 ? undefined : Math.max(...changes),
    });

    if (staleTimes.size > 0) deleteBehind.run({ id: row });
    for (const column of staleColumns)
      insertBehind.run({ id: row, column: columnsByProperty[column]!.name, seenAt: timelines.get(column)!.seenAt });
    if (!hasChanged && !isReplaced) return false;
    // Whatever the triggers made of the update.
    deleteHistory.run({ id: row });
    for (const past of buildHistoryRows(columns.map((column) => [column, timelines.get(column)!.past])))
      insertHistory.run({ ...past, id: row });
    return hasChanged;
  };
}

/** The earlier values of the column at this place: the times come first in each row. */
const pastValuesOf = (rows: readonly (readonly (ColumnValue | null)[])[], index: number): PastValue[] =>
  rows.flatMap((row) => {
    const value = row[index + 2];
    return value == null ? [] : [{ value, lastSeen: row[0] as number, changedAt: row[1] as number }];
  });

/** Rows of history, oldest first: what changed at one time, having been seen until one time, is one. */
function buildHistoryRows(
  timelines: readonly (readonly [column: string, past: readonly PastValue[]])[],
): Record<string, ColumnValue>[] {
  const rows = new Map<string, Record<string, ColumnValue>>();
  for (const [column, past] of timelines) {
    for (const { value, lastSeen, changedAt } of past) {
      const period = `${changedAt} ${lastSeen}`;
      rows.set(period, { ...rows.get(period), lastSeen, changedAt, [column]: value });
    }
  }
  return [...rows.values()].toSorted(
    (a, b) =>
      (a['changedAt'] as number) - (b['changedAt'] as number) || (a['lastSeen'] as number) - (b['lastSeen'] as number),
  );
}
