import { eq, getTableColumns } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { tweetHistory, tweets, tweetStaleColumns, userHistory, users, userStaleColumns } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound, compileInsert, compileStatement } from '#store/sqlite/statement.ts';

/** The tables of an entity: its rows, their history and their stale columns. */
const TABLES = {
  users: { table: users, history: userHistory, stale: userStaleColumns, key: 'userId' },
  tweets: { table: tweets, history: tweetHistory, stale: tweetStaleColumns, key: 'tweetId' },
} as const;

/** An observed value, with the time that applies to it. */
export type ObservedColumn = readonly [column: string, value: ColumnValue | boolean, at: number];

/** An observation of a stored row, and the row before the merge. */
export interface OutOfOrderMerge {
  readonly id: number;
  readonly row: Readonly<Record<string, ColumnValue | null>>;
  /** When the row was first seen, without this observation. */
  readonly since: number;
  readonly shown: readonly ObservedColumn[];
  /** The time of the newest observation of the column's group, before and after this observation. */
  readonly before: (column: string) => number;
  readonly after: (column: string) => number;
}

export interface MergedRow {
  readonly row: Readonly<Record<string, ColumnValue | null>>;
  readonly hasStaleColumns: boolean;
  /** The time of the last change in the history; undefined if there is none. */
  readonly changedAt: number | undefined;
}

/**
 * Prepares the merge of observations that are older than the row or incomplete, and of rows with stale columns. Each
 * column is merged by its own time, so that the order of arrival makes no difference (invariant 6). A column without a
 * time of its own has the time of its group (decision 15).
 *
 * `update` writes the row; then its history and stale columns are written. Returns whether the observation belongs into
 * the history, that is, whether it shows another value than the one known for its time.
 */
export function prepareOutOfOrderMerge(
  db: Db,
  entity: keyof typeof TABLES,
  columns: readonly string[],
): (merge: OutOfOrderMerge, update: (merged: MergedRow) => void) => boolean {
  const { table, history, stale, key } = TABLES[entity];
  const columnsByProperty: Record<string, SQLiteColumn> = getTableColumns<SQLiteTable>(table);
  const past: Record<string, SQLiteColumn> = getTableColumns<SQLiteTable>(history);
  const isOfRow = (target: SQLiteTable) =>
    eq((getTableColumns(target) as Record<string, SQLiteColumn>)[key]!, bound.id);
  const findStale = db.select().from(stale).where(isOfRow(stale)).prepare();
  const pastColumns = Object.fromEntries(['lastSeenAt', 'changedAt', ...columns].map((name) => [name, past[name]!]));
  const findHistory = compileStatement(
    db.select(pastColumns).from(history).where(isOfRow(history)).orderBy(history.changedAt, history.id),
  );
  const deleteStale = compileStatement(db.delete(stale).where(isOfRow(stale)));
  const deleteHistory = compileStatement(db.delete(history).where(isOfRow(history)));
  const insertStale = compileInsert(db, stale);
  const insertHistory = compileInsert(db, history);

  return ({ id: row, ...merge }, update) => {
    const rows = findHistory.all({ id: row }) as readonly (readonly (ColumnValue | null)[])[];
    const staleTimes = new Map(
      findStale.all({ id: row }).map(({ columnName, lastSeenAt }) => [columnName, lastSeenAt]),
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
    for (const [column, shown, at] of merge.shown) {
      const value = typeof shown === 'boolean' ? Number(shown) : shown;
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
      hasStaleColumns: staleColumns.length > 0,
      changedAt: changes.length === 0 ? undefined : Math.max(...changes),
    });

    if (staleTimes.size > 0) deleteStale.run({ id: row });
    for (const column of staleColumns) {
      const lastSeenAt = timelines.get(column)!.seenAt;
      insertStale.run({ [key]: row, columnName: columnsByProperty[column]!.name, lastSeenAt });
    }
    if (!hasChanged && !isReplaced) return false;
    // Replace the history rows that the triggers wrote for the update.
    deleteHistory.run({ id: row });
    for (const past of buildHistoryRows(columns.map((column) => [column, timelines.get(column)!.past])))
      insertHistory.run({ ...past, [key]: row });
    return hasChanged;
  };
}

/** Returns the earlier values of a column; each row begins with its two times. */
const pastValuesOf = (rows: readonly (readonly (ColumnValue | null)[])[], index: number): PastValue[] =>
  rows.flatMap((row) => {
    const value = row[index + 2];
    return value == null ? [] : [{ value, lastSeen: row[0] as number, changedAt: row[1] as number }];
  });

/** Returns history rows, oldest first. Columns with the same two times share a row. */
function buildHistoryRows(
  timelines: readonly (readonly [column: string, past: readonly PastValue[]])[],
): Record<string, ColumnValue>[] {
  const rows = new Map<string, Record<string, ColumnValue>>();
  for (const [column, past] of timelines) {
    for (const { value, lastSeen, changedAt } of past) {
      const period = `${changedAt} ${lastSeen}`;
      rows.set(period, { ...rows.get(period), lastSeenAt: lastSeen, changedAt, [column]: value });
    }
  }
  return [...rows.values()].toSorted(
    (a, b) =>
      (a['changedAt'] as number) - (b['changedAt'] as number) ||
      (a['lastSeenAt'] as number) - (b['lastSeenAt'] as number),
  );
}

/** A value of a column; flags are 0 and 1. */
export type ColumnValue = string | number;

/** An earlier value: when it was last seen, and when another value was first seen. */
interface PastValue {
  readonly value: ColumnValue;
  readonly lastSeen: number;
  readonly changedAt: number;
}

/** The values of a column over time: the current one with its time, and earlier ones, oldest first. Null is unknown. */
interface ValueTimeline {
  readonly current: ColumnValue | null;
  readonly seenAt: number;
  readonly past: readonly PastValue[];
}

/**
 * Returns the timeline with one more observation, independent of the order of arrival (invariant 6). The latest
 * observation is the current value; of two at the same time, the greater one. An older observation is inserted at its
 * time (invariant 7), so that the timeline matches every observation. An old observation of another value splits the
 * run that it falls into.
 *
 * @param since when the row was first seen
 */
function addObservation(timeline: ValueTimeline, value: ColumnValue, at: number, since: number): ValueTimeline {
  const { current, seenAt, past } = timeline;
  if (current === null) return { current: value, seenAt: at, past };
  // A value with time 0 is a default for an unobserved value, and never an earlier value.
  if (at === 0 || seenAt === 0) {
    const isNewer = at > seenAt || (at === seenAt && isGreater(value, current));
    return isNewer ? { current: value, seenAt: at, past } : timeline;
  }
  if (value === current && at >= seenAt) return { current, seenAt: at, past };
  if (at > seenAt)
    return { current: value, seenAt: at, past: [...past, { value: current, lastSeen: seenAt, changedAt: at }] };
  const start = past.at(-1)?.changedAt ?? since;
  if (at === seenAt) {
    if (!isGreater(value, current)) return timeline;
    return removeRepeats({ current: value, seenAt, past: [...past, ...runBefore(at, start, current)] });
  }
  const runs: PastValue[] = [...past, { value: current, lastSeen: seenAt, changedAt: Infinity }];
  const i = runs.findIndex(({ changedAt }) => changedAt > at);
  runs.splice(i, 1, ...splitRun(runs[i]!, i === 0 ? since : runs[i - 1]!.changedAt, value, at));
  const next = removeRepeats({ current, seenAt, past: runs.slice(0, -1) });
  return areEqual(next.past, past) ? timeline : next;
}

/** Splits a run by an observation of another value within it. */
function splitRun(run: PastValue, start: number, value: ColumnValue, at: number): PastValue[] {
  if (value === run.value) return [{ ...run, lastSeen: Math.max(run.lastSeen, at) }];
  if (at < start) return [{ value, lastSeen: at, changedAt: start }, run];
  if (at > run.lastSeen)
    return [
      { ...run, changedAt: at },
      { value, lastSeen: at, changedAt: run.changedAt },
    ];
  const before = runBefore(at, start, run.value);
  if (at === run.lastSeen) return [...before, { value, lastSeen: at, changedAt: run.changedAt }];
  return [...before, { value, lastSeen: at, changedAt: at + 1 }, run];
}

/** The part of a run before a time, if any. When its value was last seen is unknown, so the run ends just before. */
const runBefore = (at: number, start: number, value: ColumnValue): PastValue[] =>
  start < at ? [{ value, lastSeen: at - 1, changedAt: at }] : [];

/** Removes runs between two runs of the same value. */
function removeRepeats({ current, seenAt, past }: ValueTimeline): ValueTimeline {
  const next = (i: number) => (i === past.length - 1 ? current : past[i + 1]!.value);
  return { current, seenAt, past: past.filter(({ value }, i) => value !== next(i)) };
}

const areEqual = (left: readonly PastValue[], right: readonly PastValue[]): boolean =>
  left.length === right.length &&
  left.every(
    (run, i) =>
      run.value === right[i]!.value && run.lastSeen === right[i]!.lastSeen && run.changedAt === right[i]!.changedAt,
  );

/** A total order makes the result independent of the order of arrival. */
const isGreater = (a: ColumnValue, b: ColumnValue): boolean => (typeof a === typeof b ? a > b : typeof a === 'string');
