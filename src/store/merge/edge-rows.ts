import { and, eq, or, sql } from 'drizzle-orm';
import type { CompleteList, EdgeDecision, EdgePeriod } from '../evidence/edge-periods.ts';
import { followDecisions, followHistory, follows, listSnapshots } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileInsert, compileStatement, pickColumns, placeholders, type Statement } from '../sqlite/statement.ts';

/** The accounts of an edge, by their row ids. */
export interface EdgeKey {
  readonly followeeId: number;
  readonly followerId: number;
}

/** The columns of an edge's current period. */
export const CURRENT = ['firstSeenAt', 'lastSeenAt', 'firstMissedAt', 'endedAt', 'lastSeenIn'] as const;
const DECISION = ['startedAt', 'finishedAt', 'cause'] as const;
const LIST = ['side', 'startedAt', 'finishedAt', 'bodyDigest'] as const;
const [followeeId, followerId] = [sql.placeholder('followeeId'), sql.placeholder('followerId')];

/** The condition that a row is of an edge. */
export const isEdge = (table: typeof follows | typeof followHistory | typeof followDecisions) =>
  and(eq(table.followeeId, followeeId), eq(table.followerId, followerId));

/** Prepares reading what proves the ends of an edge's periods, and the storing of periods. */
export function prepareEdgeRows(db: Db) {
  const findLists = compileStatement(
    db
      .select(pickColumns(listSnapshots, LIST))
      .from(listSnapshots)
      .where(
        or(
          and(eq(listSnapshots.userId, followeeId), eq(listSnapshots.side, 'followers')),
          and(eq(listSnapshots.userId, followerId), eq(listSnapshots.side, 'following')),
        ),
      ),
  );
  const findDecisions = compileStatement(
    db.select(pickColumns(followDecisions, DECISION)).from(followDecisions).where(isEdge(followDecisions)),
  );
  const update = compileStatement(db.update(follows).set(placeholders(follows, CURRENT)).where(isEdge(follows)));
  const store = (statement: Statement) => (edge: EdgeKey, period: EdgePeriod) =>
    void statement.run({ ...edge, ...period });
  return {
    /** The complete lists and the decisions about an edge. */
    readEvidence: (edge: EdgeKey) => ({
      lists: findLists.all(edge).map((row) => toObject<CompleteList>(LIST, row)),
      decisions: findDecisions.all(edge).map((row) => toObject<EdgeDecision>(DECISION, row)),
    }),
    insertCurrent: store(compileInsert(db, follows)),
    updateCurrent: store(update),
    insertEarlier: store(compileInsert(db, followHistory)),
  };
}

/** Returns the object of a raw row. */
export const toObject = <T>(names: readonly (keyof T & string)[], row: readonly unknown[]): T =>
  Object.fromEntries(names.map((name, i) => [name, row[i]])) as T;
