import { max, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { earliest, excluded, latest, rules } from './merge.ts';
import type { EdgeList } from './rows.ts';
import { follows } from './schema.ts';
import { compile } from './statement.ts';

/** Stores a part of a follower list, and returns how many of its edges the store did not have. */
export type StoreEdges = (side: EdgeList['side'], of: number, others: readonly number[], at: number) => number;

/** Prepares it: one statement for all edges of a page costs less than half of one for each (decision 9). */
export function prepareFollows(db: Db): StoreEdges {
  const [at, of, others] = ['at', 'of', 'others'].map((name) => sql`${sql.placeholder(name)}`);
  const upsert = (edge: ReturnType<typeof sql>) =>
    compile(
      db,
      db
        .insert(follows)
        .select(sql`select null, ${edge}, ${at}, ${at}, null from json_each(${others}) where true`)
        .onConflictDoUpdate({
          target: [follows.followerId, follows.followeeId],
          set: {
            ...rules(follows, ['firstSeen'], earliest),
            ...rules(follows, ['lastSeen'], latest),
            ended: sql`case when ${excluded(follows.lastSeen)} >= ${follows.lastSeen} then null else ${follows.ended} end`,
          },
        }),
    );
  const upserts = { followers: upsert(sql`${of}, value`), following: upsert(sql`value, ${of}`) };
  const last = compile(db, db.select({ id: max(follows.id) }).from(follows));
  const lastId = (): number => (last.get({})![0] as number | null) ?? 0;

  return (side, owner, ids, time) => {
    // Only an edge that is new takes a number, and nobody else writes within this transaction.
    const before = lastId();
    upserts[side].run({ of: owner, others: JSON.stringify(ids), at: time });
    return lastId() - before;
  };
}
