import { and, eq, isNotNull, max, type SQL, sql } from 'drizzle-orm';
import { EDGE_RELATIONS } from '../relations/list-relations.ts';
import type { EdgeList } from '../schema/normalised-rows.ts';
import { followHistory, follows } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';
import { prepareLateEdges, type StoreEdges } from './late-edges.ts';
import { excludedValue, mergeColumns, takeLatest } from './merge-rules.ts';

const { at, ownerId, memberIds } = bound;

/** Prepares StoreEdges: one statement for all edges of a page costs less than half of one per edge (decision 9). */
export function prepareFollows(db: Db): StoreEdges {
  // A time before the end of an earlier period does not belong to the current one.
  const isEarlier = sql`${excludedValue(follows.firstSeenAt)} < ${follows.firstSeenAt} and not exists (
    select 1 from ${followHistory} where ${followHistory.followeeId} = ${follows.followeeId}
      and ${followHistory.followerId} = ${follows.followerId} and ${followHistory.endedAt} >= ${excludedValue(follows.firstSeenAt)})`;
  const prepare = (side: EdgeList['side'], edge: SQL) => ({
    ...prepareReturningEdges(db, side),
    upsert: compileStatement(
      db
        .insert(follows)
        .select(
          sql`select null, ${edge}, ${at}, ${at}, null, null, ${sql.raw(String(EDGE_RELATIONS[side].lastSeenIn))} from json_each(${memberIds}) where true`,
        )
        .onConflictDoUpdate({
          target: [follows.followerId, follows.followeeId],
          set: {
            firstSeenAt: sql`case when ${isEarlier} then ${excludedValue(follows.firstSeenAt)} else ${follows.firstSeenAt} end`,
            ...mergeColumns(follows, ['lastSeenAt'], takeLatest),
            lastSeenIn: sql`case when ${excludedValue(follows.lastSeenAt)} > ${follows.lastSeenAt} then ${excludedValue(follows.lastSeenIn)}
              when ${excludedValue(follows.lastSeenAt)} = ${follows.lastSeenAt} then max(${follows.lastSeenIn}, ${excludedValue(follows.lastSeenIn)})
              else ${follows.lastSeenIn} end`,
          },
        }),
    ),
  });
  const statements = {
    followers: prepare('followers', sql`${ownerId}, value`),
    following: prepare('following', sql`value, ${ownerId}`),
  };
  const findLastId = compileStatement(db.select({ id: max(follows.id) }).from(follows));
  const readLastId = (): number => (findLastId.get({})![0] as number | null) ?? 0;
  const late = prepareLateEdges(db);

  return (side, owner, ids, time) => {
    const page = { ownerId: owner, memberIds: JSON.stringify(ids), at: time };
    if (late.isLate(side, page)) return late.storeEdges(side, owner, ids, time);
    const { findMissing, archive, restart, upsert } = statements[side];
    if (findMissing.get(page) !== undefined) {
      archive.run(page);
      restart.run(page);
    }
    // Only new edges get ids, and nobody else writes within this transaction.
    const lastIdBefore = readLastId();
    upsert.run(page);
    return readLastId() - lastIdBefore;
  };
}

/**
 * Prepares the update of edges that were marked missing and are seen again. An edge that had ended begins a new period,
 * and its earlier period moves to `follow_history`. For a list without missing edges this is one look-up in an empty index.
 */
function prepareReturningEdges(db: Db, side: EdgeList['side']) {
  const isMarkedMissing = and(eq(EDGE_RELATIONS[side].owner, ownerId), isNotNull(follows.firstMissedAt));
  const isReturning = and(
    isMarkedMissing,
    sql`${EDGE_RELATIONS[side].member} in (select value from json_each(${memberIds}))`,
    // A page that was requested before the edge was last seen does not bring it back.
    sql`coalesce(${follows.endedAt}, ${follows.lastSeenAt}) <= ${at}`,
  );
  const firstSeenAt = sql`case when ${follows.endedAt} is null then ${follows.firstSeenAt} else ${at} end`;
  const restarted = { firstSeenAt, firstMissedAt: null, endedAt: null };
  return {
    // Without a bound limit, for which SQLite would compile the statement again at each call.
    findMissing: compileStatement(db.select({ id: follows.id }).from(follows).where(isMarkedMissing)),
    archive: compileStatement(
      db.insert(followHistory).select(
        sql`select null, ${follows.followeeId}, ${follows.followerId}, ${follows.firstSeenAt}, ${follows.lastSeenAt}, ${follows.endedAt}
              , ${follows.lastSeenIn} from ${follows} where ${and(isReturning, isNotNull(follows.endedAt))} order by ${follows.id}`,
      ),
    ),
    restart: compileStatement(db.update(follows).set(restarted).where(isReturning)),
  };
}
