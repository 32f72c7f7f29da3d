import { max, sql } from 'drizzle-orm';
import { LAST_SEEN_IN } from '../schema/edge-sides.ts';
import type { EdgeList } from '../schema/rows.ts';
import { followHistory, follows } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, placeholder } from '../sqlite/statement.ts';
import { excludedValue, takeLatest, mergeColumns } from './merge-rules.ts';
import { prepareReturningEdges } from './returning-edges.ts';

/** Stores a part of a follower or following list. Returns the number of new edges. */
export type StoreEdges = (side: EdgeList['side'], ownerId: number, memberIds: readonly number[], at: number) => number;

/** Prepares StoreEdges: one statement for all edges of a page costs less than half of one per edge (decision 9). */
export function prepareFollows(db: Db): StoreEdges {
  const [at, ownerId, memberIds] = ['at', 'ownerId', 'memberIds'].map((name) => placeholder(name));
  // A time before the end of an earlier period does not belong to the current one.
  const isEarlier = sql`${excludedValue(follows.firstSeenAt)} < ${follows.firstSeenAt} and not exists (
    select 1 from ${followHistory} where ${followHistory.followeeId} = ${follows.followeeId}
      and ${followHistory.followerId} = ${follows.followerId} and ${followHistory.endedAt} >= ${excludedValue(follows.firstSeenAt)})`;
  const upsert = (side: EdgeList['side'], edge: ReturnType<typeof sql>) =>
    compileStatement(
      db
        .insert(follows)
        .select(
          sql`select null, ${edge}, ${at}, ${at}, null, null, ${sql.raw(String(LAST_SEEN_IN[side]))} from json_each(${memberIds}) where true`,
        )
        .onConflictDoUpdate({
          target: [follows.followerId, follows.followeeId],
          set: {
            firstSeenAt: sql`case when ${isEarlier} then ${excludedValue(follows.firstSeenAt)} else ${follows.firstSeenAt} end`,
            ...mergeColumns(follows, ['lastSeenAt'], takeLatest),
            lastSeenIn: sql`case when ${excludedValue(follows.lastSeenAt)} >= ${follows.lastSeenAt} then ${excludedValue(follows.lastSeenIn)} else ${follows.lastSeenIn} end`,
          },
        }),
    );
  const upserts = {
    followers: upsert('followers', sql`${ownerId}, value`),
    following: upsert('following', sql`value, ${ownerId}`),
  };
  const findLastId = compileStatement(db.select({ id: max(follows.id) }).from(follows));
  const readLastId = (): number => (findLastId.get({})![0] as number | null) ?? 0;
  const restoreReturningEdges = prepareReturningEdges(db);

  return (side, owner, ids, time) => {
    const page = { ownerId: owner, memberIds: JSON.stringify(ids), at: time };
    restoreReturningEdges(side, page);
    // Only new edges get ids, and nobody else writes within this transaction.
    const lastIdBefore = readLastId();
    upserts[side].run(page);
    return readLastId() - lastIdBefore;
  };
}
