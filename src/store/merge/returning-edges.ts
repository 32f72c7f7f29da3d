import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { MEMBER_COLUMN, OWNER_COLUMN } from '../schema/edge-sides.ts';
import type { EdgeList } from '../schema/rows.ts';
import { followHistory, follows } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, bound } from '../sqlite/statement.ts';

/** Edges of a page; `memberIds` is a JSON array of user ids. */
interface EdgePage {
  readonly ownerId: number;
  readonly memberIds: string;
  readonly at: number;
}

/**
 * Updates edges that were marked missing and are seen again. An edge that had ended begins a new period, and its
 * earlier period moves to `follow_history`. For a list without missing edges this is one look-up in an empty index.
 */
export function prepareReturningEdges(db: Db): (side: EdgeList['side'], page: EdgePage) => void {
  const at = bound.at;
  const prepare = (side: EdgeList['side']) => {
    const isMarkedMissing = and(eq(OWNER_COLUMN[side], bound.ownerId), isNotNull(follows.firstMissedAt));
    // A page that was requested before the edge ended does not bring it back.
    const isSeenAfterwards = sql`coalesce(${follows.endedAt}, ${follows.lastSeenAt}) <= ${at}`;
    const isReturning = and(
      isMarkedMissing,
      sql`${MEMBER_COLUMN[side]} in (select value from json_each(${bound.memberIds}))`,
      isSeenAfterwards,
    );
    return {
      find: compileStatement(
        db
          .select({ found: sql`1` })
          .from(follows)
          .where(isMarkedMissing)
          .limit(1),
      ),
      archive: compileStatement(
        db.insert(followHistory).select(
          sql`select null, ${follows.followeeId}, ${follows.followerId}, ${follows.firstSeenAt}, ${follows.lastSeenAt}, ${follows.endedAt}
              from ${follows} where ${and(isReturning, isNotNull(follows.endedAt))} order by ${follows.id}`,
        ),
      ),
      restart: compileStatement(
        db
          .update(follows)
          .set({
            firstSeenAt: sql`case when ${follows.endedAt} is null then ${follows.firstSeenAt} else ${at} end`,
            firstMissedAt: sql`null`,
            endedAt: sql`null`,
          })
          .where(isReturning),
      ),
    };
  };
  const statements = { followers: prepare('followers'), following: prepare('following') };

  return (side, page) => {
    const { find, archive, restart } = statements[side];
    if (find.get(page) === undefined) return;
    archive.run(page);
    restart.run(page);
  };
}
