import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { tweetHistory, tweets, tweetsBehind, userHistory, users, usersBehind } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement } from '../sqlite/statement.ts';
import { placeholders } from './merge-rules.ts';
import { type ValueTimeline, addObservation, type PastValue, type ColumnValue } from './value-timeline.ts';

/** What a row is, and where its history and what is behind are kept. */
const KEPT = {
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
  kept: keyof typeof KEPT,
  columns: readonly string[],
): (merge: OutOfOrderMerge, update: (merged: MergedRow) => void) => boolean {
  const { table, history, behind, key } = KEPT[kept];
  const named = getTableColumns(table) as unknown as Record<string, SQLiteColumn>;
  const keyOf = (of: typeof history | typeof behind) =>
    (getTableColumns(of) as unknown as Record<string, SQLiteColumn>)[key]!;
  const id = sql.placeholder('id');
  const findBehind = db
    .select()
    .from(behind)
    .where(eq(keyOf(behind), id))
    .prepare();
  const past = getTableColumns(history) as unknown as Record<string, SQLiteColumn>;
  const findPast = compileStatement(
    db,
    db
      .select(Object.fromEntries(['lastSeen', 'changedAt', ...columns].map((name) => [name, past[name]!])))
      .from(history)
      .where(eq(keyOf(history), id))
      .orderBy(history.changedAt, history.id),
  );
  const forgetBehind = compileStatement(db, db.delete(behind).where(eq(keyOf(behind), id)));
  const forgetPast = compileStatement(db, db.delete(history).where(eq(keyOf(history), id)));
  const addBehind = compileStatement(
    db,
    db
      .insert(behind)
      .values({ [key]: id, column: sql.placeholder('column'), seenAt: sql.placeholder('seenAt') } as never),
  );
  const addPast = compileStatement(
    db,
    db
      .insert(history)
      .values({ [key]: id, ...placeholders(history, ['lastSeen', 'changedAt', ...columns] as never) } as never),
  );

  return ({ id: row, ...merge }, update) => {
    const rows = findPast.all({ id: row }) as readonly (readonly (ColumnValue | null)[])[];
    const older = new Map(
      (findBehind.all({ id: row }) as { column: string; seenAt: number }[]).map((one) => [one.column, one.seenAt]),
    );
    const courses = new Map(
      columns.map((column, place): [string, ValueTimeline] => [
        column,
        {
          current: merge.row[column] ?? null,
          seenAt: older.get(named[column]!.name) ?? merge.before(column),
          past: pastOf(rows, place),
        },
      ]),
    );
    let hasChanged = false;
    let isReplaced = false;
    for (const [column, value, at] of merge.shown) {
      const course = courses.get(column)!;
      const next = addObservation(course, value, at, merge.since);
      if (next.past !== course.past) hasChanged = true;
      if (course.current !== null && next.current !== course.current) isReplaced = true;
      courses.set(column, next);
    }
    const late = columns.filter((column) => {
      const { current, seenAt } = courses.get(column)!;
      return current !== null && seenAt !== merge.after(column);
    });
    const changes = columns.flatMap((column) => courses.get(column)!.past.at(-1)?.changedAt ?? []);
    update({
      row: Object.fromEntries(columns.map((column) => [column, courses.get(column)!.current])),
      behind: late.length > 0,
      changedAt: changes.length === 0 ? undefined : Math.max(...changes),
    });

    if (older.size > 0) forgetBehind.run({ id: row });
    for (const column of late)
      addBehind.run({ id: row, column: named[column]!.name, seenAt: courses.get(column)!.seenAt });
    if (!hasChanged && !isReplaced) return false;
    // Whatever the triggers made of the update.
    forgetPast.run({ id: row });
    for (const past of together(columns.map((column) => [column, courses.get(column)!.past])))
      addPast.run({ ...past, id: row });
    return hasChanged;
  };
}

/** The earlier values of the column at this place: the times come first in each row. */
const pastOf = (rows: readonly (readonly (ColumnValue | null)[])[], place: number): PastValue[] =>
  rows.flatMap((row) => {
    const value = row[place + 2];
    return value == null ? [] : [{ value, lastSeen: row[0] as number, changedAt: row[1] as number }];
  });

/** Rows of history, oldest first: what changed at one time, having been seen until one time, is one. */
function together(
  courses: readonly (readonly [column: string, past: readonly PastValue[]])[],
): Record<string, ColumnValue>[] {
  const rows = new Map<string, Record<string, ColumnValue>>();
  for (const [column, past] of courses) {
    for (const { value, lastSeen, changedAt } of past) {
      const span = `${changedAt} ${lastSeen}`;
      rows.set(span, { ...rows.get(span), lastSeen, changedAt, [column]: value });
    }
  }
  return [...rows.values()].toSorted(
    (a, b) =>
      (a['changedAt'] as number) - (b['changedAt'] as number) || (a['lastSeen'] as number) - (b['lastSeen'] as number),
  );
}
