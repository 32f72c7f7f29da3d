import { eq, or, sql, type SQL } from 'drizzle-orm';
import { getTableColumns } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Db } from './database.ts';
import { earliest, latest, placeholders, rules } from './merge.ts';
import type { tweets, users } from './schema.ts';
import { compile } from './statement.ts';

/** What became of an observation: the key of its row, whether the store had it before, and whether it said anything new. */
export interface Stored {
  readonly id: number;
  readonly isNew: boolean;
  readonly isNews: boolean;
}

/** Stores what was observed of one thing at a time, as values by the names of columns. */
export type Observe = (values: Readonly<Record<string, unknown> & { restId: string; at: number }>) => Stored;

/**
 * Prepares the merging of observations into a table (law 6). Most of what a crawl sees again is as it was: so it looks
 * first, and moves only the times of a row that would stay the same.
 */
export function prepareObservation<T extends typeof users | typeof tweets>(
  db: Db,
  table: T,
  { columns, set, times }: { columns: readonly string[]; set: Record<string, SQL>; times: readonly string[] },
): Observe {
  const all: Record<string, SQLiteColumn> = getTableColumns(table as typeof users);
  const at = sql`${sql.placeholder('at')}`;
  const id = sql`${sql.placeholder('id')}`;
  const isNews = or(
    ...columns.map((name) => sql`coalesce(${sql.placeholder(name)}, ${all[name]!}) is not ${all[name]!}`),
  )!;
  const seen = ['seenAt', ...times];

  const look = compile(
    db,
    db
      .select({ id: table.id, isNews })
      .from(table as typeof users)
      .where(sql`${table.restId} = ${sql.placeholder('restId')}`),
  );
  const merge = compile(
    db,
    db
      .insert(table as typeof users)
      .values({
        ...placeholders(table as typeof users, ['restId', ...(columns as readonly 'name'[])]),
        ...(Object.fromEntries(['firstSeen', ...seen].map((name) => [name, at])) as Record<
          'firstSeen' | 'seenAt',
          SQL
        >),
      })
      .onConflictDoUpdate({
        target: table.restId,
        set: { ...set, firstSeen: earliest(table.firstSeen), ...rules(table, seen, latest) },
      }),
  );
  const moved = (column: SQLiteColumn): SQL => sql`max(coalesce(${column}, 0), ${at})`;
  const touch = compile(
    db,
    db
      .update(table as typeof users)
      .set({ firstSeen: sql`min(${table.firstSeen}, ${at})`, ...rules(table, seen, moved) })
      .where(eq(table.id, id)),
  );

  return (values) => {
    const known = look.get(values);
    if (!known) return { id: merge.run(values).lastInsertRowid, isNew: true, isNews: true };
    const [key, differs] = known as [number, 0 | 1];
    if (differs === 1) merge.run(values);
    else touch.run({ id: key, at: values.at });
    return { id: key, isNew: false, isNews: differs === 1 };
  };
}
