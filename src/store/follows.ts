import { and, eq, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { earliest, latest, rules } from './merge.ts';
import type { EdgeList } from './rows.ts';
import { follows } from './schema.ts';
import { compile } from './statement.ts';

/**
 * Prepares the storing of follower lists, a page at a time: one statement for all of its edges costs half of one for
 * each (decision 9). Returns how many of them the store did not have.
 */
export function prepareFollows(
  db: Db,
): (side: EdgeList['side'], of: number, others: readonly number[], at: number) => number {
  const at = sql`${sql.placeholder('at')}`;
  const of = sql`${sql.placeholder('of')}`;
  const others = sql`json_each(${sql.placeholder('others')})`;

  const prepare = (side: EdgeList['side']) => {
    const [owner, other, edge] =
      side === 'followers'
        ? [follows.followeeId, follows.followerId, sql`${of}, value`]
        : [follows.followerId, follows.followeeId, sql`value, ${of}`];
    return {
      insert: compile(
        db,
        db
          .insert(follows)
          .select(sql`select ${edge}, ${at}, ${at}, null from ${others} where true`)
          .onConflictDoNothing(),
      ),
      touch: compile(
        db,
        db
          .update(follows)
          .set({
            ...rules(follows, ['firstSeen'], earliest, () => at),
            ...rules(follows, ['lastSeen'], latest, () => at),
            ended: sql`case when ${at} >= ${follows.lastSeen} then null else ${follows.ended} end`,
          })
          .where(and(eq(owner, of), sql`${other} in (select value from ${others})`)),
      ),
    };
  };
  const statements = { followers: prepare('followers'), following: prepare('following') };
  /** Pages come in runs: whether the edges of the one before were known is tried first. */
  let areKnown = false;

  return (side, owner, ids, time) => {
    const distinct = new Set(ids);
    const values = { of: owner, others: JSON.stringify([...distinct]), at: time };
    const { insert, touch } = statements[side];
    if (areKnown && touch.run(values).changes === distinct.size) return 0;
    const added = insert.run(values).changes;
    // Whether a new edge is touched once more makes no difference.
    if (!areKnown && added < distinct.size) touch.run(values);
    areKnown = added < distinct.size / 2;
    return added;
  };
}
